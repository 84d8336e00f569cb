"""What ran when on one device, gathered in flat memory: parts of the time line that double in length when it outgrows
them, and the longest pauses.

Takes the intervals of a `Timeline` in order of start; one that comes late counts where it lies.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heappush, heappushpop

from kb.model import Lane, Pause, Strip

PARTS = 160  # of a time line at most
FINEST_NS = 64
PAUSE_NS = 1_000  # shorter ones are the device's own scheduling between back-to-back kernels
LONGEST = 8  # pauses told by name
MOST_LANES = 32  # told apart while reading
MOST_COUNTED = 1_000  # further ones that are counted
SHOWN_LANES = 6
SHOWN_STRIPS = 6

Row = tuple[list[int], list[int]]  # ns of kernels, ns of collectives, by part


class Gathered:
    """The strip of one device while its intervals come in."""

    def __init__(self) -> None:
        self.width = FINEST_NS
        self.first: int | None = None
        self.last = 0
        self.lanes: dict[str, Row] = {}
        self.pause_count = 0
        self.paused = 0
        self._others: set[str] = set()
        self._ended = ""  # type of the operator that ended last
        self._longest: list[tuple[int, int, str, str]] = []  # length, minus start, after, before

    def take(self, ready: Iterable[tuple[int, int, int, str, str]]) -> None:
        """Take intervals (start, end, kind bit, stream, operator type) in order of start."""
        for start, end, kind, stream, name in ready:
            if self.first is None:
                self.first = self.last = start
            if start - self.last >= PAUSE_NS:
                self.pause(self.last, start, self._ended, name)
            if end > self.last:
                self.last, self._ended = end, name
            row = self.lanes.get(stream) or self._lane(stream)
            if row is not None:
                self._fill(row[kind != 1], max(start - self.first, 0), max(end - self.first, 0))

    def pause(self, start: int, end: int, after: str, before: str) -> None:
        """Count a pause; the longest are kept, of equal ones the first."""
        self.pause_count += 1
        self.paused += end - start
        item = (end - start, -start, after, before)
        if len(self._longest) < LONGEST:
            heappush(self._longest, item)
        else:
            heappushpop(self._longest, item)

    def _lane(self, stream: str) -> Row | None:
        if len(self.lanes) >= MOST_LANES:
            if len(self._others) < MOST_COUNTED:
                self._others.add(stream)
            return None
        return self.lanes.setdefault(stream, ([0] * PARTS, [0] * PARTS))

    def _fill(self, row: list[int], start: int, end: int) -> None:
        while end > self.width * PARTS:
            self._coarser()
        width = self.width
        at, until = min(start // width, PARTS - 1), min(end // width, PARTS - 1)
        if at == until:
            row[at] += end - start
            return
        row[at] += (at + 1) * width - start
        for between in range(at + 1, until):
            row[between] += width
        row[until] += end - until * width

    def _coarser(self) -> None:
        self.width *= 2
        half = [0] * (PARTS // 2)
        for row in self.lanes.values():
            for side in row:
                side[:] = [one + other for one, other in zip(side[::2], side[1::2], strict=True)] + half

    def strip(self, rank: str, device: str) -> Strip | None:
        """What was gathered; None without an interval that has a length."""
        if self.first is None or self.last <= self.first:
            return None
        span = self.last - self.first
        parts = -(-span // self.width)
        by_work = sorted(self.lanes.items(), key=lambda item: (-sum(map(sum, item[1])), item[0]))
        pauses = sorted(self._longest, key=lambda item: -item[1])
        return Strip(
            rank,
            device,
            span / 1000,
            self.width / 1000,
            tuple(
                Lane(stream, *(self._percent(side[:parts], span) for side in row))
                for stream, row in by_work[:SHOWN_LANES]
            ),
            tuple(
                Pause((-start - self.first) / 1000, length / 1000, after, before)
                for length, start, after, before in pauses
            ),
            self.pause_count,
            self.paused / 1000,
            max(len(by_work) - SHOWN_LANES, 0) + len(self._others),
        )

    def _percent(self, spent: Sequence[int], span: int) -> tuple[int, ...]:
        """Percent of each part; what is not nothing is at least 1."""
        if not any(spent):
            return ()
        last = span - (len(spent) - 1) * self.width
        lengths = [self.width] * (len(spent) - 1) + [last]
        return tuple(
            min(max(round(100 * part / length), int(part > 0)), 100)
            for part, length in zip(spent, lengths, strict=True)
        )


def strips(found: Iterable[tuple[str, str, Gathered]]) -> tuple[Strip, ...]:
    """The strips of (rank, device): of many devices those that pause longest, in the order that they came in."""
    return most_paused(
        [strip for rank, device, one in found if (strip := one.strip(rank, device)) is not None]
    )


def most_paused(made: Sequence[Strip]) -> tuple[Strip, ...]:
    """Those that are shown of many strips: the devices that pause longest, in the order given."""
    chosen = sorted(range(len(made)), key=lambda at: (-made[at].paused_us, at))[:SHOWN_STRIPS]
    return tuple(made[at] for at in sorted(chosen))
