"""A table taken in by blocks of lines: cut and converted by pandas, added up by numpy.

What is odd about a line (too many or too few cells, no duration) sends that line alone to the careful reading,
and what pandas cannot make sense of at all sends the whole block there. The answer is the same either way.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from io import StringIO
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kb.engine.readers.columns import MISSING
from kb.engine.readers.large.sums import Sums
from kb.engine.readers.large.sweep import Sweep
from kb.engine.readers.launches import LONGEST_US, MOST_GROUPS, Group, Reading, TableResult
from kb.engine.readers.rows import LONGEST_LINE, Rows, split
from kb.engine.readers.timeline import LATEST, nanoseconds

END = "\x02"  # a cell put behind every line: where it does not come out last, the line has not the header's cells
STAMP = 32  # bytes kept of a start time
FEWEST = 32  # clean lines in a row that are worth taking together

Progress = Callable[[int], None]


class Blocks:
    """One pass over one large table; `reading` takes the odd lines and holds the result."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        form = reading.form
        at = form.at
        self._words = sorted({*form.identity_places, form.at_type, form.at_task})
        self._whose = {name: at[name] for name in ("device_id", "stream_id", "step_id") if name in at}
        wait = [at["wait_us"]] if "wait_us" in at else []
        self._numbers = [form.at_duration, *wait, *(place for _, place in form.counters)]
        self._waits = bool(wait)
        self._start = at.get("start_us")
        self._typed = "op_type" in at
        self._known: dict[tuple[str, ...], Group] = {}
        self._sums = Sums(2 + len(form.counters))
        self._text = ""
        self._lines: list[str] = []

    def run(self, rows: Rows, progress: Progress | None = None) -> TableResult:
        """Read to the end of the file."""
        line = 2
        for text in rows.blocks():
            count = text.count("\n")
            frame = None if rows.unfinished else self._parse(text, count)
            self._text, self._lines = text, []
            if frame is None:
                self._carefully(rows, 0, max(count, 1), line)
            else:
                for start, stop, clean in _runs(self._clean(frame)):
                    if clean:
                        self._add(frame, start, stop)
                    else:
                        self._carefully(rows, start, stop, line)
            line += count or 1
            if progress:
                progress(line - 2)
        self._sums.hand_over()
        return self.reading.finish(line - 2)

    def _parse(self, text: str, count: int) -> pd.DataFrame | None:
        """The columns needed of a block; None when it holds something that only the careful reading can judge."""
        if END in text or "\0" in text:
            return None
        width = self.reading.form.width
        words = dict.fromkeys([*self._words, *self._whose.values()], "category")
        kinds = {**words, **dict.fromkeys(self._numbers, "float64"), width: "S2"}
        if self._start is not None:
            kinds[self._start] = f"S{STAMP}"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # lines with too many cells: END tells
                frame = pd.read_csv(
                    StringIO(text.replace("\n", f",{END}\n")),
                    header=None, names=range(width + 1), usecols=list(kinds), index_col=False, dtype=kinds,
                    keep_default_na=False, na_values=dict.fromkeys(self._numbers, MISSING),
                    skip_blank_lines=False, low_memory=False, engine="c",
                )  # fmt: skip
        except (ValueError, OverflowError):  # no number where one should be, or quotes left open
            return None
        return frame if len(frame) == count else None

    def _clean(self, frame: pd.DataFrame) -> NDArray[np.bool_]:
        """Which lines can be taken together."""
        duration = frame[self._numbers[0]].to_numpy()
        clean = (frame[self.reading.form.width].to_numpy() == END.encode()) & (duration >= 0)
        clean &= duration < LONGEST_US
        for place in self._numbers[1:]:
            clean &= ~np.isinf(frame[place].to_numpy())
        if self._start is not None:
            clean &= _bytes(frame[self._start])[:, -1] == 0
        if self._typed:
            kinds = frame[self.reading.form.at_type].cat
            absent = [k for k, word in enumerate(kinds.categories) if word.strip() in MISSING]
            if absent and self.reading.form.at_name not in self._words:
                # the name stands for the type there, so it must tell groups apart from now on
                self._words = sorted((*self._words, self.reading.form.at_name))
                self._known.clear()
                clean &= ~np.isin(kinds.codes, absent)
        for place in (*self._words, *self._whose.values()):
            if place in frame:
                clean &= frame[place].cat.codes.to_numpy() >= 0
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
            self._lines = self._text.split("\n")
        return self._lines[k]

    def _add(self, frame: pd.DataFrame, start: int, stop: int) -> None:
        """Add up the clean lines from `start` to `stop`."""
        part = frame.iloc[start:stop]
        which, firsts = self._combinations(part)
        places = [place for place in self._words if place in frame]
        columns = [part[place].cat for place in places]
        texts = [column.categories.to_numpy()[column.codes.to_numpy()[firsts]] for column in columns]
        groups = [
            self._group(key, start + first)
            for key, first in zip(zip(*texts, strict=True), firsts.tolist(), strict=True)
        ]
        cells = part[self._numbers].to_numpy()
        duration = cells[:, 0].copy()
        if not self._waits:
            cells = np.insert(cells, 1, np.nan, axis=1)
        self._sums.add(groups, which, cells)
        self._place(part, which, groups, duration)

    def _combinations(self, part: pd.DataFrame) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For each line which combination of words it has, counted as they appear, and where each first does."""
        which = np.zeros(len(part), dtype=np.int64)
        for place in self._words:
            if place not in part:
                continue
            column = part[place].cat
            if len(column.categories) > 1:
                which = which * len(column.categories) + column.codes.to_numpy()
                if which.max() >= 1 << 31:
                    which = pd.factorize(which)[0]
        which = pd.factorize(which)[0]
        newest = np.maximum.accumulate(which)
        return which, np.flatnonzero(np.diff(newest, prepend=-1))

    def _group(self, key: tuple[str, ...], line: int) -> Group:
        """The group of a combination of words, of which `line` of the block is an example."""
        found = self._known.get(key)
        if found is None:
            reading = self.reading
            found = reading.launches.group_of(split(self._line(line)), reading.form, reading.origin)
            if len(self._known) < MOST_GROUPS:
                self._known[key] = found
        return found

    def _place(
        self, part: pd.DataFrame, which: NDArray[np.int64], groups: list[Group], duration: NDArray[np.float64]
    ) -> None:
        """Put launches on the time lines of their devices."""
        starts = self._starts(part)
        timed = starts >= 0
        steps = self._codes(part, "step_id")
        if steps is not None:
            codes, names = steps
            found = np.flatnonzero(np.bincount(codes[timed], minlength=len(names)))
            self.reading.saw_steps(names[k] for k in found)
        kinds = np.array([group.kind for group in groups], dtype=np.int64)[which]
        timed &= kinds > 0
        ends = starts + (duration * 1000 + 0.5).astype(np.int64)
        devices = self._codes(part, "device_id") or (np.zeros(len(part), dtype=np.int64), [""])
        streams = self._codes(part, "stream_id") or (np.zeros(len(part), dtype=np.int64), [""])
        for device, name in enumerate(devices[1]):
            here = timed & (devices[0] == device)
            if not here.any():
                continue
            sweep = self.reading.timeline(name)
            assert isinstance(sweep, Sweep)
            stream = np.array([sweep.code(word) for word in streams[1]], dtype=np.int64)[streams[0]]
            label = np.array([sweep.code(group.label) for group in groups], dtype=np.int64)[which]
            sweep.add_many(np.stack((starts, ends, kinds, stream, label))[:, here])

    def _codes(self, part: pd.DataFrame, name: str) -> tuple[NDArray[np.int64], list[str]] | None:
        """Codes of a column and the words they stand for; None when the table has no such column."""
        if name not in self._whose:
            return None
        column = part[self._whose[name]].cat
        return column.codes.to_numpy().astype(np.int64), column.categories.tolist()

    def _starts(self, part: pd.DataFrame) -> NDArray[np.int64]:
        """Start times in ns, -1 where there is none."""
        if self._start is None:
            self.reading.no_start("", len(part))
            return np.full(len(part), -1, dtype=np.int64)
        stamps = _bytes(part[self._start])
        starts, known = _usual(stamps)
        for k in np.flatnonzero(~known).tolist():
            cell = bytes(stamps[k]).rstrip(b"\0").decode(errors="replace")
            found = nanoseconds(cell)
            if found is None:
                self.reading.no_start(cell)
            starts[k] = -1 if found is None else found
        return starts


def _bytes(stamps: pd.Series[Any]) -> NDArray[np.uint8]:
    cells = np.ascontiguousarray(stamps.to_numpy().astype(f"S{STAMP}"))
    return cells.view(np.uint8).reshape(len(cells), STAMP)


def _usual(stamps: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Start times in ns of the cells that have as many digits as the first one, three of them behind the point,
    and nothing but a tab behind those; and which cells these are.
    """
    points = np.flatnonzero(stamps[0] == ord("."))
    point = int(points[0]) if len(points) else 0
    if not 0 < point <= 16:
        return np.zeros(len(stamps), dtype=np.int64), np.zeros(len(stamps), dtype=bool)
    digits = stamps[:, [*range(point), *range(point + 1, point + 4)]] - np.uint8(ord("0"))  # others wrap beyond 9
    after = stamps[:, point + 4]
    known = (digits <= 9).all(axis=1) & (stamps[:, point] == ord(".")) & (stamps[:, point + 5] == 0)
    known &= (after == 0) | (after == ord("\t"))
    starts = np.zeros(len(stamps), dtype=np.int64)
    for k in range(digits.shape[1]):
        starts = starts * 10 + digits[:, k]
    return starts, known & (starts >= 0) & (starts < LATEST)


def _runs(clean: NDArray[np.bool_]) -> Iterator[tuple[int, int, bool]]:
    """Stretches (start, stop, clean) that cover all lines; short clean ones among odd lines count as odd."""
    borders = np.flatnonzero(np.diff(clean)) + 1
    odd_from = 0
    for start, stop in zip([0, *borders.tolist()], [*borders.tolist(), len(clean)], strict=True):
        whole = start == 0 and stop == len(clean)
        if clean[start] and (whole or stop - start >= FEWEST):
            if odd_from < start:
                yield odd_from, start, False
            yield start, stop, True
            odd_from = stop
    if odd_from < len(clean):
        yield odd_from, len(clean), False
