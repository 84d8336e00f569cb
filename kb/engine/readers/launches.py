"""Launches of a job export, gathered into groups of equal ones while the lines stream by.

A group is one (type, core, shapes, dtypes, formats, blocks). Its counters wait as text and are summed column
by column; memory depends on the number of groups, not of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import isfinite
from os.path import commonprefix

from kb.addition import plain_sum
from kb.engine.readers import tasks
from kb.engine.readers.columns import LARGEST, LONGEST_US, counter, missing, number
from kb.engine.readers.layout import Layout
from kb.engine.readers.rows import Rows, split
from kb.engine.readers.steps import Steps
from kb.engine.readers.timeline import COMMUNICATION, COMPUTE, TWIN, Timeline, nanoseconds
from kb.engine.readers.words import clean

WAITING = 1 << 13  # rows of which the counters wait to be summed, over all groups
MOST_GROUPS = 20_000  # told apart while reading
MOST_OPERATORS = 1_000  # kept apart in the end: those with the most time
MOST_TYPES = 2_000  # types that the others are told apart by

SUM_DIGITS = 6  # kept of a sum: a thousand times finer than what exports write

_PEEK = 48  # characters of a line's middle zone that usually tell its group
_CROWD = 8  # groups with one such beginning, beyond which the middle is cut out exactly
_ABSENT = frozenset(("N/A", "NA", ""))


@dataclass
class Totals:
    """Number, sum and extremes of some times in microseconds."""

    count: int = 0
    total: float = 0.0
    low: float = float("inf")
    high: float = float("-inf")

    def settle(self) -> None:
        """Drop the digits that depend on the order of addition."""
        self.total = round(self.total, SUM_DIGITS)

    def add(self, other: Totals) -> None:
        """Take in the times that `other` stands for."""
        self.count += other.count
        self.total += other.total
        self.low = min(self.low, other.low)
        self.high = max(self.high, other.high)


def _totals(values: Sequence[float]) -> Totals:
    return Totals(len(values), plain_sum(values), min(values), max(values)) if values else Totals()


@dataclass
class Group:
    """Equal launches: the first row stands for all, sums for the numbers."""

    layout: Layout
    first: list[str]
    label: str
    origin: str
    kind: int
    folded: bool
    sums: list[float]
    counts: list[int]
    name: str = ""  # the first by alphabet among the launches, so that the order of rows does not show
    time: Totals = field(default_factory=Totals)
    wait: Totals = field(default_factory=Totals)
    durations: list[float] = field(default_factory=list)
    wait_cells: list[str] = field(default_factory=list)
    tails: list[str] = field(default_factory=list)
    damaged: set[str] = field(default_factory=set)  # counters with cells that no device writes

    @property
    def count(self) -> int:
        """Number of launches."""
        return self.time.count

    @property
    def total_us(self) -> float:
        """Time of all launches."""
        return self.time.total

    def cell(self, name: str) -> str:
        """The first row's cell of a column, empty when the header has no such column."""
        place = self.layout.at.get(name)
        return self.first[place] if place is not None else ""

    def add(self, time: Totals, wait: Totals, sums: Sequence[float], counts: Sequence[int]) -> None:
        """Take in launches that were summed elsewhere."""
        self.time.add(time)
        self.wait.add(wait)
        self.sums = [one + other for one, other in zip(self.sums, sums, strict=True)]
        self.counts = [one + other for one, other in zip(self.counts, counts, strict=True)]

    def flush(self) -> None:
        """Add what waits to the sums."""
        if not self.durations:
            return
        self.time.add(_totals(self.durations))
        self.wait.add(_totals(_numbers(self.wait_cells)))
        if self.layout.counters:
            self._add_counters()
        self.durations.clear()
        self.wait_cells.clear()
        self.tails.clear()

    def settle(self) -> None:
        """Drop what the order of addition leaves in the last digits of the sums: equal launches in any order are equal."""
        self.time.settle()
        self.wait.settle()
        self.sums = [round(one, SUM_DIGITS) for one in self.sums]

    def _add_counters(self) -> None:
        """Sum the waiting tails.

        All have the same number of cells, so column k is every n-th cell of all of them in a row. The cells
        they begin with are often equal in all (a vector kernel has zeros for the cube core): those are not
        taken apart. What the least and the greatest string begin with, all do.
        """
        tails, n = self.tails, len(self.tails)
        same = commonprefix((min(tails), max(tails)))  # noqa: RUF071 - of strings, that is what is wanted
        fixed = same.count(",")
        head = same.rsplit(",", 1)[0].split(",") if fixed else []
        cut = same.rfind(",") + 1
        cells = ",".join([tail[cut:] for tail in tails]).split(",")
        step = self.layout.span - fixed
        first = self.layout.width - self.layout.span
        for k, (name, place) in enumerate(self.layout.counters):
            column = place - first
            given = head[column : column + 1] if column < fixed else cells[column - fixed :: step]
            if column < fixed:
                value = counter(head[column])
                total, count = (0.0, 0) if value is None else (value * n, n)
            else:
                total, count = _sum(given)
            self.sums[k] += total
            self.counts[k] += count
            if count < n and any(counter(cell) is None and not missing(cell) for cell in set(given)):
                self.damaged.add(name)


def _sum(cells: Sequence[str]) -> tuple[float, int]:
    """Sum and number of the numeric cells of a column."""
    first = cells[0]
    if cells.count(first) == len(cells):
        value = counter(first)
        return (0.0, 0) if value is None else (value * len(cells), len(cells))
    values = _numbers(cells)
    return plain_sum(values), len(values)


def _numbers(cells: Sequence[str]) -> list[float]:
    """The readings among cells; all at once where none is missing."""
    try:
        values = list(map(float, cells))
    except ValueError:
        values = []
    # what Python takes for a number and a file does not mean: 1_0, nan, inf
    if (
        not values
        or min(values) < 0
        or max(values) >= LARGEST
        or not isfinite(plain_sum(values))
        or "_" in "".join(cells)
    ):
        values = [value for value in map(counter, cells) if value is not None]
    return values


@dataclass
class TableResult:
    """What became of the rows of one file; line numbers are of the first such row."""

    rows: int = 0  # used
    cut: bool = False  # the last row was cut off
    blank: int = 0
    ragged: int = 0
    ragged_line: int | None = None
    bad: int = 0
    bad_line: int | None = None
    bad_cell: str = ""  # what stands in place of the first one's duration
    untimed: int = 0
    mangled: int = 0  # time stamps in scientific notation
    steps: Steps = field(default_factory=Steps)

    @property
    def lost(self) -> int:
        """Rows that could not be used."""
        return self.bad + self.cut


class Launches:
    """All groups of a run, over one or several tables."""

    def __init__(self, new_timeline: Callable[[], Timeline] = Timeline) -> None:
        self.new_timeline = new_timeline
        self.groups: dict[tuple[str, ...], Group] = {}
        self.timelines: dict[tuple[str, str], Timeline] = {}  # by rank and device
        self.overflow = 0  # launches that were counted by type only
        self.overflow_us = 0.0
        self._types: set[tuple[str, str]] = set()
        self._labels: dict[str, str] = {}

    def finish(self) -> None:
        """Sum what still waits and close the timelines."""
        self.flush()
        for group in self.groups.values():
            group.settle()
        for timeline in self.timelines.values():
            timeline.finish()

    def flush(self) -> None:
        """Sum the waiting counters of all groups."""
        for group in self.groups.values():
            group.flush()

    def group_of(self, row: list[str], form: Layout, origin: str) -> Group:
        """The group of a whole row, a new one when it is the first of its kind."""
        name = row[form.at["op_name"]].strip('"')
        type_cell = row[form.at["op_type"]] if "op_type" in form.at else ""
        label = self.label(name) if missing(type_cell) else clean(type_cell)
        worked = form.worked(row[: form.width]) if missing(row[form.at_task]) else ()
        key: tuple[str, ...] = (label, *form.identity(row), *worked, *form.header)
        found = self.groups.get(key)
        if found is not None:
            return found
        folded = len(self.groups) >= MOST_GROUPS
        if folded:
            key = self._folded(label, row[form.at["task_type"]], form)
            found = self.groups.get(key)
            if found is not None:
                return found
        found = self.groups[key] = self._new(row, form, label, name, origin, folded)
        return found

    def kept(self) -> list[Group]:
        """The groups, at most `MOST_OPERATORS` and one for each type that the rarest ones are folded into."""
        groups = [group for group in self.groups.values() if group.count]
        apart = by_total(group for group in groups if not group.folded)
        out = {key: group for key, group in self.groups.items() if group.folded and group.count}
        for group in apart[MOST_OPERATORS:]:
            form = group.layout
            key = self._folded(group.label, group.cell("task_type"), form)
            whole = out.get(key)
            if whole is None:
                whole = out[key] = self._new(group.first, form, group.label, group.name, group.origin, True)
            whole.add(group.time, group.wait, group.sums, group.counts)
            whole.name = min(whole.name, group.name)
        self.overflow = sum(group.count for group in out.values())
        self.overflow_us = plain_sum(group.total_us for group in out.values())
        return [*apart[:MOST_OPERATORS], *out.values()]

    def _folded(self, label: str, task: str, form: Layout) -> tuple[str, ...]:
        """The key of the group for what cannot be told apart but by type."""
        if len(self._types) >= MOST_TYPES and (label, task) not in self._types:
            label = "more than can be told apart"
        self._types.add((label, task))
        return ("", label, task, *form.header)

    def _new(self, row: list[str], form: Layout, label: str, name: str, origin: str, folded: bool) -> Group:
        kind = _kind(row[form.at_task], name, label)
        size = len(form.counters)
        return Group(form, row, label, origin, kind, folded, [0.0] * size, [0] * size, name)

    def label(self, name: str) -> str:
        """What stands for a missing type: the type the kernel name spells out, else the name."""
        found = self._labels.get(name)
        if found is None:
            found = tasks.type_from_name(name) or clean(name)
            if len(self._labels) < MOST_GROUPS:
                self._labels[name] = found
        return found


class Reading:
    """One pass over one table, line by line; `origin` names the file in measures, `rank` the rank its times belong
    to.
    """

    def __init__(self, launches: Launches, form: Layout, origin: str, rank: str) -> None:
        self.launches = launches
        self.form = form
        self.origin = origin
        self.rank = rank
        self.result = TableResult()
        self._quick: dict[tuple[str, ...], list[tuple[str, int, Group]]] = {}
        self._timelines: dict[str, Timeline] = {}
        # a column the header lacks reads as the extra empty cell that every row is given at the end
        self._start, self._device, self._stream, self._step, self._wait = (
            form.at.get(name, -1) for name in ("start_us", "device_id", "stream_id", "step_id", "wait_us")
        )

    def run(self, rows: Rows) -> TableResult:
        """Read to the end of the file."""
        line = 1
        for line, text in enumerate(rows.lines(), 2):
            self.take(text, line, rows.unfinished)
        return self.finish(line - 1)

    def take(self, text: str, line: int, unfinished: bool) -> None:
        """Take one line; `unfinished` says that it is the last one and has no line break."""
        if not self._quickly(text):
            self._carefully(text, line, unfinished)
        if not line % WAITING:
            self.launches.flush()

    def finish(self, lines: int) -> TableResult:
        """Sum what waits; `lines` were taken in all."""
        self.launches.flush()
        self.result.rows = lines - self.result.lost - self.result.blank
        return self.result

    def _quickly(self, text: str) -> bool:
        """Take a line by cutting it at the borders of its zones; False when it must be taken apart
        with care.
        """
        form = self.form
        front = form.front
        cells = text.split(",", front)
        if len(cells) <= front or not front:
            return False
        rest = cells[front]
        if text.find('"', 0, len(text) - len(rest)) >= 0:
            return False  # cut at commas that may be quoted
        key: tuple[str, ...] = (cells[form.at_type], cells[form.at_task], rest[:_PEEK])
        if key[0] in _ABSENT:
            key = (*key, cells[form.at_name])
        if key[1] in _ABSENT and form.working:
            key = (*key, *form.worked(rest.split(",")))
        found = None
        for middle, length, group in self._quick.get(key, ()):
            if rest.startswith(middle) and rest.count(",", length) == form.tail_commas:
                found = length, group
                break
        found = found or self._learn(text, cells, key)
        if found is None:
            return False
        length, group = found
        try:
            duration = float(cells[form.at_duration])
        except ValueError:
            return False
        if not 0 <= duration < LONGEST_US or "_" in cells[form.at_duration]:
            return False
        cells[front] = ""  # stands for the columns that the header lacks
        name = cells[form.at_name]
        group.name = min(group.name, name)
        group.durations.append(duration)
        group.wait_cells.append(cells[self._wait])
        group.tails.append(rest[length:])
        self._place(group, cells, duration)
        return True

    def _place(self, group: Group, cells: list[str], duration: float) -> None:
        """Put a launch on the time line of its device."""
        start = nanoseconds(cells[self._start])
        if start is None:
            self.no_start(cells[self._start])
            return
        end = start + int(duration * 1000 + 0.5)
        if self._step >= 0:
            self.result.steps.saw(cells[self._step], start, end)
        if group.kind:
            device = cells[self._device]
            timeline = self._timelines.get(device) or self.timeline(device)
            timeline.add((start, end, group.kind, cells[self._stream], group.label))

    def _learn(self, text: str, cells: list[str], key: tuple[str, ...]) -> tuple[int, Group] | None:
        """Group of a line whose middle was not seen yet; None when its cells do not lie where they should."""
        front, tail = self.form.front, self.form.tail
        pieces = cells[front].rsplit(",", tail) if tail else [cells[front]]
        row = split(text)
        whole = len(row) == self.form.width and len(pieces) == tail + 1
        # cells split by comma alone must be the cells the csv rules give, else a quoted comma moved them
        if not whole or row[:front] != cells[:front]:
            return None
        if tail and row[-tail:] != pieces[1:]:
            return None
        middle = pieces[0] + "," if tail else pieces[0]
        group = self.launches.group_of(row, self.form, self.origin)
        known = self._quick.setdefault(key, [])
        if len(known) < _CROWD and len(self._quick) < MOST_GROUPS:
            known.append((middle, len(middle), group))
        return len(middle), group

    def timeline(self, device: str) -> Timeline:
        """The time line of a device."""
        timeline = self.launches.timelines.get((self.rank, device))
        if timeline is None:
            timeline = self.launches.timelines[self.rank, device] = self.launches.new_timeline()
        self._timelines[device] = timeline
        return timeline

    def _carefully(self, text: str, line: int, unfinished: bool) -> None:
        """Take a line apart by the csv rules: quotes in odd places, too many or too few cells, or no number.

        `unfinished` says that this is the last line and has no line break: short of cells it was cut off.
        """
        if not text:
            self.result.blank += 1
            return
        row = split(text)
        form, width = self.form, self.form.width
        if unfinished and len(row) < width:
            self.result.cut = True
            return
        needed = max(form.at_name, form.at_task, form.at_duration)
        duration = number(row[form.at_duration]) if len(row) > needed else None
        if duration is None or not 0 <= duration < LONGEST_US:
            self.result.bad += 1
            if self.result.bad_line is None:
                self.result.bad_line = line
                self.result.bad_cell = row[form.at_duration] if len(row) > form.at_duration else ""
            return
        if len(row) != width:
            # what lies before the fault is used, the rest is absent
            self.result.ragged += 1
            self.result.ragged_line = self.result.ragged_line or line
            row = (row + [""] * width)[:width]
        row.append("")
        group = self.launches.group_of(row, form, self.origin)
        group.name = min(group.name, row[form.at_name].strip('"'))
        group.durations.append(duration)
        group.wait_cells.append(row[self._wait])
        group.tails.append(",".join(cell.replace(",", " ") for cell in row[width - form.span : width]))
        self._place(group, row, duration)

    def no_start(self, cell: str, rows: int = 1) -> None:
        """Count rows without a usable start time."""
        self.result.untimed += rows
        if "E+" in cell.upper():
            self.result.mangled += rows


def _kind(task: str, name: str, label: str) -> int:
    """Which bit of the timeline a group's intervals set; 0 for a task that is no work of the device."""
    if tasks.is_twin(task, name, label):
        return TWIN
    core = tasks.core_of(task, name, (), prefixed=False, split_chip=False)
    if core == "communication":
        return COMMUNICATION
    return 0 if core == "other" else COMPUTE


def by_total(groups: Iterable[Group]) -> list[Group]:
    """Groups by falling total time; equal ones (to the nanosecond: sums of floats depend on their order) by label
    and name, so that the order never depends on the file.
    """
    return sorted(groups, key=lambda group: (-round(group.total_us, 3), group.label, group.name))
