"""Outcomes in the store: what was applied to which run, and what it gave."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable
from dataclasses import fields

from kb.errors import UsageError
from kb.experience import Outcome
from kb.postgres.protocol import Connection
from kb.store.database import location, reading, writing
from kb.store.migrations import transaction

_COLUMNS = tuple(field.name for field in fields(Outcome))


def outcome_id(entry: str, run_before: str, run_after: str) -> str:
    """The id of an outcome: the same remedy between the same two runs is one outcome."""
    return hashlib.sha256(f"{entry}\n{run_before}\n{run_after}".encode()).hexdigest()[:12]


def keep(outcomes: Iterable[Outcome], *, db: str | None = None) -> int:
    """Keep outcomes and return how many are new; an own one replaces the one of its id, an imported one never does.

    Raises:
        SourceError: the store cannot be written.
    """
    marks = ", ".join(f":{column}" for column in _COLUMNS)
    changes = ", ".join(f"{column} = :{column}" for column in _COLUMNS if column not in ("id", "created"))
    insert = f"insert into outcomes ({', '.join(_COLUMNS)}) values ({marks}) on conflict (id) do "  # noqa: S608 - own columns
    with writing(location(db)) as connection, transaction(connection):
        new = 0
        for outcome in outcomes:
            known = connection.execute("select 1 from outcomes where id = ?", [outcome.id]).fetchone()
            new += known is None
            values = {column: _storable(getattr(outcome, column)) for column in _COLUMNS}
            again = f"update set {changes}" if outcome.origin == "own" else "nothing"
            connection.execute(insert + again, values)
        return new


def load(entry: str | None = None, *, db: str | None = None) -> tuple[Outcome, ...]:
    """Kept outcomes, of one entry where one is named, the oldest first; none where there is no store yet.

    Raises:
        SourceError: the store cannot be read.
    """
    with reading(location(db)) as connection:
        if connection is None or not _there(connection):
            return ()
        query = f"select {', '.join(_COLUMNS)} from outcomes"  # noqa: S608 - own columns
        if entry is None:
            rows = connection.execute(f"{query} order by created, id").fetchall()
        else:
            rows = connection.execute(f"{query} where entry = ? order by created, id", [entry]).fetchall()
        return tuple(Outcome(**row) for row in rows)


def forget(outcome: str, *, db: str | None = None) -> Outcome:
    """Delete an outcome, by its id, and return what it was.

    Raises:
        UsageError: no such outcome. SourceError: the store cannot be written.
    """
    found = next((item for item in load(db=db) if item.id == outcome), None)
    if found is None:
        raise UsageError(f"no outcome {outcome!r} is kept", where="--forget", now="See `kb outcome`.")
    with writing(location(db)) as connection, transaction(connection):
        connection.execute("delete from outcomes where id = ?", [outcome])
    return found


def _there(connection: Connection) -> bool:
    """Whether the table is there: a store that cannot be written keeps the schema it has."""
    if not isinstance(connection, sqlite3.Connection):
        return True
    query = "select 1 from sqlite_master where type = 'table' and name = 'outcomes'"
    return connection.execute(query).fetchone() is not None


def _storable(value: object) -> object:
    """SQLite takes no lone surrogates (undecodable names)."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
