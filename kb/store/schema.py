"""The steps of the schema in both dialects: tables, columns, indexes and views, each said once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from kb.postgres.protocol import Connection
from kb.store.views import VIEWS, statement

if TYPE_CHECKING:
    from sqlite_utils import Database

_TYPES = {
    str: 'text collate "C"',
    int: "bigint",
    float: "double precision",
}  # "C": in order as SQLite has them
# What questions and views use of SQLite's functions and PostgreSQL has by another name.
_FUNCTIONS = (
    "create or replace function max(double precision, double precision) returns double precision language sql "
    "immutable as 'select case when $1 is null or $2 is null then null else greatest($1, $2) end'",
    "create or replace function instr(text, text) returns integer language sql immutable as 'select strpos($1, $2)'",
    "create or replace function joined(text, text, text) returns text language sql "
    "immutable as 'select case when $2 is null then $1 else coalesce($1 || $3, '''') || $2 end'",
    "create or replace aggregate group_concat(text, text) (sfunc = joined, stype = text)",
)


class Schema(Protocol):
    """What a step may do."""

    @property
    def conn(self) -> Connection:
        """The store itself."""

    def create(
        self,
        table: str,
        columns: Mapping[str, type],
        pk: str | Sequence[str],
        *,
        not_null: Collection[str] = (),
        of_run: bool = False,
        in_order: bool = False,
    ) -> None:
        """A table; `of_run`: its column `run` names a run; `in_order`: rows have a `rowid`, as all of SQLite's do."""

    def index(self, table: str, column: str) -> None:
        """An index of one column."""

    def add_column(self, table: str, column: str, kind: type) -> None:
        """One more column."""

    def drop_table(self, table: str) -> None:
        """A table that is derived from others, with the views on it."""

    def views(self) -> set[str]:
        """Names of the views that are there."""


def remake_views(schema: Schema) -> None:
    """The views as they are today."""
    for name in schema.views() & set(VIEWS):
        schema.conn.execute(f"drop view {name}")
    for name in VIEWS:
        schema.conn.execute(statement(name))


class SqliteSchema:
    """The steps in SQLite, by sqlite-utils."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def conn(self) -> Connection:
        """The store itself."""
        found: Connection = self._database.conn
        return found

    def create(
        self,
        table: str,
        columns: Mapping[str, type],
        pk: str | Sequence[str],
        *,
        not_null: Collection[str] = (),
        of_run: bool = False,
        in_order: bool = False,  # noqa: ARG002 - every table is
    ) -> None:
        """A table."""
        key = pk if isinstance(pk, str) else tuple(pk)
        links = [("run", "runs", "id")] if of_run else None
        self._database.table(table).create(
            dict(columns), pk=key, not_null=set(not_null) or None, foreign_keys=links
        )

    def index(self, table: str, column: str) -> None:
        """An index of one column."""
        self._database.table(table).create_index([column])

    def add_column(self, table: str, column: str, kind: type) -> None:
        """One more column."""
        self._database.table(table).add_column(column, kind)

    def drop_table(self, table: str) -> None:
        """A table that is derived from others."""
        self.conn.execute(f"drop table if exists {table}")

    def views(self) -> set[str]:
        """Names of the views that are there."""
        return {name for (name,) in self.conn.execute("select name from sqlite_master where type = 'view'")}


class PostgresSchema:
    """The steps in PostgreSQL."""

    def __init__(self, session: Connection) -> None:
        self._session = session

    @property
    def conn(self) -> Connection:
        """The store itself."""
        return self._session

    def create(
        self,
        table: str,
        columns: Mapping[str, type],
        pk: str | Sequence[str],
        *,
        not_null: Collection[str] = (),
        of_run: bool = False,
        in_order: bool = False,
    ) -> None:
        """A table; the rows of a run go with it."""
        keys = [pk] if isinstance(pk, str) else list(pk)
        parts = [
            f"{name} {_TYPES[kind]}{' not null' if name in not_null else ''}"
            for name, kind in columns.items()
        ]
        if in_order:
            parts.append("rowid bigint generated always as identity")
        parts.append(f"primary key ({', '.join(keys)})")
        if of_run:
            parts.append("foreign key (run) references runs (id) on delete cascade")
        self.conn.execute(f"create table {table} ({', '.join(parts)})")

    def index(self, table: str, column: str) -> None:
        """An index of one column."""
        self.conn.execute(f"create index idx_{table}_{column} on {table} ({column})")

    def add_column(self, table: str, column: str, kind: type) -> None:
        """One more column."""
        self.conn.execute(f"alter table {table} add column {column} {_TYPES[kind]}")

    def drop_table(self, table: str) -> None:
        """A table that is derived from others, with the views on it."""
        self.conn.execute(f"drop table if exists {table} cascade")

    def views(self) -> set[str]:
        """Names of the views that are there."""
        query = "select viewname from pg_views where schemaname = 'kb'"
        return {name for (name,) in self.conn.execute(query)}

    def functions(self) -> None:
        """What views and questions use of SQLite's functions."""
        for text in _FUNCTIONS:
            self.conn.execute(text)
