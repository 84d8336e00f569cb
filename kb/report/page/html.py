"""A page as one self-contained HTML file."""

from __future__ import annotations

from collections.abc import Iterator

from kb.report.page import Bar, Bars, Block, Code, Fields, Heading, Items, Page, Para, Table
from kb.report.sheet import esc, sheet
from kb.report.text import clean_lines


def render(page: Page) -> str:
    """The page as HTML; no text in it can become markup."""
    note = f'<p class="quiet">{esc(page.note)}</p>' if page.note else ""
    lines = [f"<h1>{esc(page.title)}</h1>", note, *body(page)]
    return sheet(page.title, "\n".join(line for line in lines if line), lang=page.lang)


def body(page: Page) -> Iterator[str]:
    """The blocks of the page as lines of HTML, without its title."""
    for block in page.blocks:
        yield from _block(block)


def table(
    headers: tuple[str, ...],
    rows: tuple[tuple[str, ...], ...],
    numeric: frozenset[int] = frozenset(),
    *,
    row: str = "<tr>",
) -> Iterator[str]:
    """Lines of an HTML table; the cells and the tag that opens a `row` are HTML already."""
    yield '<div class="wide"><table><thead><tr>'
    yield "".join(f"<th{_number(at, numeric)}>{esc(header)}</th>" for at, header in enumerate(headers))
    yield "</tr></thead><tbody>"
    for cells in rows:
        yield (
            row + "".join(f"<td{_number(at, numeric)}>{cell}</td>" for at, cell in enumerate(cells)) + "</tr>"
        )
    yield "</tbody></table></div>"


def _number(at: int, numeric: frozenset[int]) -> str:
    return ' class="number"' if at in numeric else ""


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Heading):
        note = f' <small class="quiet">{esc(block.note)}</small>' if block.note else ""
        yield f"<h2>{esc(block.text)}{note}</h2>"
    elif isinstance(block, Para):
        yield f"<p{' class=quiet' if block.quiet else ''}>{esc(block.text)}</p>"
    elif isinstance(block, Items):
        tag = "ol" if block.ordered else "ul"
        yield f"<{tag}>" + "".join(f"<li>{esc(item)}</li>" for item in block.items) + f"</{tag}>"
    elif isinstance(block, Fields):
        pairs = ((label, value) for label, value in block.pairs if value)
        yield (
            "<dl>"
            + "".join(f"<dt>{esc(label)}</dt><dd>{esc(value)}</dd>" for label, value in pairs)
            + "</dl>"
        )
    elif isinstance(block, Table):
        rows = tuple(tuple(esc(cell) for cell in row) for row in block.rows)
        yield from table(block.headers, rows, block.numeric)
    elif isinstance(block, Bars):
        rows = tuple(_bar(bar, block) for bar in block.bars)
        yield from table(("", "", ""), rows, frozenset({1}))
    elif isinstance(block, Code):
        yield (
            "<pre><code>"
            + "\n".join(esc(line, keep_blanks=True) for line in clean_lines(block.text))
            + "</code></pre>"
        )


def _bar(bar: Bar, of: Bars) -> tuple[str, ...]:
    start, length = bar.part(of.origin, of.scale)
    place = f"margin-left:{start * 100:.2f}%;width:{max(length * 100, 0.3):.2f}%"
    tone = bar.tone if bar.tone in ("worse", "better") else "whole"
    return (
        esc(bar.label),
        esc(bar.value),
        f'<span class="step"><i class="{tone}" style="{place}"></i></span>',
    )
