"""Rows of a CSV whose cells may hold line breaks: the csv module's rules, streamed with bounded memory.

For tables with call stacks or JSON in their cells. A quote that never closes costs what the module's limit for a
cell holds, not the rest of the file.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from kb.engine.readers.columns import index
from kb.engine.readers.rows import Rows
from kb.engine.readers.words import clean
from kb.errors import SourceError
from kb.model import Notice, SourceFile

MOST_ROWS = 5_000_000
LONGEST_RECORD = 2 << 20


class Records:
    """The rows of one table as cells by column id; iterate, then ask for the losses.

    A row with fewer cells than the last known column needs, or one the csv rules cannot take, is lost.
    `kind` is the name of the table in the profile's list of files, `table` the one in the table of columns; a reader
    with names of its own may set `at` (column id to position) and `unknown` before it iterates.

    Raises:
        SourceError: when the file cannot be opened, or a row or line has no end.
    """

    def __init__(self, path: Path, table: str, label: str, kind: str = "") -> None:
        self.label = label
        self.kind = kind or table
        self.used = 0
        self.lost = 0
        self.line = 1  # where the row just given ends
        self._path = path
        self._rows = Rows(path)
        self._size = 0  # characters of the row being read
        self._last_was_lost = False
        self._first_lost: int | None = None
        self.header = self._rows.header
        self.at, self.unknown = index(self.header, table)

    def __iter__(self) -> Iterator[dict[str, str]]:
        width = max(self.at.values(), default=-1) + 1
        reader = csv.reader(self._lines())
        while self.used + self.lost < MOST_ROWS:
            self._size = 0
            try:
                row = next(reader)
            except StopIteration:
                return
            except csv.Error:
                row = [""]
            self.line = reader.line_num + 1
            if not row:
                continue
            if len(row) < width:
                self._lose()
                continue
            self.used += 1
            self._last_was_lost = False
            yield {name: row[place] for name, place in self.at.items()}

    def _lines(self) -> Iterator[str]:
        for line in self._rows.lines():
            self._size += len(line) + 1
            if self._size > LONGEST_RECORD:
                raise SourceError(
                    "a row is longer than two megabytes, so this is no table of a profiler",
                    where=str(self._path),
                    now="check that the file was copied whole and as text",
                )
            yield line + "\n"

    def reject(self) -> None:
        """The row just given lacks what its reader needs: it counts as lost."""
        self.used -= 1
        self._lose()

    def _lose(self) -> None:
        self.lost += 1
        self._last_was_lost = True
        self._first_lost = self._first_lost or self.line

    @property
    def file(self) -> SourceFile:
        """What a profile says of this table."""
        return SourceFile(self.label, self.kind, self.used, self.lost)

    def notices(self) -> list[Notice]:
        """What to know about the rows."""
        out = []
        cut = self._rows.unfinished and self._last_was_lost and self.lost == 1
        if cut:
            text = f"the last row is cut off and was left out; {self.used} complete rows used"
            out.append(Notice("row-cut-off", text, self.label, self._first_lost))
        elif self.lost:
            text = (
                f"{self.lost} rows without the cells or numbers needed were left out; {self.used} rows used"
            )
            out.append(Notice("rows-lost", text, self.label, self._first_lost))
        if not self.used:
            out.append(Notice("no-rows", "the table has a header but no usable row", self.label))
        if self.unknown:
            names = clean(", ".join(self.unknown[:8])) + (" ..." if len(self.unknown) > 8 else "")
            out.append(Notice("unknown-columns", f"columns not known and not used: {names}", self.label, 1))
        return out
