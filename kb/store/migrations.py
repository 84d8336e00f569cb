"""The schema as small steps, of which the store records those it has seen; new ones go to the end."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from kb.errors import SourceError
from kb.postgres.protocol import Connection
from kb.store.details import DETAILS, fill, read
from kb.store.provenance import PROVENANCE, provenance
from kb.store.schema import PostgresSchema, Schema, SqliteSchema, remake_views

Step = Callable[[Schema], None]
_TURN = 0x6B62  # PostgreSQL's lock for whoever brings the schema up to date


def _runs(schema: Schema) -> None:
    columns = ("id", "created", "target", "soc", "total_us", "headline", "document")
    schema.create(
        "runs",
        {name: float if name == "total_us" else str for name in columns},
        "id",
        not_null={"created", "target", "document"},
        in_order=True,
    )
    schema.index("runs", "created")


def _detail(table: str) -> Step:
    """A step that adds one table of details and fills it from the documents of runs kept before.

    It makes the table of today, whatever it was when the step was written: details are derived from documents, and
    `_details` makes them all anew in stores that have an older form.
    """

    def step(schema: Schema) -> None:
        columns = {column.name: column.kind for column in DETAILS[table].columns}
        schema.create(table, {"run": str, "position": int, **columns}, ("run", "position"), of_run=True)
        for run in [run for (run,) in schema.conn.execute("select id from runs").fetchall()]:
            (document,) = schema.conn.execute("select document from runs where id = ?", [run]).fetchone()
            fill(schema.conn, table, run, read(document))

    return step


def _outcomes(schema: Schema) -> None:
    texts = ("created", "entry", "of", "result", "origin", "pattern", "operator", "core", "soc", "shapes", "dtypes",
             "cann", "run_before", "run_after")  # fmt: skip
    schema.create(
        "outcomes",
        {"id": str, **dict.fromkeys(texts, str), "saved": float, "band": float},
        "id",
        not_null={"created", "entry", "of", "result", "origin", "saved", "band"},
    )
    schema.index("outcomes", "entry")


def _provenance(schema: Schema) -> None:
    """Columns that say how a run was measured, filled from its document."""
    for column in PROVENANCE:
        schema.add_column("runs", column.name, column.kind)
    marks = ", ".join(f"{column.name} = :{column.name}" for column in PROVENANCE)
    for run in [run for (run,) in schema.conn.execute("select id from runs").fetchall()]:
        (text,) = schema.conn.execute("select document from runs where id = ?", [run]).fetchone()
        row = provenance(read(text)) | {"id": run}
        schema.conn.execute(f"update runs set {marks} where id = :id", row)  # noqa: S608 - names of PROVENANCE
    schema.index("runs", "content")


def _details(schema: Schema) -> None:
    """All tables of details as they are today, made anew from the documents."""
    for table in DETAILS:
        schema.drop_table(table)
        _detail(table)(schema)


def _details_and_views(schema: Schema) -> None:
    """Where a table of details has come to it or changed its form: all of them, and the views on them."""
    _details(schema)
    remake_views(schema)


def _notes(schema: Schema) -> None:
    """What the store says of itself, such as a copy into it that did not end."""
    schema.create("notes", {"name": str, "value": str}, "name", not_null={"value"})


STEPS: tuple[tuple[str, Step], ...] = (
    ("0001-runs", _runs),
    ("0002-operators", _detail("operators")),
    ("0003-findings", _detail("findings")),
    ("0004-recommendations", _detail("recommendations")),
    ("0005-outcomes", _outcomes),
    ("0006-provenance", _provenance),
    ("0007-details", _details),
    ("0008-views", remake_views),
    ("0009-views", remake_views),
    ("0010-notes", _notes),
    ("0011-ranks", _details_and_views),
)


def migrate(connection: Connection, steps: Sequence[tuple[str, Step]] = STEPS) -> None:
    """Apply the steps that this store has not seen: in SQLite each in a transaction of its own, on a server all in one.

    Raises:
        SourceError: the store has seen steps that this version does not know, or a server refuses them.
    """
    if isinstance(connection, sqlite3.Connection):
        _migrate_file(connection, steps)
    else:
        _migrate_server(connection, steps)


def unseen(seen: set[str], steps: Sequence[tuple[str, Step]] = STEPS) -> list[tuple[str, Step]]:
    """The steps that a store has not seen.

    Raises:
        SourceError: it has seen steps that this version does not know.
    """
    unknown = sorted(seen - {name for name, _ in steps})
    if unknown:
        raise SourceError(
            f"the run store was written by a newer kb (it has step {unknown[0]})",
            now="Update kb, or give another file with --db.",
        )
    return [(name, step) for name, step in steps if name not in seen]


def _migrate_file(connection: sqlite3.Connection, steps: Sequence[tuple[str, Step]]) -> None:
    if not connection.execute("select 1 from sqlite_master where name = 'migrations'").fetchone():
        with transaction(connection):  # before the look, so that of two that open a new store one waits
            connection.execute("create table if not exists migrations (name text primary key)")
    missing = unseen({name for (name,) in connection.execute("select name from migrations")}, steps)
    if not missing:
        return
    from sqlite_utils import Database  # noqa: PLC0415 - loads pandas where it is installed

    schema = SqliteSchema(Database(connection))
    for name, step in missing:
        with transaction(connection):
            # Two processes may open a new store at once; the second finds the step done.
            if not connection.execute("select 1 from migrations where name = ?", [name]).fetchone():
                step(schema)
                connection.execute("insert into migrations (name) values (?)", [name])


def _migrate_server(connection: Connection, steps: Sequence[tuple[str, Step]]) -> None:
    schema = PostgresSchema(connection)
    with transaction(connection):
        connection.execute("select pg_advisory_xact_lock(?)", [_TURN])
        connection.execute("create schema if not exists kb")
        connection.execute('create table if not exists migrations (name text collate "C" primary key)')
        seen = {name for (name,) in connection.execute("select name from migrations").fetchall()}
        missing = unseen(seen, steps)
        if missing:
            schema.functions()
        for name, step in missing:
            step(schema)
            connection.execute("insert into migrations (name) values (?)", [name])


@contextmanager
def transaction(connection: Connection) -> Iterator[None]:
    """All or nothing; in SQLite it waits for other writers before it begins rather than when it ends."""
    connection.execute("begin immediate" if isinstance(connection, sqlite3.Connection) else "begin")
    try:
        yield
        connection.execute("commit")
    except BaseException:
        if connection.in_transaction:
            connection.execute("rollback")
        raise
