"""A connection to PostgreSQL that takes the statements of the store as they are written for SQLite."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

from kb.postgres.address import Address
from kb.postgres.faults import faults, no_driver
from kb.postgres.marks import marked, translated
from kb.postgres.protocol import Cursor

if TYPE_CHECKING:
    import psycopg

SCHEMA = "kb"  # where all tables lie, so that a database can be shared with others
_PAGE = 500  # rows fetched at a time where an answer is read as it comes


class Row(tuple[Any, ...]):
    """A row whose columns are found by place and by name, as `sqlite3.Row`."""

    names: tuple[str, ...] = ()

    @overload
    def __getitem__(self, key: SupportsIndex) -> Any: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[Any, ...]: ...
    @overload
    def __getitem__(self, key: str) -> Any: ...
    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(self.names.index(key) if isinstance(key, str) else key)

    def keys(self) -> tuple[str, ...]:
        """Names of the columns."""
        return self.names


class Session:
    """An open database of a server; every error of the driver's is a `SourceError` that says what to do."""

    def __init__(self, place: Address) -> None:
        """Connect.

        Raises:
            UsageError: the driver is not installed. SourceError: there is no connection.
        """
        if find_spec("psycopg") is None:
            raise no_driver(str(place))
        import psycopg  # noqa: PLC0415 - an extra

        self.place = place
        self._streams: list[Any] = []
        with faults(place):
            self.connection: psycopg.Connection[Any] = psycopg.connect(place.for_driver(), autocommit=True)
            self._prepare()

    def _prepare(self) -> None:
        """Numbers as SQLite gives them, and where names are looked up."""
        from psycopg.adapt import Loader  # noqa: PLC0415

        class Number(Loader):
            def load(self, data: Any) -> int | float:
                said = bytes(data).decode()
                return int(said) if said.lstrip("-").isdigit() else float(said)

        self.connection.adapters.register_loader("numeric", Number)
        found = self.connection.execute(
            "select n.nspname from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector'"
        ).fetchone()
        self._home = found[0] if found and found[0] not in ("public", SCHEMA) else ""
        self.search_in(SCHEMA)

    def search_in(self, schema: str) -> None:
        """Look names up in this schema first, then where pgvector is."""
        path = ", ".join(f'"{name}"' for name in (schema, "public", self._home) if name)
        with faults(self.place):
            self.connection.execute(f"set search_path = {path}")

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction was begun and not ended."""
        return not self.connection.closed and self.connection.info.transaction_status != 0

    def execute(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = (), /) -> Cursor:
        """Run one statement of ours; values are put in by the driver, so that their types follow from their place."""
        from psycopg import ClientCursor  # noqa: PLC0415

        cursor = ClientCursor(self.connection, row_factory=_rows)
        with faults(self.place):
            if parameters:
                cursor.execute(marked(translated(sql)), _plain(parameters))
            else:
                cursor.execute(translated(sql))
        return _Answer(cursor, self.place)

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> Cursor:
        """Run one statement for each of these, many on the way at once."""
        cursor = self.connection.cursor(row_factory=_rows)
        with faults(self.place):
            cursor.executemany(marked(sql), [_plain(given) for given in parameters])
        return _Answer(cursor, self.place)

    def stream(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> Cursor:
        """The answer to one select, fetched as it is read; only within a transaction.

        The server takes nothing but a single select here: it is declared as a cursor, by the protocol that knows one
        statement.
        """
        from psycopg import ClientCursor  # noqa: PLC0415

        text: str = sql
        with faults(self.place):
            if parameters:
                text = ClientCursor(self.connection).mogrify(marked(sql), _plain(parameters))
            cursor = self.connection.cursor(name=f"kb_answer_{len(self._streams)}", row_factory=_rows)
            cursor.itersize = _PAGE
            try:
                cursor.execute(text)
            except BaseException:
                cursor.close()
                raise
        self._streams.append(cursor)
        return _Answer(cursor, self.place)

    def copy(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Send rows by `copy ... from stdin`, the fastest way in."""
        with faults(self.place), self.connection.cursor() as cursor, cursor.copy(sql) as into:
            for row in rows:
                into.write_row([_value(value) for value in row])

    def close(self) -> None:
        """End it; what was not committed is undone."""
        while self._streams:
            with suppress(Exception):  # the connection may be lost already
                self._streams.pop().close()
        self.connection.close()


class _Answer:
    """A cursor whose faults are told in plain words."""

    def __init__(self, cursor: Any, place: Address) -> None:
        self._cursor, self._place = cursor, place
        self.description = cursor.description
        self.rowcount: int = cursor.rowcount

    def fetchone(self) -> Any:
        with faults(self._place):
            return self._cursor.fetchone()

    def fetchall(self) -> list[Any]:
        with faults(self._place):
            return list(self._cursor.fetchall())

    def __iter__(self) -> Iterator[Any]:
        with faults(self._place):
            yield from self._cursor


@contextmanager
def opened(place: Address) -> Iterator[Session]:
    """A session that is closed at the end."""
    session = Session(place)
    try:
        yield session
    finally:
        session.close()


def _rows(cursor: Any) -> Any:
    names = tuple(column.name for column in cursor.description or ())
    return type("Row", (Row,), {"names": names})


def _plain(parameters: Sequence[Any] | Mapping[str, Any]) -> Any:
    if isinstance(parameters, Mapping):
        return {name: _value(value) for name, value in parameters.items()}
    return [_value(value) for value in parameters]


def _value(value: Any) -> Any:
    """A value as SQLite would keep it; PostgreSQL's texts hold no NUL, which becomes U+FFFD."""
    if isinstance(value, str):
        return value.replace("\0", "\ufffd") if "\0" in value else value
    if isinstance(value, bool):
        return int(value)
    return None if isinstance(value, float) and math.isnan(value) else value
