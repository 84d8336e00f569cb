"""Launches from something that is no CSV, given to the reader of job exports as the lines of one.

A database or a trace says of a launch what a table says; written as lines it takes the same way, so that grouping,
times and twins mean the same whatever file they came from.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from kb.engine.readers.rows import Rows

_SPECIAL = frozenset(',"\n\r\0')
_HARMLESS = str.maketrans(
    "\n\r\0", "  \ufffd"
)  # before Python 3.11 the csv module neither writes nor reads a NUL


class TableText(Rows):
    """Header and rows that were never a file; `path` is the file they were made from."""

    def __init__(self, path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        self.path = path
        self.unfinished = False
        self.header = tuple(header)
        self._lines = (line(row) for row in rows)

    def lines(self) -> Iterator[str]:
        """One line a row."""
        return self._lines


def line(cells: Sequence[str]) -> str:
    """The cells as a line of CSV, on one line."""
    text = ",".join(cells)
    if text.count(",") == len(cells) - 1 and _SPECIAL.isdisjoint(text.replace(",", "")):
        return text
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow([cell.translate(_HARMLESS) for cell in cells])
    return out.getvalue()


def microseconds(nanoseconds: int) -> str:
    """Integer nanoseconds as the exports write microseconds, without losing a digit."""
    sign = "-" if nanoseconds < 0 else ""
    whole, rest = divmod(abs(nanoseconds), 1000)
    return f"{sign}{whole}.{rest:03d}"
