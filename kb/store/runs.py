"""Keeping reports and finding them again.

A report is kept whole, as the JSON document it is printed as, and its operators, findings and recommendations
as rows beside it. One transaction a run: a process killed at any moment leaves the run complete or absent.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from kb.errors import SourceError, UsageError
from kb.postgres.address import Address
from kb.postgres.protocol import Connection
from kb.store.database import location, reading, writing
from kb.store.details import DETAILS, fill
from kb.store.migrations import transaction
from kb.store.provenance import provenance

LAST = "last"  # names the newest run; an id is made of hexadecimal digits


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A kept run in one line; `created` is UTC in ISO 8601."""

    id: str
    created: str
    target: str
    soc: str | None
    total_us: float | None
    headline: str
    mode: str | None = None
    tool: str | None = None


def save(report: Mapping[str, Any], *, db: str | None = None, now: datetime | None = None) -> str:
    """Keep a report (the JSON document of `kb.report.json`) and return its run id.

    A run that is kept already is replaced but stays where it was in time.

    Raises:
        SourceError: the store cannot be written; the caller still has the report.
    """
    run = str(report["run"])
    text = json.dumps(report, ensure_ascii=False, separators=(",", ":"))
    document = text.encode(
        "utf-8", "replace"
    ).decode()  # SQLite takes no lone surrogates (undecodable file names)
    report = json.loads(document)
    row = {
        "id": run,
        "created": (now or datetime.now(timezone.utc)).isoformat(timespec="seconds"),
        "target": report["target"],
        "soc": report.get("chip", {}).get("soc"),
        "total_us": report.get("total_us"),
        "headline": report.get("headline", ""),
        "document": document,
        **provenance(report),
    }
    with writing(location(db)) as connection, transaction(connection):
        _put(connection, row)
        for table in DETAILS:
            fill(connection, table, run, report)
    return run


def _put(connection: Connection, row: Mapping[str, Any]) -> None:
    changes = ", ".join(f"{name} = :{name}" for name in row if name not in ("id", "created"))
    connection.execute(
        f"insert into runs ({', '.join(row)}) values ({', '.join(f':{name}' for name in row)})"  # noqa: S608 - own names
        f" on conflict (id) do update set {changes}",
        dict(row),
    )


def list_runs(*, db: str | None = None, limit: int | None = None) -> list[RunSummary]:
    """Kept runs, the newest first; none where there is no store yet.

    Newest is what was kept last, whatever the clock said then: it may have been set back.

    Raises:
        SourceError: the store cannot be read.
    """
    with reading(location(db)) as connection:
        if connection is None:
            return []
        some = "" if limit is None else " limit ?"
        rows = connection.execute(
            f"select id, created, target, soc, total_us, headline, mode, tool from runs order by rowid desc{some}",  # noqa: S608 - a text of this line
            [] if limit is None else [limit],
        )
        return [RunSummary(**row) for row in rows]


def judged_for(run: str, *, db: str | None = None) -> tuple[str | None] | None:
    """The chip that a kept run was judged for (None inside: without one), None where that run is not kept.

    Raises:
        SourceError: the store cannot be read.
    """
    with reading(location(db)) as connection:
        row = (
            connection.execute("select soc from runs where id = ?", [run]).fetchone() if connection else None
        )
        return None if row is None else (row["soc"],)


def load_run(run: str, *, db: str | None = None) -> dict[str, Any]:
    """The document of a run, by its id or the beginning of it; "last" is the newest.

    Raises:
        UsageError: no run, or more than one, has an id that begins so.
        SourceError: the store cannot be read.
    """
    path = location(db)
    with reading(path) as connection:
        (found,) = _resolve(connection, [run], path)
        row = connection.execute("select document from runs where id = ?", [found]) if connection else None
        text = row.fetchone()["document"] if row else ""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise SourceError(
            f"the document of run {run!r} is damaged", where=str(path), now="Analyse the profile again."
        )
    return document


def find_runs(runs: Sequence[str], *, db: str | None = None) -> tuple[str, ...]:
    """The ids of runs that are named by id, the beginning of it, or "last"; each once.

    Raises:
        UsageError: no run, or more than one, has an id that begins so.
        SourceError: the store cannot be read.
    """
    path = location(db)
    with reading(path) as connection:
        return _resolve(connection, runs, path)


def delete_runs(runs: Sequence[str], *, db: str | None = None) -> tuple[str, ...]:
    """Delete runs, all or none of them, and return their ids; outcomes that name them stay.

    Raises:
        UsageError: a run is not there.
        SourceError: the store cannot be written.
    """
    path = location(db)
    find_runs(runs, db=db)  # before anything is made
    with writing(path) as connection, transaction(connection):
        found = _resolve(connection, runs, path)
        for run in found:
            for table in DETAILS:
                connection.execute(f"delete from {table} where run = ?", [run])  # noqa: S608 - a name of DETAILS
            connection.execute("delete from runs where id = ?", [run])
    return found


def _resolve(connection: Connection | None, runs: Sequence[str], path: Path | Address) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_one(connection, run, path) for run in runs))


def _one(connection: Connection | None, run: str, path: Path | Address) -> str:
    run = run.encode("utf-8", "replace").decode()  # SQLite takes no lone surrogates
    found = [] if connection is None else _beginning(connection, run)
    if not found:
        raise UsageError(f"no run {run!r} is kept", where=str(path), now="See `kb runs list`.")
    if len(found) > 1 and run not in found:
        ids = ", ".join(found[:5])
        raise UsageError(f"{run!r} is the beginning of several runs: {ids}", now="Give more of the id.")
    return run if run in found else found[0]


def _beginning(connection: Connection, run: str) -> list[str]:
    if not run:
        return []
    if run == LAST:
        rows = connection.execute("select id from runs order by rowid desc limit 1")
    else:
        rows = connection.execute(
            "select id from runs where substr(id, 1, ?) = ? order by id limit 20", [len(run), run]
        )
    return [row[0] for row in rows]
