"""Asking the store in SQL: read-only, with a limit on rows, on bytes and on time."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from kb.errors import UsageError
from kb.postgres.address import Address
from kb.store import answers
from kb.store.database import location, looking, nothing_kept

ROWS = 1000
SECONDS = 10.0
_STEPS = 10_000  # of SQLite's machine between two looks at the clock

# What a question may do; writing, attaching, settings and transactions are not on the list.
_ALLOWED = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, 33}
)  # 33: recursion
_LIMIT_LENGTH, _LIMIT_ATTACHED = 0, 7  # SQLITE_LIMIT_*: the module names them since Python 3.11
_LOOKS = frozenset(
    {"table_info", "table_xinfo", "table_list", "index_list", "index_info", "foreign_key_list"}
)
_DENIED = ("prohibited", "not authorized", "authorization denied", "readonly", "attached")
_REFUSED = frozenset({"load_extension", "fts3_tokenizer", "writefile", "readfile", "edit"})


def query(
    sql: str,
    parameters: Mapping[str, Any] | None = None,
    *,
    db: str | None = None,
    rows: int = ROWS,
    seconds: float = SECONDS,
) -> answers.Answer:
    """The answer to one select; where there is no store yet, to one on an empty store.

    Raises:
        UsageError: it is no select, is at fault, takes too long, or would change something.
        SourceError: the store cannot be read.
    """
    place = location(db)
    if isinstance(place, Address):
        from kb.store import server_query  # noqa: PLC0415 - only where there is one

        answer = server_query.answer(place, sql, parameters or {}, rows, seconds)
        if answer is not None:
            return answer
        with nothing_kept() as connection:
            return _answer(connection, sql, parameters, rows, seconds)
    with looking(place) as connection:
        return _answer(connection, sql, parameters, rows, seconds)


def _answer(
    connection: sqlite3.Connection,
    sql: str,
    parameters: Mapping[str, Any] | None,
    rows: int,
    seconds: float,
) -> answers.Answer:
    with _faults(seconds):
        _restrict(connection, seconds)
        cursor = connection.execute(sql, dict(parameters or {}))
        if cursor.description is None:
            raise UsageError("this asks for nothing", where="SQL", now="Write one select.")
        columns = tuple(column[0] for column in cursor.description)
        found, cut = answers.fetched(cursor, rows)
    return answers.Answer(columns, found, cut)


def _restrict(connection: sqlite3.Connection, seconds: float) -> None:
    """Only looking, and not for long."""
    deadline = time.monotonic() + seconds
    connection.execute("pragma query_only = on")
    connection.execute(
        "pragma trusted_schema = off"
    )  # a view of a foreign file may not call what has effects
    if hasattr(connection, "setlimit"):  # since Python 3.11
        connection.setlimit(_LIMIT_LENGTH, answers.BYTES)
        connection.setlimit(_LIMIT_ATTACHED, 0)
    connection.set_authorizer(_may)
    connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)


def _may(action: int, one: str | None, two: str | None, _database: str | None, _view: str | None) -> int:
    if action == sqlite3.SQLITE_PRAGMA:
        return sqlite3.SQLITE_OK if str(one).lower() in _LOOKS else sqlite3.SQLITE_DENY
    if action == sqlite3.SQLITE_FUNCTION and str(two).lower() in _REFUSED:
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY


@contextmanager
def _faults(seconds: float) -> Iterator[None]:
    """What SQLite has against a question, as an error of who asked; what it has against the file, as of the file."""
    try:
        yield
    except (sqlite3.Error, sqlite3.Warning) as fault:
        text = str(fault)
        if "malformed" in text or "not a database" in text or "disk I/O" in text:
            raise
        if "interrupted" in text:
            raise UsageError(
                f"this takes longer than {seconds:g} s",
                where="SQL",
                now="Ask for less, or give --seconds more.",
            ) from fault
        if any(word in text for word in _DENIED):
            raise UsageError(
                "this would do more than look",
                where="SQL",
                now="The store is opened read-only: write one select.",
            ) from fault
        if "one statement" in text:
            raise UsageError("more than one statement", where="SQL", now="Write one select.") from fault
        raise UsageError(
            text, where="SQL", now="Tables and views: docs/database.md, or select name from sqlite_master."
        ) from fault
    except (OverflowError, ValueError) as fault:  # a number beyond 64 bits, a NUL in the text
        raise UsageError(str(fault), where="SQL", now="Mend the select.") from fault
