"""Union of intervals in one pass, for starts that come nearly in order."""

from __future__ import annotations

WAITING = 256  # intervals kept back to be put in order


class Union:
    """Length of the union of the intervals added; ask after `finish`.

    Memory is flat. An interval that comes later than `WAITING` others and lies before what was already summed
    adds nothing, so the length can only be too short.
    """

    def __init__(self) -> None:
        self.length = 0.0
        self.first: float | None = None
        self.last: float | None = None
        self.count = 0
        self._reached = float("-inf")
        self._waiting: list[tuple[float, float]] = []

    def add(self, start: float, end: float) -> None:
        """Take one interval; both finite, `end` not before `start`."""
        self.count += 1
        self.first = start if self.first is None or start < self.first else self.first
        self.last = end if self.last is None or end > self.last else self.last
        self._waiting.append((start, end))
        if len(self._waiting) >= 2 * WAITING:
            self._sum(WAITING)

    def finish(self) -> None:
        """Sum what is kept back."""
        self._sum(len(self._waiting))

    def _sum(self, count: int) -> None:
        self._waiting.sort()
        for start, end in self._waiting[:count]:
            if end > self._reached:
                self.length += end - max(start, self._reached)
                self._reached = end
        del self._waiting[:count]
