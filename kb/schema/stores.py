"""What the commands about stores print: rows of them, their state, copies, a team's database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class RunsDeletedDocument:
    """Ids of the runs that are gone."""

    deleted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunsSqlDocument:
    """The rows of a query; a value that is absent is null. `cut`: there are more than the limit."""

    columns: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]
    cut: bool


@dataclass(frozen=True, slots=True)
class Store:
    """A store; `rows` by table. What it has not, or this role may not see, is absent."""

    kind: str
    place: str
    newest: str
    version: str | None
    schema: str | None
    rows: Mapping[str, int] | None
    unfinished_copy: Mapping[str, Any] | None
    pgvector: str | None
    role: str | None
    may_write: bool | None
    entries: int | None
    model: str | None


@dataclass(frozen=True, slots=True)
class StoreDocument:
    """What the store is and holds."""

    store: Store


@dataclass(frozen=True, slots=True)
class CopiedTable:
    """Rows of the source, rows of them in the destination, and whether their hashes are equal."""

    table: str
    rows: int
    arrived: int
    equal: bool


@dataclass(frozen=True, slots=True)
class CopyDocument:
    """Runs and outcomes that are new in the destination, and every table compared."""

    runs: int
    outcomes: int
    complete: bool
    tables: tuple[CopiedTable, ...]


@dataclass(frozen=True, slots=True)
class TableRows:
    """Rows of a table."""

    table: str
    rows: int


@dataclass(frozen=True, slots=True)
class PublishDocument:
    """The knowledge that a team's database holds now."""

    entries: int
    tables: tuple[TableRows, ...]


@dataclass(frozen=True, slots=True)
class FetchDocument:
    """The index file with the knowledge of a team's database."""

    entries: int
    path: str


@dataclass(frozen=True, slots=True)
class MigrateDocument:
    """The newest step of the schema."""

    newest: str


@dataclass(frozen=True, slots=True)
class GrantDocument:
    """The role that may read; `made`: it was not there before."""

    role: str
    made: bool
