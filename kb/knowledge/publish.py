"""Putting a search index into a team's database, and taking it out again as a file.

The tables are filled beside those in use and take their place in one transaction: readers see the old knowledge or the
new. Afterwards every table is counted and hashed on both sides.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from kb.errors import SourceError
from kb.guarded import defend
from kb.knowledge import record
from kb.knowledge.embed import Encoder
from kb.knowledge.nearest import LARGE
from kb.knowledge.reading import Index
from kb.knowledge.team import SCHEMA, TeamIndex
from kb.postgres.address import Address
from kb.postgres.faults import ServerError
from kb.postgres.session import Session, opened

_FRESH = "kb_knowledge_new"
_TURN = 0x6B63  # PostgreSQL's lock for whoever publishes
M, EF_CONSTRUCTION = (
    32,
    200,
)  # of the HNSW index: neighbours of an entry, and how many are looked at to find them
MOST_MEMORY = 2 << 30  # bytes of the server that building it may take
_FULL, _SHARED_MEMORY = "53100", "/PostgreSQL."  # the fault and the name of a segment that finds no room
_TEXT = 'text collate "C"'
_TABLES = {
    "meta": f"key {_TEXT} primary key, value text",
    "entry": f"n bigint primary key, id {_TEXT} unique not null, kind {_TEXT} not null, json text not null",
    "vector": "n bigint primary key, hash bytea not null, length double precision not null, vec bytea not null, "
    "prior double precision not null, embedding halfvec({dimensions})",
    "codes": "n bigint primary key, bits bytea not null",
    "term": f"term {_TEXT} primary key, df bigint not null",
    "means": f"term {_TEXT} primary key, also text not null",
    "field": f"term {_TEXT} primary key",
    "tag": f"axis {_TEXT}, value {_TEXT}, n bigint, primary key (axis, value, n)",
    "stem": f"stem {_TEXT} primary key, df bigint not null",
    "posting": f"stem {_TEXT}, n bigint, title integer, words integer, body integer, size integer, primary key (stem, n)",
}
# What both sides hold, and is compared after the copy.
_SHARED = {
    "entry": "n, id, kind, json", "vector": "n, hash, length, vec, prior", "codes": "n, bits", "term": "term, df",
    "means": "term, also", "field": "term", "tag": "axis, value, n",
}  # fmt: skip
_PLACES = {"title": 0, "words": 1, "body": 2}


class Published(NamedTuple):
    """What was put there: entries, and rows by table, each compared by count and hash."""

    entries: int
    rows: dict[str, int]


def publish(index: Index, place: Address) -> Published:
    """Put an open index into the database, in place of the knowledge it had.

    Raises:
        SourceError: the server refuses, pgvector is missing, or what arrived differs from what was sent.
    """
    if not isinstance(index.db, sqlite3.Connection):
        raise SourceError(
            "this index is in a database already", where=index.where, now="Publish one that is a file."
        )
    with opened(place) as session:
        _extension(session)
        readers = _readers(session)
        session.execute("begin")
        session.execute("select pg_advisory_xact_lock(?)", [_TURN])
        session.execute(f"drop schema if exists {_FRESH} cascade")
        session.execute(f"create schema {_FRESH}")
        session.search_in(_FRESH)
        _fill(index, session)
        found = {}
        for table, columns in _SHARED.items():
            query = f"select {columns} from {table}"  # noqa: S608 - names above
            here, there = summed(_portable(table, index.db.execute(query))), summed(session.stream(query))
            if here != there:
                raise SourceError(
                    f"{table}: {there[0]} rows arrived of {here[0]}, or differ; nothing was changed",
                    where=str(place),
                    now="Publish again.",
                )
            found[table] = there[0]
        session.execute(f"drop schema if exists {SCHEMA} cascade")
        session.execute(f"alter schema {_FRESH} rename to {SCHEMA}")
        for role in readers:
            grant(session, role)
        session.execute("commit")
        session.execute(f"analyze {SCHEMA}.posting")
        session.execute(f"analyze {SCHEMA}.vector")
    return Published(index.size, found)


def fetch(place: Address, path: Path, embedder: Encoder) -> int:
    """Write the knowledge of a database as an index file, and return how many entries it holds.

    Vectors are taken over; entries are compared by count and hash.

    Raises:
        SourceError: there is none, or it differs. KnowledgeError: another model made it. OSError: the file cannot be written.
    """
    from kb.knowledge import index as builder
    from kb.knowledge import store

    with opened(place) as session:
        session.search_in(SCHEMA)
        if not session.execute("select to_regclass('kb_knowledge.meta') is not null").fetchone()[0]:
            raise SourceError(
                "no knowledge in this database", where=str(place), now="kb db publish puts it there."
            )
        team = TeamIndex(session, embedder)
        rows = session.execute("select json from entry order by n").fetchall()
        entries = [record.entry(json.loads(text)) for (text,) in rows]
        query = "select hash, length, vec from vector"
        known = {bytes(key): (length, bytes(vec)) for key, length, vec in session.execute(query)}
        builder.build(entries, path, embedder, fingerprint=team.fingerprint, known=known)
        with closing(store.opened(path, embedder).db) as file:
            for table in ("entry", "vector"):
                ask = f"select {_SHARED[table]} from {table}"  # noqa: S608 - names above
                if summed(file.execute(ask)) != summed(session.execute(ask)):
                    path.unlink()
                    raise SourceError(f"{table}: what arrived differs", where=str(path), now="Try again.")
    return len(entries)


def grant_knowledge(place: Address, role: str) -> None:
    """Let a role read the knowledge of a database, where it holds any.

    Raises:
        SourceError: the server refuses.
    """
    with opened(place) as session:
        if session.execute("select 1 from pg_namespace where nspname = ?", [SCHEMA]).fetchone():
            grant(session, role)


def grant(session: Session, role: str) -> None:
    """Let a role read the knowledge."""
    name = '"' + role.replace('"', '""') + '"'
    session.execute(f"grant usage on schema {SCHEMA} to {name}")
    session.execute(f"grant select on all tables in schema {SCHEMA} to {name}")


def summed(rows: Iterable[Sequence[Any]]) -> tuple[int, int]:
    """Count, and the sum of the hashes of the rows, which their order does not change."""
    count = total = 0
    for row in rows:
        text = repr(
            [bytes(value).hex() if isinstance(value, (bytes, memoryview)) else value for value in row]
        )
        total += int.from_bytes(
            hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).digest(), "big"
        )
        count += 1
    return count, total % (1 << 128)


def _extension(session: Session) -> None:
    """pgvector, made where this role may."""
    if session.execute("select 1 from pg_extension where extname = 'vector'").fetchone():
        return
    try:
        session.execute("create extension vector")
    except ServerError as fault:
        raise SourceError(
            f"the database has no pgvector: {fault.said}",
            where=str(session.place),
            now="Install pgvector on the server; then its superuser runs in this database: create extension vector",
        ) from fault


def _readers(session: Session) -> list[str]:
    """Roles that may read the knowledge in use, its owner aside."""
    query = """select distinct r.rolname from pg_namespace n, aclexplode(n.nspacl) a join pg_roles r on r.oid = a.grantee
               where n.nspname = ? and a.privilege_type = 'USAGE' and r.oid <> n.nspowner"""
    return [name for (name,) in session.execute(query, [SCHEMA])]


def _fill(index: Index, session: Session) -> None:
    row = index.db.execute("select vec from vector limit 1").fetchone()
    dimensions = len(row[0]) if row else 256
    for table, columns in _TABLES.items():
        session.execute(f"create table {table} ({columns.format(dimensions=dimensions)})")
    for table, columns in _SHARED.items():
        rows = _portable(table, index.db.execute(f"select {columns} from {table}"))  # noqa: S608 - names above
        if table == "vector":
            session.copy(f"copy vector ({columns}, embedding) from stdin", map(_with_embedding, rows))
        else:
            session.copy(f"copy {table} ({columns}) from stdin", rows)
    with closing(_occurrences(index)) as found:
        sizes = dict(found.execute("select doc, count(*) from temp.occurrence group by doc"))
        session.copy("copy posting (stem, n, title, words, body, size) from stdin", _postings(found, sizes))
    session.execute("insert into stem select stem, count(*) from posting group by stem")
    meta = [*index.db.execute("select key, value from meta"), ("tokens", str(sum(sizes.values()))),
            ("published", json.dumps(uuid.uuid4().hex))]  # fmt: skip
    session.copy("copy meta (key, value) from stdin", meta)
    if index.size >= LARGE:
        _graph(session, index.size, dimensions)


def _graph(session: Session, size: int, dimensions: int) -> None:
    """The HNSW index, built in memory: where its graph does not fit, pgvector goes on through the disk, many times slower.

    The server's parallel workers build it in shared memory. A container often has 64 MB of that; one process then builds in its own.
    """
    most = "pg_size_bytes(current_setting('maintenance_work_mem'))"
    wanted = min(build_bytes(size, dimensions), MOST_MEMORY) >> 10
    session.execute(
        f"select set_config('maintenance_work_mem', ?, true) where {most} < ?",
        [f"{wanted}kB", wanted << 10],
    )
    build = (
        "create index on vector using hnsw (embedding halfvec_cosine_ops) "
        f"with (m = {M}, ef_construction = {EF_CONSTRUCTION})"
    )
    session.execute("savepoint before_graph")
    try:
        session.execute(build)
    except ServerError as fault:
        if fault.state != _FULL or _SHARED_MEMORY not in fault.said:
            raise
        session.execute("rollback to savepoint before_graph")
        session.execute("set local max_parallel_maintenance_workers = 0")
        session.execute(build)


def build_bytes(size: int, dimensions: int) -> int:
    """Memory that building the HNSW index takes on the server, in bytes.

    Two bytes a dimension and sixteen for each of 2m neighbours of an entry; the rest, 199 to 203 bytes, was measured with pgvector
    0.8 (`python tools/bench.py team-vectors`) and is taken as 256.
    """
    return size * (2 * dimensions + 32 * M + 256)


def _occurrences(index: Index) -> sqlite3.Connection:
    """The file opened once more, with a look at every occurrence of every stem."""
    if index.where == ":memory:":
        raise SourceError(
            "an index in memory cannot be published", now="Let KB_INDEX name a file that can be written."
        )
    found = sqlite3.connect(f"{Path(index.where).resolve().as_uri()}?mode=ro&immutable=1", uri=True)
    defend(found)
    found.execute("create virtual table temp.occurrence using fts5vocab('main', 'fts', 'instance')")
    return found


def _postings(db: sqlite3.Connection, sizes: dict[int, int]) -> Iterator[tuple[Any, ...]]:
    """How often each stem occurs in each part of each entry; FTS5 gives them stem by stem, entry by entry."""
    rows = db.execute("select term, doc, col from temp.occurrence")
    for (stem, n), found in groupby(rows, key=lambda row: (row[0], row[1])):
        counts = [0, 0, 0]
        for _, _, column in found:
            counts[_PLACES[column]] += 1
        yield stem, n, *counts, sizes[n]


def _with_embedding(row: Sequence[Any]) -> tuple[Any, ...]:
    signed = memoryview(row[3]).cast("b")
    return *row, "[" + ",".join(map(str, signed)) + "]"


def _portable(table: str, rows: Iterable[Sequence[Any]]) -> Iterator[Sequence[Any]]:
    """Rows without the paths of this machine: where an entry of one's own lies says nothing to others."""
    if table != "entry":
        yield from rows
        return
    for n, name, kind, text in rows:
        told = json.loads(text)
        if str(told.get("file", "")).startswith("/"):
            told["file"] = ""
            yield n, name, kind, json.dumps(told, ensure_ascii=False, separators=(",", ":"))
        else:
            yield n, name, kind, text
