"""What a store is and holds, and who may do what with it."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from typing import Any

from kb.errors import SourceError, UsageError
from kb.postgres.address import Address
from kb.postgres.session import Session, opened
from kb.store import migrations, notes, server
from kb.store.copying import TABLES
from kb.store.database import location, reading

NEWEST = migrations.STEPS[-1][0]


def status(db: str | None = None) -> dict[str, Any]:
    """Kind and place of the store, its schema, rows by table, and what is unfinished; what is absent is left out.

    Raises:
        SourceError: it cannot be reached or understood.
    """
    place = location(db)
    if isinstance(place, Address):
        with opened(place) as session:
            return _of_server(session, place)
    found: dict[str, Any] = {"kind": "sqlite", "place": str(place), "newest": NEWEST}
    with reading(place) as connection:
        if connection is None:
            return found
        names = {
            name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")
        }
        rows = {
            table: connection.execute(f"select count(*) from {table}").fetchone()[0]  # noqa: S608 - a name of TABLES
            for table in TABLES
            if table in names
        }
        (schema,) = connection.execute("select max(name) from migrations").fetchone()
        version = sqlite3.sqlite_version
        return found | {"version": version, "schema": schema, "rows": rows} | _unfinished(connection)


def _of_server(session: Session, place: Address) -> dict[str, Any]:
    (version,) = session.execute("show server_version").fetchone()
    (role, may_create) = session.execute(
        "select current_user, has_database_privilege(current_database(), 'create')"
    ).fetchone()
    found = {"kind": "postgresql", "place": str(place), "version": version, "newest": NEWEST, "role": role}
    vector = session.execute("select extversion from pg_extension where extname = 'vector'").fetchone()
    if vector:
        found["pgvector"] = vector[0]
    found |= _knowledge(session)
    seen = server.steps_seen(session)
    if seen is None:
        return found | {"may_write": may_create}
    (may_write,) = session.execute("select has_table_privilege('kb.runs', 'insert')").fetchone()
    found |= {"schema": max(seen, default=""), "may_write": may_write}
    if migrations.unseen(seen):
        return found
    rows = {
        table: session.execute(f"select count(*) from {table}").fetchone()[0]  # noqa: S608 - a name of TABLES
        for table in TABLES
    }
    return found | {"rows": rows} | _unfinished(session)


def _knowledge(session: Session) -> dict[str, Any]:
    there = session.execute("select 1 from pg_namespace where nspname = 'kb_knowledge'").fetchone()
    if not there or not session.execute("select has_schema_privilege('kb_knowledge', 'usage')").fetchone()[0]:
        return {}
    meta = dict(session.execute("select key, value from kb_knowledge.meta").fetchall())
    return {
        "entries": int(meta["entries"]),
        "model": f"{meta['model']} {meta['model_version']}".replace('"', ""),
    }


def _unfinished(connection: Any) -> dict[str, Any]:
    found = notes.note(connection, notes.COPY)
    return {"unfinished_copy": found} if found else {}


def migrate(db: str | None = None) -> str:
    """Bring a store up to date, and return the newest step of its schema.

    Raises:
        SourceError: it cannot be written, or is newer than this version.
    """
    place = location(db)
    if isinstance(place, Address):
        with opened(place) as session:
            migrations.migrate(session)
    else:
        with reading(place):  # a file is brought up to date whenever it is opened
            pass
    return NEWEST


def grant(role: str, db: str | None = None) -> bool:
    """Let a role read runs and outcomes, now and after later steps of the schema; whether the role was made.

    A role that is made may log in and has no password: how it proves itself is for whoever runs the server.

    Raises:
        UsageError: the store is a file, or the name is none.
        SourceError: this role may not grant, or there is no store.
    """
    place = server_only(db)
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_$]{0,62}", role):
        raise UsageError(
            f"{role!r} is no name of a role", where="ROLE", now="Letters, digits and underscores."
        )
    with opened(place) as session:
        if server.steps_seen(session) is None:
            raise SourceError("no store in this database", where=str(place), now="First: kb db migrate")
        made = not session.execute("select 1 from pg_roles where rolname = ?", [role]).fetchone()
        with migrations.transaction(session):
            if made:
                session.execute(f'create role "{role}" login')
            session.execute(f'grant usage on schema kb to "{role}"')
            session.execute(f'grant select on all tables in schema kb to "{role}"')
            session.execute(f'alter default privileges in schema kb grant select on tables to "{role}"')
    return made


def server_only(db: str | None) -> Address:
    """The address of the store.

    Raises:
        UsageError: it is a file.
    """
    place = location(db)
    if isinstance(place, Path):
        raise UsageError(
            "this store is a file", where=str(place), now="Give --db postgresql://USER@HOST/DATABASE."
        )
    return place
