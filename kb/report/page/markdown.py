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
    for block in page.blocks:
        lines += ["", *_block(block)]
    return "\n".join(lines)


def table(
    headers: tuple[str, ...], rows: tuple[tuple[str, ...], ...], numeric: frozenset[int] = frozenset()
) -> Iterator[str]:
    """Lines of a Markdown table; the cells are Markdown already."""
    yield "| " + " | ".join(headers) + " |"
    yield "| " + " | ".join("---:" if at in numeric else "---" for at in range(len(headers))) + " |"
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Heading):
        yield f"## {md(block.text)}" + (f" ({md(block.note)})" if block.note else "")
    elif isinstance(block, Para):
        yield md(block.text, starts_line=True)
    elif isinstance(block, Items):
        for number, item in enumerate(block.items, 1):
            yield f"{f'{number}.' if block.ordered else '-'} {md(item, starts_line=True)}"
    elif isinstance(block, Fields):
        yield from (f"- {md(label)}: {md(value)}" for label, value in block.pairs if value)
    elif isinstance(block, Table):
        rows = tuple(tuple(md(cell) for cell in row) for row in block.rows)
        yield from table(tuple(md(header) for header in block.headers), rows, block.numeric)
    elif isinstance(block, Bars):
        rows = tuple(_bar(bar, block) for bar in block.bars)
        yield from table(("", "", ""), rows, frozenset({1}))
    elif isinstance(block, Code):
        yield from md_fence(block.text, block.language)


def _bar(bar: Bar, of: Bars) -> tuple[str, ...]:
    """A bar as a row; what is empty is drawn as points, since blanks would be lost."""
    start, drawn = drawn_bar(bar, of, ROOM)
    return md(bar.label), md(bar.value), md_code("·" * start + drawn)
