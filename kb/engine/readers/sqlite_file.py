"""A SQLite file that somebody else wrote, opened so that it can do nothing but answer.

Read only and immutable: no journal is written or replayed, no lock taken. Only plain tables and stored columns are
seen, never views, virtual tables or generated columns, so nothing of the file's schema is ever run; every function
but a few sums is refused; the work is bounded by the size of the file.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from urllib.parse import quote

from kb.guarded import defend

MAGIC = b"SQLite format 3\0"
MOST_TABLES = 1_000
LONGEST_VALUE = 1 << 20
LONGEST_WORD = 8_192
# Steps of the virtual machine of SQLite: a database of a run needs about one a byte.
STEPS_PER_BYTE, STEPS_AT_LEAST = 32, 5_000_000
_PERIOD = 10_000
_LIMIT_LENGTH = 0  # SQLITE_LIMIT_LENGTH
_FUNCTIONS = frozenset(("count", "total", "min", "max"))
_QUIET = ("mmap_size=0", "query_only=ON", "cache_size=-32768")

Row = tuple[object, ...]


class SqliteFile:
    """The tables of a file: `tables` maps each to its columns in the file's spelling.

    A context manager. Every method raises sqlite3.Error for a damaged file.
    """

    def __init__(self, path: Path, size: int) -> None:
        self._left = STEPS_AT_LEAST + STEPS_PER_BYTE * size
        uri = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
        self._base = sqlite3.connect(uri, uri=True, isolation_level=None)
        try:
            self._base.text_factory = _text
            limit = getattr(self._base, "setlimit", None)  # since Python 3.11
            if limit is not None:
                limit(_LIMIT_LENGTH, LONGEST_VALUE)
            defend(self._base)
            for setting in _QUIET:
                self._base.execute(f"PRAGMA {setting}")
            self._base.set_progress_handler(self._step, _PERIOD)
            self.tables = self._plain_tables()
            self._base.set_authorizer(_authorize)
        except BaseException:
            self._base.close()
            raise

    def __enter__(self) -> SqliteFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._base.close()

    def has(self, table: str, *columns: str) -> bool:
        """Whether there is a plain table with these columns."""
        return table in self.tables and set(columns) <= set(self.tables[table])

    def rows(self, query: str) -> Iterator[Row]:
        """The rows of a SELECT over names found in `tables`."""
        return self._base.execute(query)

    def one(self, query: str) -> Row | None:
        """The first row of a SELECT."""
        found = self._base.execute(query).fetchone()
        return tuple(found) if found is not None else None

    def _step(self) -> int:
        self._left -= _PERIOD
        return int(self._left < 0)

    def _plain_tables(self) -> dict[str, tuple[str, ...]]:
        query = f"SELECT name, sql FROM sqlite_master WHERE type = 'table' LIMIT {MOST_TABLES}"
        found: dict[str, tuple[str, ...]] = {}
        for name, sql in self._base.execute(query).fetchall():
            plain = isinstance(sql, str) and sql[:13].upper() == "CREATE TABLE "
            if plain and isinstance(name, str) and len(name) < 200:
                columns = self._base.execute(f"PRAGMA table_xinfo({quoted(name)})").fetchall()
                found[name] = tuple(str(column[1]) for column in columns if column[6] == 0)
        return found


def quoted(name: str) -> str:
    """A name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def _text(data: bytes) -> str:
    return data[:LONGEST_WORD].decode("utf-8", errors="replace")


def _authorize(
    action: int, first: str | None, second: str | None, base: str | None, inner: str | None
) -> int:
    """Reading of tables and a few sums; nothing else, and nothing from within a view or trigger."""
    if inner is not None:
        return sqlite3.SQLITE_DENY
    if action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ):
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_FUNCTION and (second or "").casefold() in _FUNCTIONS:
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY
