"""Where the run store lies, and opening it: a file of the user's (WAL, private, brought to the current schema), or a
database of a server (`kb.store.server`).

Opening, reading and writing go through the standard library, because sqlite-utils loads pandas where that is
installed; it is used where its work is: in the steps of the schema.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from kb import settings
from kb.errors import SourceError, UsageError
from kb.guarded import defend
from kb.postgres.address import Address, address, is_server
from kb.postgres.protocol import Connection
from kb.store.migrations import migrate
from kb.store.notes import tell_unfinished

BUSY_SECONDS = 30.0  # how long to wait for others that are writing
_RETRY_SECONDS = 0.02
_LOG_BYTES = 64 * 1024  # that an empty write-ahead log takes, with its index


def location(db: str | None = None) -> Path | Address:
    """Where the store lies: `db`, else KB_DB, else kb/kb.db in the user's data folder (XDG_DATA_HOME).

    Raises:
        UsageError: a server other than PostgreSQL was named.
        SourceError: there is no home folder to put it in.
    """
    given = settings.setting("db")
    named = db or given.value
    where = "--db" if db else given.where
    if is_server(named):
        return address(named, where=where)
    if not named:
        return usual_folder() / "kb.db"
    try:
        return Path(named).expanduser()
    except RuntimeError as fault:
        raise UsageError(
            f"no user has that home folder: {named}", where=where, now="Give the path of a file."
        ) from fault


def folder(db: str | None = None) -> Path:
    """Where files that belong to the store lie: beside it, or in the user's data folder where a server has it."""
    place = location(db)
    return place.parent if isinstance(place, Path) else usual_folder()


def usual_folder() -> Path:
    """The folder kb of the user's data folder.

    Raises:
        SourceError: there is no home folder.
    """
    data = os.environ.get("XDG_DATA_HOME", "")
    if data and Path(data).is_absolute():
        return Path(data) / "kb"
    try:
        return Path.home() / ".local" / "share" / "kb"
    except RuntimeError:
        raise SourceError(
            "there is no home folder to keep runs in", now="Set KB_DB to the path of a file."
        ) from None


@contextmanager
def writing(place: Path | Address) -> Iterator[Connection]:
    """The store open for writing, of the current schema; created where it is missing.

    Raises:
        SourceError: it cannot be created, written or understood.
    """
    if isinstance(place, Address):
        from kb.store import server  # noqa: PLC0415 - only where there is one

        with server.writing(place) as session:
            tell_unfinished(session, place)
            yield session
    else:
        with _file(place) as connection:
            tell_unfinished(connection, place)
            yield connection


@contextmanager
def _file(path: Path) -> Iterator[sqlite3.Connection]:
    """A file open for writing, made with mode 600 where it is missing."""
    with _faults(path):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            _write_ahead(connection)
            defend(connection).execute("PRAGMA foreign_keys=ON")
            connection.row_factory = sqlite3.Row
            migrate(connection)
            yield connection
        finally:
            connection.close()


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Turn on the write-ahead log; SQLite does not wait by itself while another process turns it on."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as fault:
            if "locked" not in str(fault) or time.monotonic() >= deadline:
                raise
            time.sleep(_RETRY_SECONDS)


@contextmanager
def reading(place: Path | Address) -> Iterator[Connection | None]:
    """The store, or None where there is none: nothing is created, only an old schema of a file is updated.

    Raises:
        SourceError: it cannot be read or understood.
    """
    if isinstance(place, Address):
        from kb.store import server  # noqa: PLC0415 - only where there is one

        with server.reading(place) as session:
            if session is not None:
                tell_unfinished(session, place)
            yield session
        return
    if not place.exists():
        yield None
        return
    if _writable(place):
        with writing(place) as connection:
            yield connection
        return
    with _faults(place):
        found = sqlite3.connect(_address(place), uri=True)
        try:
            defend(found).row_factory = sqlite3.Row
            tell_unfinished(found, place)
            yield found
        finally:
            found.close()


@contextmanager
def looking(path: Path) -> Iterator[sqlite3.Connection]:
    """The file opened so that nothing can be written; an empty store in memory where there is none.

    Raises:
        SourceError: it cannot be read or understood.
    """
    with reading(path) as found:  # brings an old store up to date
        where = ":memory:" if found is None else _address(path)
    # Faults of files are left to the caller: what he does with the rows may be writing them somewhere.
    with (
        _faults(path, files=False),
        nothing_kept() if where == ":memory:" else _read_only(where) as connection,
    ):
        yield connection


@contextmanager
def nothing_kept() -> Iterator[sqlite3.Connection]:
    """An empty store in memory."""
    with _read_only(":memory:") as connection:
        migrate(connection)
        yield connection


@contextmanager
def _read_only(where: str) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(where, uri=True, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        yield defend(connection)
    finally:
        connection.close()


def _address(path: Path) -> str:
    """The store for reading; a WAL database in a folder that cannot be written opens only as immutable."""
    return f"{path.absolute().as_uri()}?{'mode=ro' if _writable(path) else 'immutable=1'}"


def _writable(path: Path) -> bool:
    """Whether it can be opened as always: a write-ahead log needs a place beside the file, even for reading.

    On a full disk a store without anything in its log is read as it lies there.
    """
    if not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        return False
    return _room(path) or _logged(path)


def _room(path: Path) -> bool:
    if not hasattr(os, "statvfs"):
        return True
    with suppress(OSError):
        disk = os.statvfs(path.parent)
        return disk.f_bavail * disk.f_frsize >= _LOG_BYTES
    return True


def _logged(path: Path) -> bool:
    """Whether the write-ahead log holds something that the file does not have yet."""
    log = path.with_name(f"{path.name}-wal")
    return log.is_file() and log.stat().st_size > 0


@contextmanager
def _faults(path: Path, *, files: bool = True) -> Iterator[None]:
    """SQLite's and the file system's complaints as one error that says what to do."""
    try:
        yield
    except sqlite3.DatabaseError as fault:
        text = str(fault)
        if "locked" in text or "busy" in text:
            now = "Another kb is writing; try again, or give another file with --db."
        elif "disk is full" in text or "disk I/O" in text:
            now = "Make room on that disk, or give a file on another one with --db; what was kept before is whole."
        elif "not a database" in text or "malformed" in text:
            now = (
                "Move the file away, or give another file with --db; "
                "what is left of it comes out with `sqlite3 FILE .recover | sqlite3 NEW`."
            )
        else:
            now = "Give a file that can be written with --db, or set KB_DB."
        raise SourceError(f"the run store cannot be used: {text}", where=str(path), now=now) from fault
    except (OSError, OverflowError) as fault:
        if not files:
            raise
        why = "Not a directory" if isinstance(fault, FileExistsError) else getattr(fault, "strerror", None)
        raise SourceError(
            f"the run store cannot be used: {why or fault}",
            where=str(path),
            now="Give a file that can be written with --db, or set KB_DB.",
        ) from fault
