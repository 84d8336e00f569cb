"""The time line of one device, taken in by arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kb.engine.readers import timeline
from kb.engine.readers.large.strip import LargeStrip
from kb.engine.readers.strip import PAUSE_NS
from kb.engine.readers.timeline import COMMUNICATION, COMPUTE, MOST_PAIRS, TWIN, Timeline

Integers = NDArray[np.int64]

_KINDS = (COMPUTE, COMMUNICATION, TWIN)


class Sweep(Timeline):
    """A `Timeline` that also takes many intervals at once, and accounts for thousands of them at a time.

    Between two starts every kind that runs does so from the first start on, until its latest end so far. So
    the time in which exactly some kinds run is how far the shortest of them outlasts the longest of the others.
    """

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[Integers] = []  # each of five rows: start, end, kind, stream, operator type
        self._waiting = 0
        self._codes: dict[str, int] = {}
        self._words: list[str] = []
        self._latest: dict[int, int] = {}  # by stream: the type that ran last

    def new_strip(self) -> LargeStrip:
        """Where what ran when is gathered."""
        return LargeStrip()

    def code(self, word: str) -> int:
        """The number that stands for a stream or an operator type."""
        found = self._codes.get(word)
        if found is None:
            found = self._codes[word] = len(self._words)
            self._words.append(word)
        return found

    def add_many(self, intervals: Integers) -> None:
        """Take intervals in file order: one column each of start ns, end ns, kind bit, stream and operator
        type by `code`.
        """
        self._gather()
        self._keep(intervals)

    def finish(self) -> None:
        """Process what is still buffered."""
        self._gather()
        self._account(0)
        self._stretch(
            np.array([self._now, max(self._ends)], dtype=np.int64),
            np.array(self._ends, dtype=np.int64).reshape(3, 1),
        )

    def _flush(self, count: int) -> None:  # noqa: ARG002 - how many is decided for all that waits
        """Called when `add` has filled its buffer."""
        self._gather()

    def _gather(self) -> None:
        """Turn the intervals that came one by one into an array."""
        if self._buffer:
            rows = [(s, e, k, self.code(stream), self.code(name)) for s, e, k, stream, name in self._buffer]
            self._buffer.clear()
            self._keep(np.array(rows, dtype=np.int64).T)

    def _keep(self, part: Integers) -> None:
        self._parts.append(part)
        self._waiting += part.shape[1]
        if self._waiting >= timeline.BUFFER:
            self._account(timeline.BUFFER // 2)

    def _account(self, behind: int) -> None:
        """Account for all that waits but the last `behind` in order of start."""
        if not self._waiting:
            return
        rows = np.concatenate(self._parts, axis=1)
        if (np.diff(rows[0]) < 0).any():
            rows = rows[:, np.argsort(rows[0], kind="stable")]
        ready, left = np.split(rows, [rows.shape[1] - behind], axis=1)
        self._parts, self._waiting = [left], behind
        assert isinstance(self.strip, LargeStrip)  # noqa: S101 - made above
        self.strip.take_many(ready, self._words)
        starts, ends, kinds = ready[:3]
        if self.first is None:
            self.first = self._now = int(starts[0])
            self._ends = [self._now] * 3
        self.late += int((starts < self._now).sum())
        times = np.maximum(starts, self._now)
        until = np.empty((3, len(times) + 1), dtype=np.int64)
        until[:, 0] = self._ends
        for place, kind in enumerate(_KINDS):
            np.multiply(ends, kinds == kind, out=until[place, 1:])
        np.maximum.accumulate(until, axis=1, out=until)
        self._stretch(np.concatenate(([self._now], times)), until[:, :-1])
        self._now, self._ends = int(times[-1]), [int(end) for end in until[:, -1]]
        self._pair(ready[:, kinds != TWIN])

    def _stretch(self, borders: Integers, until: Integers) -> None:
        """Account for the stretches between borders, in which the kinds run up to `until`."""
        length = np.diff(borders)
        run = np.clip(until - borders[:-1], 0, length)
        active = [place for place in range(3) if run[place].any()]
        nothing = np.zeros_like(length)
        for mask in range(1 << len(active)):
            inside = [run[place] for k, place in enumerate(active) if mask >> k & 1]
            outside = [run[place] for k, place in enumerate(active) if not mask >> k & 1]
            shortest = np.minimum.reduce([*inside, length])
            longest = np.maximum.reduce([*outside, nothing])
            kinds = sum(_KINDS[place] for k, place in enumerate(active) if mask >> k & 1)
            self.by_mask[kinds] += int(np.maximum(shortest - longest, 0).sum())
        work = np.maximum(run[0], run[1])
        self._count_gaps(work > 0, length - work)

    def _count_gaps(self, works: NDArray[np.bool_], pauses: Integers) -> None:
        """Count stretches with work that a long enough pause precedes; a stretch's own pause follows its work."""
        before = np.concatenate(([self._paused], self._paused + np.cumsum(pauses)))
        at = np.flatnonzero(works)
        if not len(at):
            self._paused = int(before[-1])
            return
        since = np.concatenate(([0], before[at[:-1]]))
        self.gaps += int((before[at] - since >= PAUSE_NS).sum())
        self._paused = int(before[-1] - before[at[-1]])

    def _pair(self, rows: Integers) -> None:
        """Count which operator type follows which on each stream."""
        starts, ends, _, streams, names = rows
        order = np.argsort(streams, kind="stable")
        streams, names, spent = streams[order], names[order], (ends - starts)[order]
        fresh = np.concatenate(([True], streams[1:] != streams[:-1])) if len(streams) else np.zeros(0, bool)
        before = np.concatenate(([0], names[:-1])) if len(names) else names
        first, last = np.flatnonzero(fresh), np.flatnonzero(np.roll(fresh, -1))
        before[first] = [self._latest.get(int(stream), -1) for stream in streams[first]]
        self._latest.update(zip(streams[last].tolist(), names[last].tolist(), strict=True))
        known = before >= 0
        # by place in time, so that the bound on pairs keeps the same ones as one by one
        keys, which, counts = np.unique(
            before[known] * len(self._words) + names[known], return_inverse=True, return_counts=True
        )
        sums = np.bincount(which, weights=spent[known], minlength=len(keys))
        when = np.full(len(keys), len(order))
        np.minimum.at(when, which, order[known])
        for k in np.argsort(when).tolist():
            one, two = divmod(int(keys[k]), len(self._words))
            self._add_pair(self._words[one], self._words[two], int(counts[k]), int(sums[k]))

    def _add_pair(self, before: str, after: str, count: int, spent: int) -> None:
        found = self._pairs.get((before, after))
        if found is not None:
            found[0] += count
            found[1] += spent
        elif len(self._pairs) < MOST_PAIRS:
            self._pairs[before, after] = [count, spent]
