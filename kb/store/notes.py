"""What a store says of itself: whether a copy into it did not end."""

from __future__ import annotations

import json
import sqlite3
import sys
from pathlib import Path
from typing import Any

from kb.postgres.address import Address
from kb.postgres.protocol import Connection

COPY = "copy"  # the note of a copy under way
_told: set[str] = set()


def note(connection: Connection, name: str) -> dict[str, Any] | None:
    """What the store notes under a name; None where it does not."""
    if (
        isinstance(connection, sqlite3.Connection)
        and not connection.execute("select 1 from sqlite_master where name = 'notes'").fetchone()
    ):
        return None  # an older file that cannot be written
    row = connection.execute("select value from notes where name = ?", [name]).fetchone()
    found: dict[str, Any] | None = json.loads(row[0]) if row else None
    return found


def put(connection: Connection, name: str, value: dict[str, Any] | None) -> None:
    """Note something, or take it back."""
    connection.execute("delete from notes where name = ?", [name])
    if value is not None:
        connection.execute("insert into notes (name, value) values (?, ?)", [name, json.dumps(value)])


def tell_unfinished(connection: Connection, place: Path | Address) -> None:
    """Say on stderr, once a process, that a copy into this store did not end: what is in it is not all."""
    if str(place) in _told or not (found := note(connection, COPY)):
        return
    _told.add(str(place))
    print(
        f"kb: {place}: this store holds part of a copy ({found.get('done', 0)} of {found.get('runs', '?')} runs"
        f" from {found.get('source', '?')}); the same `kb db copy` again completes it",
        file=sys.stderr,
    )


def quiet(place: Path | Address) -> None:
    """Do not say so in this process: it is copying."""
    _told.add(str(place))
