"""SQLite with its own defences on: what stands in the schema of a file is never trusted, whoever wrote it.

No function or virtual table with effects runs out of a view, trigger, index or default value; damaged cells are found
when they are read; and, from Python 3.12 on, SQL cannot corrupt the file (SQLITE_DBCONFIG_DEFENSIVE). Loading of
extensions is off in Python unless asked for, and nothing here asks.
"""

from __future__ import annotations

import sqlite3


def defend(connection: sqlite3.Connection) -> sqlite3.Connection:
    """The same connection, defended.

    Raises:
        sqlite3.Error: the file is no database.
    """
    connection.execute("PRAGMA trusted_schema=OFF")
    connection.execute("PRAGMA cell_size_check=ON")
    configure = getattr(connection, "setconfig", None)  # since Python 3.12
    if configure is not None:
        configure(getattr(sqlite3, "SQLITE_DBCONFIG_DEFENSIVE", 1010), True)
    return connection
