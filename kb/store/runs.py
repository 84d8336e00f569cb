"""Keeping reports and finding them again.

A report is kept whole, as the JSON document it is printed as, and its operators, findings and recommendations
as rows beside it. One transaction a run: a process killed at any moment leaves the run complete or absent.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from kb.errors import SourceError, UsageError
from kb.store.database import location, reading, writing
from kb.store.details import DETAILS, fill
from kb.store.migrations import transaction


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A kept run in one line; `created` is UTC in ISO 8601."""

    id: str
    created: str
    target: str
    soc: str | None
    total_us: float | None
    headline: str


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
    }
    with writing(location(db)) as connection, transaction(connection):
        _put(connection, row)
        for table in DETAILS:
            fill(connection, table, run, document)
    return run


def _put(connection: sqlite3.Connection, row: Mapping[str, Any]) -> None:
    connection.execute(
        "insert into runs (id, created, target, soc, total_us, headline, document)"
        " values (:id, :created, :target, :soc, :total_us, :headline, :document)"
        " on conflict (id) do update set target = :target, soc = :soc, total_us = :total_us, headline = :headline,"
        " document = :document",
        dict(row),
    )


def list_runs(*, db: str | None = None, limit: int | None = None) -> list[RunSummary]:
    """Kept runs, the newest first; none where there is no store yet.

    Raises:
        SourceError: the store cannot be read.
    """
    with reading(location(db)) as connection:
        if connection is None:
            return []
        rows = connection.execute(
            "select id, created, target, soc, total_us, headline from runs order by created desc, rowid desc limit ?",
            [-1 if limit is None else limit],
        )
        return [RunSummary(**row) for row in rows]


def load_run(run: str, *, db: str | None = None) -> dict[str, Any]:
    """The document of a run, by its id or the beginning of it.

    Raises:
        UsageError: no run, or more than one, has an id that begins so.
        SourceError: the store cannot be read.
    """
    path = location(db)
    run = run.encode("utf-8", "replace").decode()  # SQLite takes no lone surrogates
    with reading(path) as connection:
        found = [] if connection is None else _beginning(connection, run)
    if not found:
        raise UsageError(f"no run {run!r} is kept", where=str(path), now="See `kb runs list`.")
    exact = [row for row in found if row["id"] == run]
    if len(found) > 1 and not exact:
        ids = ", ".join(row["id"] for row in found[:5])
        raise UsageError(f"{run!r} is the beginning of several runs: {ids}", now="Give more of the id.")
    try:
        document = json.loads((exact or found)[0]["document"])
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise SourceError(
            f"the document of run {run!r} is damaged", where=str(path), now="Analyse the profile again."
        )
    return document


def _beginning(connection: sqlite3.Connection, run: str) -> list[sqlite3.Row]:
    if not run:
        return []
    query = "select id, document from runs where substr(id, 1, ?) = ? order by id limit 20"
    return connection.execute(query, [len(run), run]).fetchall()
