"""Where the time of one device went: union of kernel intervals per kind, gaps, and which operator follows
which.

One pass, flat memory. Rows come nearly sorted by start; a buffer of `BUFFER` rows puts them in order, so a
file of up to that many rows is always exact. A row that arrives later than the buffer can mend counts in
`late`.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter

from kb.engine.readers.strip import PAUSE_NS, Gathered

# bits: kernels, collectives, rows that repeat a collective on another engine
COMPUTE, COMMUNICATION, TWIN = 1, 2, 4

BUFFER = 1 << 14
MOST_PAIRS = 4_096
LATEST = (
    8 * 10**18
)  # ns; later ones (the year 2223) are no times, and would not fit 64 bits with a duration added

Interval = tuple[int, int, int, str, str]  # start ns, end ns, kind bit, stream, operator type


def nanoseconds(cell: str) -> int | None:
    """A microsecond time stamp as integer nanoseconds; None when there is none.

    Sixteen digits before the point do not fit a float, so the digits are taken as text. Blanks and the tab
    that exports append are ignored; more than three decimals are cut.
    """
    if cell[-5:-4] == "." and cell[-1:] == "\t" and len(cell) < 26:  # the usual form, worth a short cut
        digits = cell[:-5] + cell[-4:-1]
        if digits.isdecimal():
            found = int(digits)
            return found if found < LATEST else None
    text = cell.strip(' \t\r"')
    whole, _, part = text.partition(".")
    if not whole.isdecimal() or len(whole) > 19 or (part and not part.isdecimal()):
        return None
    found = int(whole) * 1000 + int((part + "000")[:3])
    return found if found < LATEST else None


class Timeline:
    """Accumulates intervals of one device. `add` each, then `finish`; after that the totals are valid.

    `by_mask[m]` is the time in ns in which exactly the kinds of mask m were running; index 0 is idle time.
    `gaps` counts stretches of at least a microsecond before a kernel or collective in which none ran (twins
    aside).
    """

    def __init__(self) -> None:
        self.by_mask = [0] * 8
        self.gaps = 0
        self.late = 0
        self.strip = self.new_strip()
        self.first: int | None = None
        self._now = 0
        self._paused = 0
        self._ends = [0, 0, 0]
        self._buffer: list[Interval] = []
        self._last: dict[str, str] = {}
        self._pairs: dict[tuple[str, str], list[int]] = {}

    def new_strip(self) -> Gathered:
        """Where what ran when is gathered."""
        return Gathered()

    def add(self, interval: Interval) -> None:
        """Take one interval (start, end, kind bit, stream, operator type)."""
        self._buffer.append(interval)
        if len(self._buffer) >= BUFFER:
            self._flush(BUFFER // 2)

    def finish(self) -> None:
        """Process what is still buffered."""
        self._flush(len(self._buffer))
        self._advance(max(self._ends))

    @property
    def span_ns(self) -> int:
        """Time from the first start to the last end."""
        return sum(self.by_mask)

    def time_ns(self, kinds: int, without: int = 0) -> int:
        """Time in which at least one of `kinds` was running and none of `without`."""
        return sum(t for mask, t in enumerate(self.by_mask) if mask & kinds and not mask & without)

    def follows(self) -> Iterator[tuple[str, str, int, int]]:
        """(before, after, count, ns spent in the second) per pair of operator types on one stream."""
        for (before, after), (count, spent) in self._pairs.items():
            yield before, after, count, spent

    def _flush(self, count: int) -> None:
        self._buffer.sort(key=itemgetter(0))
        ready = self._buffer[:count]
        del self._buffer[:count]
        if ready and self.first is None:
            self.first = self._now = ready[0][0]
            self._ends = [self._now] * 3
        self.strip.take(ready)
        ends, last, follow = self._ends, self._last, self._follow
        for start, end, kind, stream, name in ready:
            if start > self._now:
                self._advance(start)
            elif start < self._now:
                self.late += 1
            place = kind >> 1  # bits 1, 2, 4 to places 0, 1, 2
            if end > ends[place]:  # noqa: PLR1730 - max() would double the cost of this loop
                ends[place] = end
            if kind != TWIN:
                before = last.get(stream)
                if before is not None:
                    follow(before, name, end - start)
                if before is not name:
                    last[stream] = name

    def _advance(self, to: int) -> None:
        """Account for the time up to `to`, in stretches within which the same kinds run."""
        compute, communication, twin = self._ends
        now = self._now
        if communication <= now and twin <= now:
            # kernels alone, the usual case: one stretch of work, one of rest
            busy = min(compute, to)
            if busy > now:
                self._work(COMPUTE, busy - now)
                now = busy
            self.by_mask[0] += to - now
            self._paused += to - now
            self._now = to
            return
        while now < to:
            mask, until = 0, to
            if compute > now:
                mask, until = COMPUTE, min(until, compute)
            if communication > now:
                mask, until = mask | COMMUNICATION, min(until, communication)
            if twin > now:
                mask, until = mask | TWIN, min(until, twin)
            if mask & (COMPUTE | COMMUNICATION):
                self._work(mask, until - now)
            else:
                self.by_mask[mask] += until - now
                self._paused += until - now
            now = until
        self._now = now

    def _work(self, mask: int, spent: int) -> None:
        self.by_mask[mask] += spent
        if self._paused >= PAUSE_NS:
            self.gaps += 1
        self._paused = 0

    def _follow(self, before: str, name: str, spent: int) -> None:
        found = self._pairs.get((before, name))
        if found is not None:
            found[0] += 1
            found[1] += spent
        elif len(self._pairs) < MOST_PAIRS:
            self._pairs[(before, name)] = [1, spent]
