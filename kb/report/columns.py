"""Columns of text that fit a width: who gives way, and where cells break. Standard library only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from kb.report.text import pad, width_of, wrap

GAP = 2  # blanks between columns
LEAST = 6  # columns of the screen that a column keeps in the end
FIGURE = 12  # a figure with its unit, in a column flush right, is not broken up to this length
WHOLE = 12  # a word of the rows up to this long is not broken: the table is written one row below the other instead
WORD = 24  # a word up to this long is not broken while another column can give way


def lay_out(
    rows: Sequence[Sequence[str]], width: int, right: frozenset[int] = frozenset()
) -> Iterator[tuple[int, list[str]]]:
    """Lines of a table, each with the number of its row and its cells filled to the width of their columns.

    Columns in `right` are set flush right. The cells must be clean and one for each column.
    """
    widths = column_widths(rows, width, right)
    for number, row in enumerate(rows):
        cells = [wrap(cell, size) for cell, size in zip(row, widths, strict=True)]
        for parts in zip_longest(*cells, fillvalue=""):
            sized = zip(parts, widths, strict=True)
            yield number, [pad(part, size, right=at in right) for at, (part, size) in enumerate(sized)]


def too_narrow(rows: Sequence[Sequence[str]], width: int, right: frozenset[int] = frozenset()) -> bool:
    """Whether a table cannot stand in `width` columns without breaking words of its heads, the first row, or short ones below."""
    widths = column_widths(rows, width, right)
    whole = all(
        max((width_of(word) for word in head.split()), default=0) <= size
        for head, size in zip(rows[0], widths, strict=True)
    ) and all(
        size >= min(_longest(column), WHOLE)
        for size, column in zip(widths, zip(*rows, strict=True), strict=True)
    )
    return not whole or sum(widths) + GAP * (len(widths) - 1) > width


def _longest(column: Sequence[str]) -> int:
    return max((width_of(word) for cell in column for word in cell.split() if word.isascii()), default=0)


def column_widths(
    rows: Sequence[Sequence[str]], width: int, right: frozenset[int] = frozenset()
) -> list[int]:
    """How wide each column may be so that all fit in `width`.

    The widest gives way first, down to its longest word; only then are words broken. Figures (columns in `right`) are last.
    """
    columns = list(zip(*rows, strict=True))
    widths = [max(width_of(cell) for cell in column) for column in columns]
    words = [
        min(max((width_of(word) for cell in column for word in cell.split()), default=0), WORD)
        for column in columns
    ]
    figures = [min(size, FIGURE) if at in right else 0 for at, size in enumerate(widths)]
    words = [max(word, figure) for word, figure in zip(words, figures, strict=True)]
    room = width - GAP * (len(widths) - 1)
    for least in (words, [max(LEAST, figure) for figure in figures], [LEAST] * len(widths)):
        while sum(widths) > room:
            loose = [at for at, size in enumerate(widths) if size > max(least[at], LEAST)]
            if not loose:
                break
            widths[max(loose, key=lambda at: widths[at])] -= 1
    return widths
