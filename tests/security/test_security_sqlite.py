"""SQLite files of others: nothing of their schema runs, nothing is written, no statement of theirs has effects."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from report_samples import RUN, SAMPLE
from running import ROOT

from kb.engine.readers import foreign, read
from kb.engine.readers.source import open_source
from kb.engine.readers.sqlite_file import SqliteFile
from kb.errors import KbError, UsageError
from kb.guarded import defend
from kb.report.json import document
from kb.store.query import query
from kb.store.runs import list_runs, save

WHOLE = ROOT / "tests" / "samples" / "database" / "whole.db"
FORBIDDEN = (
    "insert into TASK select * from TASK", "delete from TASK", "drop table TASK", "create table t(a)", "vacuum into 'stolen.db'",
    "attach database 'stolen.db' as stolen", "pragma writable_schema=1", "select load_extension('./evil')", "reindex",
    "select fts3_tokenizer('x')", "select * from trap", "select * from pragma_database_list",
)  # fmt: skip


@pytest.fixture
def trapped(tmp_path: Path) -> Path:
    """A profile of ours with views, triggers, a virtual and a generated table of somebody else's."""
    path = tmp_path / "whole.db"
    path.write_bytes(WHOLE.read_bytes())
    with closing(sqlite3.connect(path)) as base:
        base.executescript(
            """
            create view trap as with recursive n(x) as (select 1 union all select x + 1 from n) select count(*) c from n;
            create trigger t after insert on TASK begin delete from TASK; end;
            create table made(a, b generated always as (hex(zeroblob(100000000))) virtual);
            create virtual table words using fts5(a);
            """
        )
    return path


def test_a_trapped_profile_is_read_as_the_plain_one(trapped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(trapped.parent)
    before = hashlib.sha256(trapped.read_bytes()).hexdigest()
    assert read([trapped]).operators == read([WHOLE]).operators
    assert hashlib.sha256(trapped.read_bytes()).hexdigest() == before
    assert [path.name for path in trapped.parent.iterdir()] == ["whole.db"]


def test_only_plain_tables_and_stored_columns_are_seen(trapped: Path) -> None:
    with SqliteFile(trapped, trapped.stat().st_size) as base:
        assert not {"trap", "words"} & set(base.tables)
        assert base.tables["made"] == ("a",)


@pytest.mark.parametrize("statement", FORBIDDEN)
def test_a_foreign_file_answers_and_does_nothing_else(
    trapped: Path, statement: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(trapped.parent)
    with SqliteFile(trapped, trapped.stat().st_size) as base, pytest.raises(sqlite3.Error):
        list(base.rows(statement))
    assert [path.name for path in trapped.parent.iterdir()] == ["whole.db"]


def test_the_work_on_a_foreign_file_is_bounded(trapped: Path) -> None:
    with SqliteFile(trapped, 0) as base, pytest.raises(sqlite3.OperationalError, match="interrupted"):
        list(base.rows("select count(*) from TASK a, TASK b, TASK c, TASK d, TASK e, TASK f, TASK g, TASK h"))


def test_a_database_that_is_no_profile_is_named_by_its_tables_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as base:
        base.execute("create table notes(a)")
        base.execute("create view COMPUTE_TASK_INFO as select load_extension('evil')")
        base.commit()
    assert foreign.describe(open_source(path)) == foreign.describe(open_source(path))
    with pytest.raises(KbError, match="no profile"):
        read([path])


def test_schemas_are_not_trusted() -> None:
    with closing(defend(sqlite3.connect(":memory:"))) as base:
        assert base.execute("pragma trusted_schema").fetchone() == (0,)
        assert base.execute("pragma cell_size_check").fetchone() == (1,)
        with pytest.raises(sqlite3.Error):
            base.execute("select load_extension('evil')")
        if hasattr(base, "getconfig"):
            assert base.getconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE)
            base.execute("create table t(a)")
            base.execute("pragma writable_schema=on")
            with pytest.raises(sqlite3.Error):
                base.execute("update sqlite_master set sql = 'x'")


def test_a_store_with_a_trigger_of_somebody_else_has_no_effect_elsewhere(tmp_path: Path) -> None:
    """A trigger in a store somebody gave away can spoil that store, and nothing else."""
    path = tmp_path / "given.db"
    save(json.loads(json.dumps(document(SAMPLE))), db=str(path))
    with closing(sqlite3.connect(path)) as base:
        base.execute("create trigger t after insert on runs begin select load_extension('evil'); end")
        base.commit()
    with pytest.raises(KbError):
        save(json.loads(json.dumps(document(RUN))), db=str(path))
    assert len(list_runs(db=str(path))) == 1
    assert {found.name.partition("-")[0] for found in tmp_path.iterdir()} == {"given.db"}


@pytest.mark.parametrize(
    "statement",
    [
        "delete from runs", "attach database '{}' as x", "vacuum into '{}'", "pragma journal_mode=off", "create temp table t(a)",
        "pragma trusted_schema=on", "with n as (select 1) insert into runs select * from runs", "select writefile('{}', 'x')",
        "begin", "detach main", "explain delete from runs", "select load_extension('{}')",
    ],
)  # fmt: skip
def test_sql_of_a_user_cannot_write_or_attach(tmp_path: Path, statement: str) -> None:
    path, outside = tmp_path / "runs.db", tmp_path / "outside"
    save(json.loads(json.dumps(document(SAMPLE))), db=str(path))
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    with pytest.raises(UsageError):
        query(statement.format(outside), db=str(path))
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before and not outside.exists()
