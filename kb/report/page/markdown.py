"""A page as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from kb.report.escape import md, md_code, md_fence
from kb.report.page import Bar, Bars, Block, Code, Fields, Heading, Items, Page, Para, Table
from kb.report.page.text import drawn_bar

ROOM = 40  # signs of a bar


def render(page: Page) -> str:
    """The page as Markdown; no text in it can become markup."""
    lines = [f"# {md(page.title)}"]
    if page.note:
        lines += ["", md(page.note, starts_line=True)]
    for part in page.blocks:
        lines += ["", *block(part)]
    return "\n".join(lines)


def table(
    headers: tuple[str, ...], rows: tuple[tuple[str, ...], ...], numeric: frozenset[int] = frozenset()
) -> Iterator[str]:
    """Lines of a Markdown table; the cells are Markdown already."""
    yield "| " + " | ".join(headers) + " |"
    yield "| " + " | ".join("---:" if at in numeric else "---" for at in range(len(headers))) + " |"
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def block(given: Block) -> Iterator[str]:
    """Lines of one block as Markdown."""
    if isinstance(given, Heading):
        yield f"## {md(given.text)}" + (f" ({md(given.note)})" if given.note else "")
    elif isinstance(given, Para):
        yield md(given.text, starts_line=True)
    elif isinstance(given, Items):
        for number, item in enumerate(given.items, 1):
            yield f"{f'{number}.' if given.ordered else '-'} {md(item, starts_line=True)}"
    elif isinstance(given, Fields):
        yield from (f"- {md(label, starts_line=True)}: {md(value)}" for label, value in given.pairs if value)
    elif isinstance(given, Table):
        rows = tuple(tuple(md(cell) for cell in row) for row in given.rows)
        yield from table(tuple(md(header) for header in given.headers), rows, given.numeric)
    elif isinstance(given, Bars):
        rows = tuple(_bar(bar, given) for bar in given.bars)
        yield from table(("", "", ""), rows, frozenset({1}))
    elif isinstance(given, Code):
        yield from md_fence(given.text, given.language)


def _bar(bar: Bar, of: Bars) -> tuple[str, ...]:
    """A bar as a row; what is empty is drawn as points, since blanks would be lost."""
    start, drawn = drawn_bar(bar, of, ROOM)
    return md(bar.label), md(bar.value), md_code("·" * start + drawn)
