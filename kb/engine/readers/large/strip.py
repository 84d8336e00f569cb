"""The strip of one device, taken in by arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kb.engine.readers.strip import LONGEST, PARTS, PAUSE_NS, Gathered

Integers = NDArray[np.int64]


class LargeStrip(Gathered):
    """A `Gathered` that takes many intervals at once."""

    def take_many(self, rows: Integers, words: Sequence[str]) -> None:
        """Take intervals in order of start: rows of start ns, end ns, kind bit, stream and operator type by place in `words`."""
        starts, ends, kinds, streams, names = rows
        if not len(starts):
            return
        if self.first is None:
            self.first = self.last = int(starts[0])
        self._pauses(starts, ends, names, words)
        begin, finish = np.maximum(starts - self.first, 0), np.maximum(ends - self.first, 0)
        while int(finish.max()) > self.width * PARTS:
            self._coarser()
        talk = kinds != 1
        for stream in np.unique(streams).tolist():
            row = self.lanes.get(words[stream]) or self._lane(words[stream])
            if row is None:
                continue
            here = streams == stream
            for side, which in zip(row, (here & ~talk, here & talk), strict=True):
                if which.any():
                    self._add(side, begin[which], finish[which])

    def _add(self, side: list[int], begin: Integers, finish: Integers) -> None:
        """Add the time of each interval to the parts that it lies in."""
        width = self.width
        at, until = (np.minimum(time // width, PARTS - 1) for time in (begin, finish))
        inside = at == until
        spent = np.zeros(PARTS)
        spent += np.bincount(at[inside], weights=(finish - begin)[inside], minlength=PARTS)
        across = ~inside
        if across.any():
            at, until, begin, finish = at[across], until[across], begin[across], finish[across]
            spent += np.bincount(at, weights=(at + 1) * width - begin, minlength=PARTS)
            spent += np.bincount(until, weights=finish - until * width, minlength=PARTS)
            whole = np.bincount(at + 1, minlength=PARTS + 1) - np.bincount(until, minlength=PARTS + 1)
            spent += np.cumsum(whole)[:PARTS] * width
        side[:] = [one + int(more) for one, more in zip(side, spent.tolist(), strict=True)]

    def _pauses(self, starts: Integers, ends: Integers, names: Integers, words: Sequence[str]) -> None:
        reached = np.maximum.accumulate(np.concatenate(([self.last], ends)))
        lengths = starts - reached[:-1]
        found = np.flatnonzero(lengths >= PAUSE_NS)
        # the row that ended last before each row, -1 for one of an earlier block
        later = ends > reached[:-1]
        latest = np.maximum.accumulate(np.where(later, np.arange(len(ends)), -1))
        before = np.concatenate(([-1], latest[:-1]))
        count, spent = len(found), int(lengths[found].sum())
        if count > LONGEST:
            found = np.sort(found[np.argsort(-lengths[found], kind="stable")[:LONGEST]])
        for at in found.tolist():
            ended = self._ended if before[at] < 0 else words[int(names[before[at]])]
            self.pause(int(reached[at]), int(starts[at]), ended, words[int(names[at])])
        self.pause_count += count - len(found)
        self.paused += spent - int(lengths[found].sum())
        if latest[-1] >= 0:
            self._ended = words[int(names[latest[-1]])]
        self.last = int(reached[-1])
