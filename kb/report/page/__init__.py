"""Pages: what the commands other than advise print, as blocks that become text, Markdown or HTML.

Only the standard library, because `kb search` prints a page too.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading inside a page; `note` stands beside it in a quieter voice."""

    text: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Para:
    """A paragraph; `quiet` for what may be skipped."""

    text: str
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class Items:
    """A list; `ordered` numbers it."""

    items: tuple[str, ...]
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class Fields:
    """Labels with values, aligned."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under headers; columns in `numeric` are set flush right."""

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Code:
    """Lines kept as they are."""

    text: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar from `start` to `end` on the scale of its bars; `tone` is "whole", "worse" or "better"."""

    label: str
    value: str
    start: float
    end: float
    tone: str = "whole"

    def part(self, origin: float, scale: float) -> tuple[float, float]:
        """Where it begins and how long it is, as fractions of the scale from `origin` to `scale`."""
        low, high = sorted((max(origin, self.start), max(origin, self.end)))
        room = scale - origin
        return ((low - origin) / room, (high - low) / room) if room > 0 else (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars under one another on one scale from `origin` to the largest."""

    bars: tuple[Bar, ...]
    origin: float = 0.0

    @property
    def scale(self) -> float:
        """The value at the right end."""
        return max((max(bar.start, bar.end) for bar in self.bars), default=0.0)


Block = Heading | Para | Items | Fields | Table | Bars | Code


@dataclass(frozen=True, slots=True)
class Page:
    """One answer: a title, a quieter note beside it, and blocks."""

    title: str
    blocks: tuple[Block, ...] = ()
    note: str = ""
    lang: str = field(default="en")
