"""Rows of the store as a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kb.report.catalogue import say
from kb.report.page import Block, Page, Para, Table
from kb.report.text import clean, shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kb.store.answers import Answer

CELL = 60  # columns of a cell; the other formats have all of it


def rows_table(found: Answer, heads: Sequence[str] | None = None) -> Table:
    """Rows under their columns, numbers flush right."""
    numeric = {
        at
        for at in range(len(found.columns))
        if (cells := [row[at] for row in found.rows if row[at] is not None])
        and all(isinstance(cell, (int, float)) for cell in cells)
    }
    rows = tuple(tuple(map(cell, row)) for row in found.rows)
    return Table(tuple(heads or map(clean, found.columns)), rows, frozenset(numeric))


def cell(value: Any) -> str:
    """One value as text; absent is empty."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6g}" if abs(value) < 1e15 else repr(value)
    return shorten(clean(value), CELL)


def rows_page(found: Answer, lang: str) -> Page:
    """The answer to a select: how many rows, and the rows."""
    title = say("rows.count", lang, count=len(found.rows)) if found.rows else say("rows.none", lang)
    blocks: tuple[Block, ...] = (rows_table(found),) if found.rows else ()
    if found.cut:
        blocks = (*blocks, Para(say("rows.cut", lang), quiet=True))
    return Page(title, blocks, lang=lang)
