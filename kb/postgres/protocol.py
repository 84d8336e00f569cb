"""What the store asks of a database: the part of sqlite3 that it uses, which a session with a server has too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol


class Cursor(Protocol):
    """An answer, row by row."""

    @property
    def description(self) -> Any:
        """A tuple for each column, its name first; None where nothing was asked for."""

    @property
    def rowcount(self) -> int:
        """Rows written."""

    def fetchone(self) -> Any:
        """The next row, None at the end."""

    def fetchall(self) -> list[Any]:
        """All rows that are left."""

    def __iter__(self) -> Iterator[Any]: ...


class Connection(Protocol):
    """An open database. Parameters are marked `?` or `:name`; rows know their columns by place and by name."""

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction was begun and not ended."""

    def execute(self, sql: str, parameters: Any = ..., /) -> Cursor:
        """Run one statement."""

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> Cursor:
        """Run one statement for each of these."""

    def close(self) -> None:
        """End it."""
