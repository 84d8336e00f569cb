"""The schema as small steps, of which the store records those it has seen; new ones go to the end."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kb.errors import SourceError
from kb.store.details import DETAILS, fill, read
from kb.store.provenance import PROVENANCE, provenance
from kb.store.views import VIEWS, statement

if TYPE_CHECKING:
    from sqlite_utils import Database

Step = Callable[["Database"], None]


def _runs(db: Database) -> None:
    db.table("runs").create(
        {
            "id": str,
            "created": str,
            "target": str,
            "soc": str,
            "total_us": float,
            "headline": str,
            "document": str,
        },
        pk="id",
        not_null={"created", "target", "document"},
    )
    db.table("runs").create_index(["created"])


def _detail(table: str) -> Step:
    """A step that adds one table of details and fills it from the documents of runs kept before.

    It makes the table of today, whatever it was when the step was written: details are derived from documents, and
    `_details` makes them all anew in stores that have an older form.
    """

    def step(db: Database) -> None:
        columns = {column.name: column.kind for column in DETAILS[table].columns}
        db.table(table).create(
            {"run": str, "position": int, **columns},
            pk=("run", "position"),
            foreign_keys=[("run", "runs", "id")],
        )
        for run in [run for (run,) in db.conn.execute("select id from runs").fetchall()]:
            (document,) = db.conn.execute("select document from runs where id = ?", [run]).fetchone()
            fill(db.conn, table, run, read(document))

    return step


def _outcomes(db: Database) -> None:
    texts = ("created", "entry", "of", "result", "origin", "pattern", "operator", "core", "soc", "shapes", "dtypes",
             "cann", "run_before", "run_after")  # fmt: skip
    db.table("outcomes").create(
        {"id": str, **dict.fromkeys(texts, str), "saved": float, "band": float},
        pk="id",
        not_null={"created", "entry", "of", "result", "origin", "saved", "band"},
    )
    db.table("outcomes").create_index(["entry"])


def _provenance(db: Database) -> None:
    """Columns that say how a run was measured, filled from its document."""
    for column in PROVENANCE:
        db.table("runs").add_column(column.name, column.kind)
    marks = ", ".join(f"{column.name} = :{column.name}" for column in PROVENANCE)
    for run in [run for (run,) in db.conn.execute("select id from runs").fetchall()]:
        (text,) = db.conn.execute("select document from runs where id = ?", [run]).fetchone()
        row = provenance(read(text)) | {"id": run}
        db.conn.execute(f"update runs set {marks} where id = :id", row)  # noqa: S608 - names of PROVENANCE
    db.table("runs").create_index(["content"])


def _details(db: Database) -> None:
    """All tables of details as they are today, made anew from the documents."""
    for table in DETAILS:
        db.conn.execute(f"drop table if exists {table}")
        _detail(table)(db)


def _views(db: Database) -> None:
    """The views as they are today."""
    for (name,) in db.conn.execute("select name from sqlite_master where type = 'view'").fetchall():
        if name in VIEWS:
            db.conn.execute(f"drop view {name}")
    for name in VIEWS:
        db.conn.execute(statement(name))


STEPS: tuple[tuple[str, Step], ...] = (
    ("0001-runs", _runs),
    ("0002-operators", _detail("operators")),
    ("0003-findings", _detail("findings")),
    ("0004-recommendations", _detail("recommendations")),
    ("0005-outcomes", _outcomes),
    ("0006-provenance", _provenance),
    ("0007-details", _details),
    ("0008-views", _views),
    ("0009-views", _views),
)


def migrate(connection: sqlite3.Connection, steps: Sequence[tuple[str, Step]] = STEPS) -> None:
    """Apply the steps that this store has not seen, each in a transaction of its own.

    Raises:
        SourceError: the store has seen steps that this version does not know.
    """
    if not connection.execute("select 1 from sqlite_master where name = 'migrations'").fetchone():
        with transaction(connection):  # before the look, so that of two that open a new store one waits
            connection.execute("create table if not exists migrations (name text primary key)")
    seen = {name for (name,) in connection.execute("select name from migrations")}
    unknown = sorted(seen - {name for name, _ in STEPS})
    if unknown:
        raise SourceError(
            f"the run store was written by a newer kb (it has step {unknown[0]})",
            now="Update kb, or give another file with --db.",
        )
    missing = [(name, step) for name, step in steps if name not in seen]
    if not missing:
        return
    from sqlite_utils import Database  # noqa: PLC0415 - loads pandas where it is installed

    database = Database(connection)
    for name, step in missing:
        with transaction(connection):
            # Two processes may open a new store at once; the second finds the step done.
            if not connection.execute("select 1 from migrations where name = ?", [name]).fetchone():
                step(database)
                connection.execute("insert into migrations (name) values (?)", [name])


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing; waits for other writers before it begins rather than when it ends."""
    connection.execute("begin immediate")
    try:
        yield
        connection.execute("commit")
    except BaseException:
        if connection.in_transaction:
            connection.execute("rollback")
        raise
