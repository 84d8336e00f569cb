"""SQL by hand: only looking, and only so much."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path

import pytest
from report_samples import RUN, SAMPLE

from kb.errors import SourceError, UsageError
from kb.postgres.address import is_server
from kb.report.json import kept
from kb.store.query import query
from kb.store.runs import list_runs, save

ENDLESS = "with recursive a(x) as (select 1 union all select x + 1 from a) select count(*) from a"


def filled(store: str) -> str:
    for report in (SAMPLE, RUN):
        save(json.loads(json.dumps(kept(report))), db=store)
    return store


@pytest.fixture
def file_db(tmp_path: Path) -> str:
    return filled(str(tmp_path / "kb.db"))


@pytest.fixture(params=["sqlite", "postgres"])
def db(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return filled(str(tmp_path / "kb.db"))
    return filled(str(request.getfixturevalue("postgres").fresh()))


def test_a_select_is_answered(db: str) -> None:
    found = query("select id, total_us from runs where id = :run", {"run": SAMPLE.run}, db=db)
    assert (found.columns, found.rows, found.cut) == (("id", "total_us"), ((SAMPLE.run, 692.12),), False)


@pytest.mark.parametrize(
    "sql",
    [
        "delete from runs", "update runs set target = 'x'", "insert into runs (id) values ('x')", "drop table runs",
        "drop view advice", "create table x (a)", "create temp table x (a)", "create view x as select 1", "vacuum",
        "alter table runs add column x", "attach 'other.db' as other", "attach ':memory:' as other", "detach main",
        "vacuum into 'copy.db'", "pragma journal_mode = delete", "pragma query_only = off", "pragma user_version = 5",
        "pragma writable_schema = on", "begin immediate", "commit", "savepoint x", "reindex", "analyze",
        "replace into runs (id) values ('x')", "select load_extension('x')",
        "with x as (select 1) delete from runs", "explain delete from runs",
    ],
)  # fmt: skip
def test_nothing_is_written_or_attached(
    db: str, sql: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_server(db) and "load_extension" in sql:
        pytest.skip("a function of SQLite's")
    monkeypatch.chdir(tmp_path)
    before = sorted(path.name for path in tmp_path.iterdir())
    with pytest.raises(UsageError, match="more than look"):
        query(sql, db=db)
    assert len(list_runs(db=db)) == 2
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix == ".db") == [
        name for name in before if name.endswith(".db")
    ]


def test_the_file_itself_is_opened_read_only(file_db: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The authorizer is one lock, the way the file is opened another."""
    monkeypatch.setattr("kb.store.query._restrict", lambda *_: None)
    with pytest.raises(UsageError, match="more than look"):
        query("delete from runs", db=file_db)
    assert len(list_runs(db=file_db)) == 2


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("", "asks for nothing"), ("-- only a remark", "asks for nothing"), ("select 1; select 2", "more than one"),
        ("select", "incomplete|syntax"), ("selec 1", "syntax"), ("select * from nowhere", "no such table"),
        ("select :x", "binding"), ("select zeroblob(1000000001)", "too big"), ("select 1\0", "NUL|null|unrecognized"),
        ("select abs(-9223372036854775808)", "overflow"),
    ],
)  # fmt: skip
def test_faults_of_the_question_are_the_users(file_db: str, sql: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        query(sql, db=file_db)


@pytest.mark.skipif(
    not hasattr(sqlite3.Connection, "setlimit"), reason="SQLite's own bound before Python 3.11"
)
def test_one_value_is_bounded_below_what_sqlite_allows(file_db: str) -> None:
    with pytest.raises(UsageError, match="too big"):
        query("select zeroblob(1000000000)", db=file_db)


def test_looking_at_the_schema_is_allowed(file_db: str) -> None:
    assert "advice" in {name for (name,) in query("select name from sqlite_master", db=file_db).rows}
    assert query("pragma table_info(runs)", db=file_db).rows


def test_rows_bytes_and_time_are_limited(db: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = query("select column1 from (values (1), (2), (3)) as v", db=db, rows=2)
    assert (found.rows, found.cut) == (((1,), (2,)), True)
    assert not query("select column1 from (values (1), (2)) as v", db=db, rows=2).cut
    monkeypatch.setattr("kb.store.answers.BYTES", 5000)
    text = "repeat('x', 4000)" if is_server(db) else "hex(zeroblob(2000))"
    found = query(f"select {text} from (values (1), (2), (3)) as v", db=db)
    assert (len(found.rows), found.cut) == (1, True)
    with pytest.raises(UsageError, match=r"longer than 0\.05 s"):
        query(ENDLESS, db=db, seconds=0.05)


def test_values_that_are_no_text_can_be_shown(file_db: str) -> None:
    assert query("select x'00ff', null, 1.5", db=file_db).rows == (("x'00ff'", None, 1.5),)


def test_no_store_is_an_empty_store(tmp_path: Path) -> None:
    assert query("select count(*) from run_overview", db=str(tmp_path / "none.db")).rows == ((0,),)
    assert list(tmp_path.iterdir()) == []


def test_a_store_in_a_folder_that_cannot_be_written(file_db: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert query("select count(*) from runs", db=file_db).rows == ((2,),)


def test_a_broken_store_is_no_fault_of_the_question(tmp_path: Path) -> None:
    bad = tmp_path / "bad.db"
    bad.write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
    with pytest.raises(SourceError):
        query("select 1", db=str(bad))


def test_a_trap_in_a_foreign_file_does_not_snap(tmp_path: Path) -> None:
    """A file that looks like a store may hold views and triggers of somebody else's."""
    bad = tmp_path / "foreign.db"
    save(json.loads(json.dumps(kept(SAMPLE))), db=str(bad))
    with sqlite3.connect(bad) as connection:
        connection.execute("create view trap as select load_extension('evil') as x")
    with pytest.raises(UsageError):
        query("select * from trap", db=str(bad))
