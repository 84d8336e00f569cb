"""A page as text for a terminal or a pipe, no wider than asked; everything is cleaned on the way out."""

from __future__ import annotations

from collections.abc import Iterator

from kb.report.columns import GAP, lay_out, too_narrow
from kb.report.page import Bar, Bars, Block, Fields, Heading, Items, Page, Para, Table
from kb.report.text import clean, clean_lines, pad, shorten, width_of, wrap

BOLD, DIM, BLUE = "1", "2", "1;36"
TONES = {"worse": "31", "better": "32"}
PROSE = 100  # columns; longer lines are hard to read
LABEL = 24  # columns that the label of a field may take


def render(page: Page, *, width: int, color: bool) -> str:
    """The page as text; `color` adds bold, dim and one colour, nothing that carries meaning alone."""
    return "\n".join(line.rstrip() for line in _lines(page, width, color))


def paint(text: str, style: str, color: bool) -> str:
    """`text` in an ANSI style when `color` is on."""
    return f"\x1b[{style}m{text}\x1b[0m" if color and text else text


def _lines(page: Page, width: int, color: bool) -> Iterator[str]:
    yield from _titled(page.title, page.note, BOLD, width, color)
    before: Block | None = None
    for part in page.blocks:
        aside = isinstance(part, Para) and part.quiet and isinstance(before, Para)
        if not isinstance(before, Heading) and not aside:
            yield ""
        yield from block(part, width, color)
        before = part


def _titled(title: str, note: str, style: str, width: int, color: bool) -> Iterator[str]:
    """A title with its note behind it, or below where the line is too short for both."""
    title, note = clean(title), clean(note)
    if note and width_of(title) + GAP + width_of(note) <= width:
        yield paint(title, style, color) + " " * GAP + paint(note, DIM, color)
        return
    yield from (paint(line, style, color) for line in wrap(title, width))
    if note:
        yield from (paint(line, DIM, color) for line in wrap(note, width))


def block(given: Block, width: int, color: bool) -> Iterator[str]:
    """Lines of one block as text."""
    prose = min(width, PROSE)
    if isinstance(given, Heading):
        yield from _titled(given.text, given.note, BLUE, width, color)
    elif isinstance(given, Para):
        yield from (
            paint(line, DIM if given.quiet else "", color and given.quiet)
            for line in wrap(clean(given.text), prose)
        )
    elif isinstance(given, Items):
        yield from _items(given, prose)
    elif isinstance(given, Fields):
        yield from _fields(given, prose, color)
    elif isinstance(given, Table):
        yield from _table(given, width, color)
    elif isinstance(given, Bars):
        yield from _bars(given, width, color)
    else:
        yield from (f"    {line}" for line in clean_lines(given.text))


def _items(block: Items, width: int) -> Iterator[str]:
    for number, item in enumerate(block.items, 1):
        mark = f"{number:>2}. " if block.ordered else "  - "
        first, *rest = wrap(clean(item), width - len(mark))
        yield mark + first
        yield from (" " * len(mark) + line for line in rest)


def _fields(block: Fields, width: int, color: bool) -> Iterator[str]:
    pairs = [(clean(label), clean(value)) for label, value in block.pairs if value]
    edge = min(max((width_of(label) for label, _ in pairs), default=0), LABEL, width // 2 - GAP) + GAP
    for label, value in pairs:
        first, *rest = wrap(value, width - edge)
        yield paint(pad(shorten(label, edge - GAP), edge), DIM, color) + first
        yield from (" " * edge + line for line in rest)


def _table(block: Table, width: int, color: bool) -> Iterator[str]:
    rows = [[clean(cell) for cell in row] for row in (block.headers, *block.rows)]
    if block.rows and too_narrow(rows, width, block.numeric):
        yield from _stacked(rows, width, color)
        return
    for number, cells in lay_out(rows, width, block.numeric):
        line = (" " * GAP).join(cells).rstrip()
        yield paint(line, DIM, color) if number == 0 else line


def _stacked(rows: list[list[str]], width: int, color: bool) -> Iterator[str]:
    """A table that is wider than the screen: its rows one below the other, each cell beside the head of its column."""
    heads, *body = rows
    for number, row in enumerate(body):
        if number:
            yield ""
        yield from _fields(Fields(tuple(zip(heads, row, strict=True))), width, color)


def _bars(block: Bars, width: int, color: bool) -> Iterator[str]:
    values = [clean(bar.value) for bar in block.bars]
    edge = max((width_of(value) for value in values), default=0)
    names = [shorten(clean(bar.label), max(LABEL, width // 3)) for bar in block.bars]
    longest = max((width_of(name) for name in names), default=0)
    room = min(width, PROSE) - longest - edge - 2 * GAP
    for bar, name, value in zip(block.bars, names, values, strict=True):
        line = f"{pad(name, longest)}{' ' * GAP}{pad(value, edge, right=True)}"
        start, drawn = drawn_bar(bar, block, room)
        yield f"{line}{' ' * (GAP + start)}{paint(drawn, TONES.get(bar.tone, ''), color and bar.tone in TONES)}"


def drawn_bar(bar: Bar, of: Bars, room: int) -> tuple[int, str]:
    """The columns before a bar and the bar itself, in `room` columns; what is not nothing is drawn."""
    start, length = bar.part(of.origin, of.scale)
    begin = min(round(start * room), room - 1)
    return begin, "█" * min(max(1, round(length * room)), room - begin) if length > 0 else "▏"
