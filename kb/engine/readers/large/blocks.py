"""A table taken in by blocks of lines: cut and converted by pandas, added up by numpy.

What is odd about a line (too many or too few cells, no duration) sends that line alone to the careful reading,
and what pandas cannot make sense of at all sends the whole block there. The answer is the same either way.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd

from kb.engine.readers.columns import LARGEST, LONGEST_US, MISSING
from kb.engine.readers.large.parse import Bools, Columns, Floats, Integers, Words, parse, usual_times
from kb.engine.readers.large.sums import Sums
from kb.engine.readers.large.sweep import Sweep
from kb.engine.readers.launches import MOST_GROUPS, Group, Reading, TableResult
from kb.engine.readers.rows import LONGEST_LINE, Rows, joined, split
from kb.engine.readers.timeline import LATEST, nanoseconds

FEWEST = 32  # clean lines in a row that are worth taking together

Progress = Callable[[int, int], None]  # rows and bytes so far


class Blocks:
    """One pass over one large table; `reading` takes the odd lines and holds the result."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        form = reading.form
        at = form.at
        self._same = sorted({*form.identity_places, form.at_type, form.at_task})
        self._whose = {name: at[name] for name in ("device_id", "stream_id", "step_id") if name in at}
        wait = [at["wait_us"]] if "wait_us" in at else []
        self._numbers = [form.at_duration, *wait, *(place for _, place in form.counters)]
        self._waits = bool(wait)
        places = [place for _, place in form.counters]
        self._working = [len(self._numbers) - len(places) + places.index(place) for place in form.working]
        self._start = at.get("start_us")
        self._known: dict[tuple[str, ...], Group] = {}
        self._sums = Sums(2 + len(form.counters))
        self._block: bytes | bytearray = b""
        self._lines: list[str] = []

    def run(self, rows: Rows, progress: Progress | None = None) -> TableResult:
        """Read to the end of the file."""
        gc.freeze()  # the many objects of pandas would be looked through again and again
        try:
            return self._run(rows, progress)
        finally:
            gc.unfreeze()

    def _run(self, rows: Rows, progress: Progress | None) -> TableResult:
        line, size = 2, 0
        for block in rows.blocks():
            self._block, self._lines = block, []
            columns = None if rows.unfinished else self._parse(block)
            if columns is None:
                count = max(block.count(b"\n"), 1)
                self._carefully(rows, 0, count, line)
            else:
                count = len(columns)
                for start, stop, clean in _runs(self._clean(columns)):
                    if clean:
                        self._add(columns.part(start, stop), start)
                    else:
                        self._carefully(rows, start, stop, line)
            line += count
            size += len(block)
            if progress:
                progress(line - 2, size)
        self._sums.hand_over()
        return self.reading.finish(line - 2)

    def _parse(self, block: bytes | bytearray) -> Columns | None:
        words = {*self._same, *self._whose.values(), self.reading.form.at_name}
        return parse(block, self.reading.form.width, words, self._numbers, self._start)

    def _clean(self, columns: Columns) -> Bools:
        """Which lines can be taken together."""
        duration = columns.numbers[:, 0]
        clean = columns.whole & (duration >= 0) & (duration < LONGEST_US)
        cells = columns.numbers
        least, greatest = (
            np.fmin.reduce(cells, axis=None, initial=0),
            np.fmax.reduce(cells, axis=None, initial=0),
        )
        if least < 0 or greatest >= LARGEST:  # looked at in full only where there is one
            clean &= ~((cells < 0) | (cells >= LARGEST)).any(axis=1)
        if columns.stamps is not None:
            clean &= columns.stamps[:, -1] == 0
        return clean

    def _carefully(self, rows: Rows, start: int, stop: int, line: int) -> None:
        """Lines `start` to `stop` of the block one by one; `line` is the number of the block's first."""
        for k in range(start, stop):
            text = self._line(k)
            if len(text) > LONGEST_LINE:
                raise rows.too_long(line + k)
            self.reading.take(text, line + k, rows.unfinished)

    def _line(self, k: int) -> str:
        if not self._lines:
            lines = self._block.decode("utf-8", errors="replace").split("\n")
            self._lines, _ = joined(lines, self.reading.form.width)
        return self._lines[k]

    def _add(self, columns: Columns, line: int) -> None:
        """Add up clean lines, the first of which is number `line` of the block."""
        form = self.reading.form
        same = [columns.words[place] for place in self._same]
        names = columns.words[form.at_name]
        if any(word.strip() in MISSING for word in columns.words[form.at_type].words):
            same.append(names)  # stands for the type there
        if any(word.strip() in MISSING for word in columns.words[form.at_task].words):
            same.extend(_worked(columns.numbers[:, column]) for column in self._working)
        which, firsts = _combinations(same, len(columns))
        keys = zip(*(found.words[found.codes[firsts]].tolist() for found in same), strict=True)
        groups = [self._group(key, line + first) for key, first in zip(keys, firsts.tolist(), strict=True)]
        self._name(groups, which, names)
        cells = columns.numbers
        if not self._waits:
            cells = np.insert(cells, 1, np.nan, axis=1)
        self._sums.add(groups, which, cells)
        self._place(columns, which, groups)

    def _name(self, groups: Sequence[Group], which: Integers, names: Words) -> None:
        """Give every group the first of its names by alphabet."""
        order = np.argsort(names.words)
        ranks = np.empty(len(order), dtype=np.int64)
        ranks[order] = np.arange(len(order))
        first = np.full(len(groups), len(order))
        np.minimum.at(first, which, ranks[names.codes])
        for group, rank in zip(groups, first.tolist(), strict=True):
            group.name = min(group.name, names.words[order[rank]].strip('"'))

    def _group(self, key: tuple[str, ...], line: int) -> Group:
        """The group of a combination of words, of which `line` of the block is an example."""
        found = self._known.get(key)
        if found is None:
            reading = self.reading
            found = reading.launches.group_of(split(self._line(line)), reading.form, reading.origin)
            if len(self._known) < MOST_GROUPS:
                self._known[key] = found
        return found

    def _place(self, columns: Columns, which: Integers, groups: Sequence[Group]) -> None:
        """Put launches on the time lines of their devices."""
        starts = self._starts(columns)
        timed = starts >= 0
        ends = starts + _nanoseconds(columns.numbers[:, 0])
        if "step_id" in self._whose:
            self._see_steps(self._of(columns, "step_id"), starts, ends, timed)
        kinds = np.array([group.kind for group in groups], dtype=np.int64)[which]
        timed = timed & (kinds > 0)
        devices, streams = self._of(columns, "device_id"), self._of(columns, "stream_id")
        for device, name in enumerate(devices.words.tolist()):
            here = timed & (devices.codes == device)
            if not here.any():
                continue
            sweep = self.reading.timeline(name)
            assert isinstance(sweep, Sweep)  # noqa: S101 - large tables are given no other
            stream = _coded(sweep, streams.words.tolist())[streams.codes]
            label = _coded(sweep, [group.label for group in groups])[which]
            intervals = np.stack((starts, ends, kinds, stream, label))
            sweep.add_many(intervals if here.all() else intervals[:, here])

    def _see_steps(self, steps: Words, starts: Integers, ends: Integers, timed: Bools) -> None:
        """Note from when to when each step was seen."""
        first = np.full(len(steps.words), LATEST)
        last = np.full(len(steps.words), -1)
        np.minimum.at(first, steps.codes[timed], starts[timed])
        np.maximum.at(last, steps.codes[timed], ends[timed])
        for name, start, end in zip(steps.words.tolist(), first.tolist(), last.tolist(), strict=True):
            if end >= 0:
                self.reading.result.steps.saw(name, start, end)

    def _of(self, columns: Columns, name: str) -> Words:
        """A column that says whose a launch is; all the same where the table has none."""
        if name in self._whose:
            return columns.words[self._whose[name]]
        return Words(np.zeros(len(columns), dtype=np.int64), np.array([""]))

    def _starts(self, columns: Columns) -> Integers:
        """Start times in ns, -1 where there is none."""
        if columns.stamps is None:
            self.reading.no_start("", len(columns))
            return np.full(len(columns), -1, dtype=np.int64)
        starts, usual = usual_times(columns.stamps)
        for k in np.flatnonzero(~usual).tolist():
            cell = columns.stamps[k].tobytes().rstrip(b"\0").decode(errors="replace")
            found = nanoseconds(cell)
            if found is None:
                self.reading.no_start(cell)
            starts[k] = -1 if found is None else found
        return starts


def _nanoseconds(us: Floats) -> Integers:
    return (us * 1000 + 0.5).astype(np.int64)


def _coded(sweep: Sweep, words: Sequence[str]) -> Integers:
    return np.array([sweep.code(word) for word in words], dtype=np.int64)


def _worked(cells: Floats) -> Words:
    """Whether a core worked, as `Layout.worked` says it."""
    return Words((cells > 0).astype(np.int64), np.array(["", "worked"]))


def _combinations(columns: Sequence[Words], lines: int) -> tuple[Integers, Integers]:
    """For each line which combination of words it has, counted as they appear, and where each appears first."""
    which: Integers = np.zeros(lines, dtype=np.int64)
    for column in columns:
        if len(column.words) > 1:
            which = which * len(column.words) + column.codes
            if which.max() >= 1 << 31:  # the next product must fit 64 bits
                which = pd.factorize(which)[0]
    which = pd.factorize(which)[0]
    return which, np.flatnonzero(np.diff(np.maximum.accumulate(which), prepend=-1))


def _runs(clean: Bools) -> Iterator[tuple[int, int, bool]]:
    """Stretches (start, stop, clean) that cover all lines; short clean ones among odd lines count as odd."""
    borders = [0, *(np.flatnonzero(np.diff(clean)) + 1).tolist(), len(clean)]
    done = 0
    for start, stop in pairwise(borders):
        whole = stop - start == len(clean)
        if clean[start] and (whole or stop - start >= FEWEST):
            if done < start:
                yield done, start, False
            yield start, stop, True
            done = stop
    if done < len(clean):
        yield done, len(clean), False
