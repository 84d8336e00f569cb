"""Looking into a store of either kind without `kb.store`."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

from kb.postgres.address import address, is_server


def rows(db: str, query: str, parameters: Any = ()) -> list[tuple[Any, ...]]:
    """The rows of a statement, and its effect."""
    if not is_server(db):
        with closing(sqlite3.connect(db)) as connection, connection:
            return connection.execute(query, parameters).fetchall()
    from kb.postgres.session import opened

    with opened(address(db)) as session:
        found = session.execute(query, parameters)
        return [tuple(row) for row in found.fetchall()] if found.description else []
