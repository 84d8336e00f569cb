"""Copying runs and outcomes from one store to another, of either kind: resumable, compared at the end.

A run goes over whole or not at all. While a copy is under way the destination notes it and says so whenever it is opened;
the note goes when every table has the rows of the source, by count and hash. The source is read as it was at the start.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from kb.errors import SourceError, UsageError
from kb.experience import Outcome
from kb.postgres.address import Address
from kb.postgres.protocol import Connection
from kb.store import notes
from kb.store.database import location, looking, writing
from kb.store.details import DETAILS
from kb.store.migrations import transaction
from kb.store.provenance import PROVENANCE

BATCH = 20  # runs a transaction
Progress = Callable[[int, int], None]

_RUN: dict[str, type] = {
    "id": str, "created": str, "target": str, "soc": str, "total_us": float, "headline": str, "document": str,
    **{column.name: column.kind for column in PROVENANCE},
}  # fmt: skip
_OUTCOME: dict[str, type] = {
    name: float if name in ("saved", "band") else str for name in Outcome.__dataclass_fields__
}
TABLES: dict[str, dict[str, type]] = {
    "runs": _RUN,
    **{
        table: {"run": str, "position": int, **{column.name: column.kind for column in detail.columns}}
        for table, detail in DETAILS.items()
    },
    "outcomes": _OUTCOME,
}


class Compared(NamedTuple):
    """One table on both sides: rows of the source, rows of them in the destination, and whether their hashes are equal."""

    table: str
    rows: int
    arrived: int
    equal: bool


class Copied(NamedTuple):
    """What a copy did: runs and outcomes that are new in the destination, and every table compared."""

    runs: int
    outcomes: int
    tables: tuple[Compared, ...]

    @property
    def complete(self) -> bool:
        """Whether the destination has all that the source has."""
        return all(table.equal and table.rows == table.arrived for table in self.tables)


def copy(source: str, destination: str, *, progress: Progress | None = None) -> Copied:
    """Copy what the source has and the destination has not; call it again after an interruption.

    Raises:
        UsageError: both are the same.
        SourceError: one cannot be used, the source is itself part of a copy, or the destination has a run or an outcome
            of the same id that differs: then nothing is written.
    """
    here, there = location(source), location(destination)
    if str(here) == str(there):
        raise UsageError("source and destination are the same", where=str(here), now="Name two stores.")
    notes.quiet(there)
    with _snapshot(here) as old:
        if notes.note(old, notes.COPY):
            raise SourceError(
                "this store holds part of a copy itself", where=str(here), now="Complete that copy first."
            )
        with writing(there) as new:
            return _copied(old, new, here, there, progress)


@contextmanager
def _snapshot(place: Path | Address) -> Iterator[Connection]:
    """The source as it is now, whatever others write meanwhile."""
    if isinstance(place, Address):
        from kb.store import server  # noqa: PLC0415 - only where there is one

        with server.looking(place) as session:
            if session is None:
                raise SourceError("no store in this database", where=str(place), now="See `kb db status`.")
            yield session
        return
    if not place.exists():
        raise SourceError("no such store", where=str(place), now="Name one that is there: kb runs list")
    with looking(place) as connection:
        connection.execute("begin")
        connection.execute("select 1 from runs limit 1").fetchone()  # from here on it is read as it is now
        yield connection


def _copied(
    old: Connection, new: Connection, here: Path | Address, there: Path | Address, progress: Progress | None
) -> Copied:
    told: dict[str, Any] = {"source": str(here)}
    _no_other(new, told, there)
    runs = [run for (run,) in old.execute("select id from runs order by rowid")]
    known = _known(old, new, "runs", there)
    missing = [run for run in runs if run not in known]
    known = _known(old, new, "outcomes", there)
    outcomes = [
        name for (name,) in old.execute("select id from outcomes order by created, id") if name not in known
    ]
    told["runs"] = len(runs)
    with transaction(new):
        _no_other(new, told, there)
        notes.put(new, notes.COPY, told | {"done": len(runs) - len(missing)})
    for start in range(0, len(missing), BATCH):
        batch = missing[start : start + BATCH]
        with transaction(new):
            for table in ("runs", *DETAILS):
                _insert(old, new, table, batch)
            notes.put(new, notes.COPY, told | {"done": len(runs) - len(missing) + start + len(batch)})
        if progress is not None:
            progress(start + len(batch), len(missing))
    with transaction(new):
        _insert(old, new, "outcomes", outcomes)
    compared = tuple(_compare(old, new, table) for table in TABLES)
    found = Copied(len(missing), len(outcomes), compared)
    if found.complete:
        with transaction(new):
            notes.put(new, notes.COPY, None)
    return found


def _no_other(new: Connection, told: dict[str, Any], there: Path | Address) -> None:
    """Refuse where another copy is under way."""
    found = notes.note(new, notes.COPY)
    if found and found.get("source") != told["source"]:
        raise SourceError(
            f"this store holds part of a copy from {found.get('source')}",
            where=str(there),
            now="Complete that copy first.",
        )


def _known(old: Connection, new: Connection, table: str, there: Path | Address) -> set[str]:
    """Ids that both have.

    Raises:
        SourceError: one of them differs, which would make it two things under one name.
    """
    ids = {name for (name,) in new.execute(f"select id from {table}")}  # noqa: S608 - a name of TABLES
    both: set[str] = set()
    for row in _rows(old, table):
        if row[0] not in ids:
            continue
        (other,) = _rows(new, table, [row[0]])
        if _hash(row) != _hash(other):
            raise SourceError(
                f"{table} of the same id {row[0]} differ; nothing was copied",
                where=str(there),
                now="Delete it on one side (kb runs delete, kb outcome --forget), or judge both by the same kb.",
            )
        both.add(row[0])
    return both


def _key(table: str) -> str:
    return "run" if table in DETAILS else "id"


def _rows(connection: Connection, table: str, ids: Sequence[str] | None = None) -> Iterator[tuple[Any, ...]]:
    """Rows as both kinds of store hold them, of some ids or all."""
    columns = TABLES[table]
    query = f"select {', '.join(columns)} from {table}"  # noqa: S608 - own names
    kinds = tuple(columns.values())
    chunks: Sequence[Sequence[str] | None] = [None]
    if ids is not None:
        chunks = [ids[start : start + 500] for start in range(0, len(ids), 500)]
    for chunk in chunks:
        where = "" if chunk is None else f" where {_key(table)} in ({', '.join('?' * len(chunk))})"
        for row in connection.execute(query + where, list(chunk or ())):
            yield tuple(map(_value, row, kinds))


def _insert(old: Connection, new: Connection, table: str, ids: Sequence[str]) -> None:
    columns = TABLES[table]
    statement = f"insert into {table} ({', '.join(columns)}) values ({', '.join('?' * len(columns))})"  # noqa: S608
    found = list(_rows(old, table, ids))
    if table == "runs":
        order = {run: place for place, run in enumerate(ids)}
        found.sort(key=lambda row: order[row[0]])
    if found:
        new.executemany(statement, found)


def _compare(old: Connection, new: Connection, table: str) -> Compared:
    """The rows of the source, on both sides, by count and by the sum of their hashes."""
    source = [row[0] for row in old.execute(f"select distinct {_key(table)} from {table}")]  # noqa: S608
    rows, total = _sum(_rows(old, table))
    arrived, other = _sum(_rows(new, table, source))
    return Compared(table, rows, arrived, total == other)


def _sum(rows: Iterator[tuple[Any, ...]]) -> tuple[int, int]:
    count = total = 0
    for row in rows:
        count += 1
        total += _hash(row)
    return count, total % (1 << 256)


def _hash(row: tuple[Any, ...]) -> int:
    return int.from_bytes(hashlib.sha256(repr(row).encode("utf-8", "replace")).digest(), "big")


def _value(value: Any, kind: type) -> Any:
    """A value as either store keeps it; PostgreSQL's texts hold no NUL."""
    if value is None:
        return None
    if kind is float and isinstance(value, (int, float)):
        return float(value)
    if kind is str:
        return str(value).replace("\0", "\ufffd")
    return value
