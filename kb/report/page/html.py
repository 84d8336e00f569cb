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
    for part in page.blocks:
        yield from block(part)


def table(
    headers: tuple[str, ...],
    rows: tuple[tuple[str, ...], ...],
    numeric: frozenset[int] = frozenset(),
    *,
    row: str = "<tr>",
    named: bool = False,
) -> Iterator[str]:
    """Lines of an HTML table; the cells and the tag that opens a `row` are HTML already. `named` cells carry their heads."""
    heads = [f' data-head="{esc(header)}"' if named and header else "" for header in headers]
    yield '<div class="wide"><table><thead><tr>'
    yield "".join(f"<th{_number(at, numeric)}>{esc(header)}</th>" for at, header in enumerate(headers))
    yield "</tr></thead><tbody>"
    for cells in rows:
        yield (
            row
            + "".join(f"<td{_number(at, numeric)}{heads[at]}>{cell}</td>" for at, cell in enumerate(cells))
            + "</tr>"
        )
    yield "</tbody></table></div>"


def _number(at: int, numeric: frozenset[int]) -> str:
    return ' class="number"' if at in numeric else ""


def block(given: Block) -> Iterator[str]:
    """Lines of one block as HTML."""
    if isinstance(given, Heading):
        note = f' <small class="quiet">{esc(given.note)}</small>' if given.note else ""
        yield f"<h2>{esc(given.text)}{note}</h2>"
    elif isinstance(given, Para):
        yield f"<p{' class=quiet' if given.quiet else ''}>{esc(given.text)}</p>"
    elif isinstance(given, Items):
        tag = "ol" if given.ordered else "ul"
        yield f"<{tag}>" + "".join(f"<li>{esc(item)}</li>" for item in given.items) + f"</{tag}>"
    elif isinstance(given, Fields):
        pairs = ((label, value) for label, value in given.pairs if value)
        yield (
            "<dl>"
            + "".join(f"<dt>{esc(label)}</dt><dd>{esc(value)}</dd>" for label, value in pairs)
            + "</dl>"
        )
    elif isinstance(given, Table):
        rows = tuple(tuple(esc(cell) for cell in row) for row in given.rows)
        wordy = len(given.headers) > 3 and len(given.numeric) * 2 < len(given.headers)
        lines = table(given.headers, rows, given.numeric, named=wordy)
        yield from ('<div class="stack">', *lines, "</div>") if wordy else lines
    elif isinstance(given, Bars):
        rows = tuple(_bar(bar, given) for bar in given.bars)
        yield from table(("", "", ""), rows, frozenset({1}))
    elif isinstance(given, Code):
        yield (
            "<pre><code>"
            + "\n".join(esc(line, keep_blanks=True) for line in clean_lines(given.text))
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
