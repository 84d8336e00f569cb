"""What only a server has: its own schema, roles, passwords, faults; and that its schema is SQLite's."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from postgres_server import Server
from report_samples import RUN, SAMPLE
from store_rows import rows

from kb.errors import KbError, SourceError, UsageError
from kb.experience import Outcome
from kb.postgres import address as addresses
from kb.postgres.address import address
from kb.postgres.marks import marked, translated
from kb.postgres.session import Session, opened
from kb.report.json import kept
from kb.store import migrations
from kb.store.details import DETAILS
from kb.store.outcomes import keep, load
from kb.store.query import query
from kb.store.runs import delete_runs, list_runs, load_run, save
from kb.store.status import grant, migrate, status

WHOLE = json.loads(json.dumps(kept(RUN)))
ONE = Outcome("a" * 12, "2026-01-01T00:00:00+00:00", "entry", "operator", 0.5, 0.02, "faster")
SECRET = "Geh eim/nis%"


def columns(db: str) -> dict[str, list[tuple[str, str]]]:
    """Tables and views with their columns and kinds."""
    if addresses.is_server(db):
        found = rows(
            db,
            "select table_name, column_name, data_type from information_schema.columns where table_schema = 'kb' "
            "and column_name <> 'rowid' order by table_name, ordinal_position",
        )
    else:
        names = [
            name for (name,) in rows(db, "select name from sqlite_master where type in ('table', 'view')")
        ]
        found = [
            (name, column, kind.lower())
            for name in names
            for _, column, kind, *_ in rows(db, f"pragma table_info({name})")
        ]
    kinds = {"text": "text", "integer": "bigint", "float": "double precision", "real": "double precision"}
    tables: dict[str, list[tuple[str, str]]] = {}
    for table, column, kind in found:
        tables.setdefault(table, []).append((column, kinds.get(kind, kind)))
    return tables


def test_both_schemas_have_the_same_tables_and_columns(postgres: Server, file_db: str) -> None:
    server = postgres.fresh()
    for db in (server, file_db):
        save(WHOLE, db=db)
    here, there = columns(file_db), columns(server)
    assert here.keys() == there.keys()
    views = {name for (name,) in rows(file_db, "select name from sqlite_master where type = 'view'")}
    for table in here:
        if table in views:  # SQLite knows no kinds of computed columns
            assert [name for name, _ in here[table]] == [name for name, _ in there[table]], table
        else:
            assert here[table] == there[table], table


@pytest.mark.parametrize("before", [1, 4, 6, 8])
def test_an_older_schema_is_refused_until_it_is_brought_up_to_date(postgres: Server, before: int) -> None:
    old, new = postgres.fresh(), postgres.fresh()
    with opened(address(old)) as session:
        migrations.migrate(session, migrations.STEPS[:before])
        session.execute(
            "insert into runs (id, created, target, document) values (?, '2026', 'x', ?)",
            [WHOLE["run"], json.dumps(WHOLE)],
        )
    for ask in (lambda: list_runs(db=old), lambda: save(WHOLE, db=old), lambda: query("select 1", db=old)):
        with pytest.raises(SourceError, match="of an older kb") as caught:
            ask()
        assert "kb db migrate" in caught.value.now
    migrate(old)
    save(WHOLE, db=new)
    assert columns(old) == columns(new)
    if before < 4:  # tables of details are made from the documents
        for table in DETAILS:
            assert rows(old, f"select * from {table}") == rows(new, f"select * from {table}")
    assert [run.id for run in list_runs(db=old)] == [WHOLE["run"]]


def test_a_schema_of_a_newer_version_is_left_alone(postgres: Server) -> None:
    db = postgres.fresh()
    save(WHOLE, db=db)
    rows(db, "insert into migrations values ('0099-later')")
    with pytest.raises(SourceError, match="newer kb"):
        migrate(db)


def test_a_step_that_fails_leaves_nothing_of_the_schema(postgres: Server) -> None:
    db = postgres.fresh()

    def broken(schema: Any) -> None:
        schema.conn.execute("create table half (x text)")
        schema.conn.execute("select 1 / 0")

    with opened(address(db)) as session, pytest.raises(SourceError):
        migrations.migrate(session, (*migrations.STEPS[:2], ("0003-x", broken)))
    assert status(db).get("schema") is None
    assert save(WHOLE, db=db) == WHOLE["run"]


# --- roles ------------------------------------------------------------------------------------------------------


@pytest.fixture
def reader(postgres: Server, request: pytest.FixtureRequest) -> tuple[str, str]:
    """A filled store, as its owner sees it and as one who may read."""
    owner = postgres.fresh()
    save(WHOLE, db=owner)
    keep([ONE], db=owner)
    name = owner.split("@/")[1].split("?")[0]
    grant(f"reader_{name}", owner)
    return owner, postgres.address(name, f"reader_{name}")


def test_a_role_that_may_read_reads_everything(reader: tuple[str, str]) -> None:
    owner, db = reader
    assert list_runs(db=db) == list_runs(db=owner)
    assert load_run("last", db=db) == load_run("last", db=owner)
    assert load(db=db) == (ONE,)
    assert query("select count(*) from type_times", db=db).rows[0][0] > 0
    found = status(db)
    assert (found["may_write"], found["rows"]["runs"]) == (False, 1)


@pytest.mark.parametrize(
    "write",
    [
        lambda db: save(json.loads(json.dumps(kept(SAMPLE))), db=db),
        lambda db: save(WHOLE, db=db),
        lambda db: keep([ONE], db=db),
        lambda db: delete_runs([WHOLE["run"]], db=db),
        lambda db: grant("somebody", db),
    ],
    ids=["save", "save-again", "keep", "delete", "grant"],
)
def test_a_role_that_may_read_writes_nothing(reader: tuple[str, str], write: Callable[[str], Any]) -> None:
    owner, db = reader
    with pytest.raises(SourceError, match="this role may not do that") as caught:
        write(db)
    assert caught.value.exit_status == 3
    assert "kb db grant" in caught.value.now
    assert [run.id for run in list_runs(db=owner)] == [WHOLE["run"]]


def test_rights_last_over_later_steps_of_the_schema(reader: tuple[str, str]) -> None:
    owner, db = reader
    with opened(address(owner)) as session:
        session.execute("create table later (x text)")
    assert rows(db, "select * from later") == []


def test_a_role_without_rights_is_told_so(postgres: Server) -> None:
    owner = postgres.fresh()
    save(WHOLE, db=owner)
    name = owner.split("@/")[1].split("?")[0]
    postgres.execute(f"create role stranger_{name} login")
    with pytest.raises(SourceError, match="may not do that"):
        list_runs(db=postgres.address(name, f"stranger_{name}"))


@pytest.mark.parametrize("role", ["", "a b", 'x"; drop schema kb; --', "1a", "a" * 64])
def test_a_role_needs_a_name(postgres: Server, role: str) -> None:
    with pytest.raises(UsageError, match="no name of a role"):
        grant(role, postgres.fresh())


def test_a_file_has_no_roles(file_db: str) -> None:
    with pytest.raises(UsageError, match="is a file"):
        grant("analyst", file_db)


def test_sql_by_hand_cannot_write_even_as_the_owner(postgres: Server) -> None:
    db = postgres.fresh()
    save(WHOLE, db=db)
    for sql in (
        "select 1; delete from runs", "commit; delete from runs", "do $$ begin delete from runs; end $$",
        "with gone as (delete from runs returning id) select * from gone", "select * from runs for update",
        "select set_config('transaction_read_only', 'off', false)", "copy runs to '/tmp/runs'", "listen x",
        "select nextval(pg_get_serial_sequence('kb.runs', 'rowid'))", "select lo_create(0)",
    ):  # fmt: skip
        with pytest.raises(UsageError):
            query(sql, db=db)
    assert [run.id for run in list_runs(db=db)] == [WHOLE["run"]]


# --- faults -----------------------------------------------------------------------------------------------------


def test_faults_say_what_to_do_and_show_no_password(postgres: Server, tmp_path: Any) -> None:
    from urllib.parse import quote

    secret = quote(SECRET, safe="")
    host = postgres.sockets
    wrong = {
        f"postgresql://kb:{secret}@/none?host={host}": "no such database or user",
        f"postgresql://postgres:{secret}@/none?host={host}": "no such database or user",
        f"postgresql://kb:{secret}@/x?host={tmp_path}": "no server answers",
        f"postgresql://kb@127.0.0.1:1/x?password={secret}": "no server answers",
        f"postgresql://kb:{secret}@nowhere.invalid/x": "no such host",
    }
    for db, says in wrong.items():
        for ask in (
            lambda db=db: list_runs(db=db),
            lambda db=db: save(WHOLE, db=db),
            lambda db=db: status(db),
        ):
            with pytest.raises(SourceError, match=says) as caught:
                ask()
            text = f"{caught.value!s} {caught.value!r} {caught.value.__cause__!r}"
            assert SECRET not in text and secret not in text, text
            assert caught.value.now


def test_a_wrong_password_is_named(postgres: Server) -> None:
    """The server of the tests trusts everybody, so what it would say is said for it."""
    import psycopg

    from kb.postgres.faults import error

    place = address("postgresql://kb:secret@host/kb")
    fault = psycopg.OperationalError(
        'connection failed: connection to server at "host", port 5432 failed: FATAL:  password authentication failed for user "kb" secret'
    )
    told = error(fault, place)
    assert "refused the password" in str(told) and "secret" not in str(told)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("postgresql://a:b@h/d", "postgresql://a:***@h/d"),
        ("postgresql://a:p@ss:w@h:5/d?x=1", "postgresql://a:***@h:5/d?x=1"),
        ("postgres://a@h/d?password=x&sslmode=require", "postgres://a@h/d?password=***&sslmode=require"),
        ("postgresql://a@h/d?PassWord=x", "postgresql://a@h/d?PassWord=***"),
        ("postgresql://a:p/w@h/d", "postgresql://a:***@h/d"),
        ("postgresql://a:p?w@h/d", "postgresql://a:***@h/d"),
        ("postgresql://h/d", "postgresql://h/d"),
        ("/path/with@sign:x", "/path/with@sign:x"),
    ],
)
def test_passwords_are_masked(given: str, shown: str) -> None:
    assert addresses.masked(given) == shown
    if "://" in given and not {"p/w", "p?w"} & set(given.rsplit(":", maxsplit=1)[-1].split("@")):
        assert str(address(given)) == shown
        assert given not in repr(address(given)) or given == shown


@pytest.mark.parametrize(
    "given", ["mysql://h/d", "postgresql://h:port/d", "postgresql://[h/d", "http://x", "postgresql://h/\x1b"]
)
def test_what_is_no_address_of_a_server_is_refused(given: str) -> None:
    with pytest.raises(UsageError, match="--db"):
        address(given)


def test_without_the_driver_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kb.postgres.session.find_spec", lambda _: None)
    with pytest.raises(UsageError, match="psycopg") as caught:
        Session(address("postgresql://h/d"))
    assert "ascend-kb[postgres]" in caught.value.now


def test_a_connection_that_is_cut_loses_nothing_that_was_confirmed(postgres: Server) -> None:
    db = postgres.fresh()
    save(WHOLE, db=db)
    with opened(address(db)) as session:
        session.execute("begin")
        session.execute("delete from runs")
        (pid,) = session.execute("select pg_backend_pid()").fetchone()
        postgres.execute(f"select pg_terminate_backend({pid})")
        with pytest.raises(KbError, match="cannot be used"):
            session.execute("commit")
    assert [run.id for run in list_runs(db=db)] == [WHOLE["run"]]


# --- statements -------------------------------------------------------------------------------------------------


def test_marks_become_the_drivers() -> None:
    assert marked("select ? , :a_b, 'it''s ? :x %', \"c?\", x::text, 5 % 2") == (
        "select %s , %(a_b)s, 'it''s ? :x %%', \"c?\", x::text, 5 %% 2"
    )
    assert (
        translated("order by a desc, 'x desc', b desc nulls first")
        == "order by a desc nulls last, 'x desc', b desc nulls first"
    )
