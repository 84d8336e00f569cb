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


Block = Heading | Para | Items | Fields | Table | Code


@dataclass(frozen=True, slots=True)
class Page:
    """One answer: a title, a quieter note beside it, and blocks."""

    title: str
    blocks: tuple[Block, ...] = ()
    note: str = ""
    lang: str = field(default="en")
