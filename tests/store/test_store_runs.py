from __future__ import annotations

import json
import os
import signal
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from report_samples import CUMMIN, HOSTILE, RUN, SAMPLE
from store_rows import rows

from kb.errors import SourceError, UsageError
from kb.model import Report
from kb.postgres.address import is_server
from kb.report.json import document
from kb.report.load import report_from_dict
from kb.store import database, migrations
from kb.store.database import location, writing
from kb.store.details import DETAILS, detail_rows
from kb.store.runs import list_runs, load_run, save

NOON = datetime(2026, 1, 2, 12, tzinfo=timezone.utc)


def plain(report: Report) -> dict[str, Any]:
    found = json.loads(json.dumps(document(report)))
    assert isinstance(found, dict)
    return found


def test_a_report_comes_back_as_it_was(db: str) -> None:
    for report in (SAMPLE, RUN):
        run = save(plain(report), db=db)
        assert run == report.run
        assert report_from_dict(load_run(run, db=db)) == report
        assert report_from_dict(load_run(run[:6], db=db)) == report


def test_the_same_report_twice_is_one_run_and_keeps_its_time(db: str) -> None:
    save(plain(SAMPLE), db=db, now=NOON)
    save(plain(RUN), db=db, now=NOON + timedelta(hours=1))
    save(plain(replace(SAMPLE, headline="told better")), db=db, now=NOON + timedelta(hours=2))
    assert [(run.id, run.headline, run.created) for run in list_runs(db=db)] == [
        (RUN.run, RUN.headline, "2026-01-02T13:00:00+00:00"),
        (SAMPLE.run, "told better", "2026-01-02T12:00:00+00:00"),
    ]
    assert rows(db, f"select count(*) from findings where run = '{SAMPLE.run}'") == [(2,)]
    assert [run.id for run in list_runs(db=db, limit=1)] == [RUN.run]


def test_details_are_rows(db: str) -> None:
    save(plain(SAMPLE), db=db)
    assert rows(db, "select position, type, core, count, time_us from operators") == [
        (1, "Cummin", "vector", 1, 692.12)
    ]
    assert rows(db, "select finding, pattern, headroom from findings order by position")[1] == (
        "scalar-bound-vector:cummin", "scalar-bound-vector", 0.5,
    )  # fmt: skip
    assert rows(db, "select entry, gain_low, gain_of from recommendations order by position")[0] == (
        "vector-larger-copies", 0.2, "operator",
    )  # fmt: skip


def test_absent_stays_absent(db: str) -> None:
    save(plain(RUN), db=db)
    assert rows(db, "select soc from runs") == [(None,)]
    assert rows(db, "select headroom from findings order by position")[0] == (None,)
    assert rows(db, "select type from operators order by position")[2] == (None,)


def test_hostile_text_and_undecodable_names_are_kept(db: str) -> None:
    bad = replace(
        HOSTILE,
        target="name\udcff'; drop table runs; --",
        operators=(replace(CUMMIN, name="\udc80"),),
    )
    run = save(plain(bad), db=db)
    assert load_run(run, db=db)["target"] == "name?'; drop table runs; --"
    assert len(list_runs(db=db)) == 1


def test_the_store_is_private_and_in_wal_mode(file_db: str) -> None:
    save(plain(SAMPLE), db=file_db)
    assert stat.S_IMODE(Path(file_db).stat().st_mode) == 0o600
    assert stat.S_IMODE(Path(file_db).parent.stat().st_mode) == 0o700
    assert rows(file_db, "pragma journal_mode") == [("wal",)]


def test_no_store_is_no_run_and_looking_makes_none(db: str) -> None:
    assert list_runs(db=db) == []
    with pytest.raises(UsageError, match="no run 'abc' is kept"):
        load_run("abc", db=db)
    if is_server(db):
        assert rows(db, "select 1 from pg_namespace where nspname = 'kb'") == []
    else:
        assert not Path(db).parent.exists()


def test_an_ambiguous_beginning_names_the_runs(db: str) -> None:
    for run in ("aab1", "aab2", "aab"):
        save(plain(replace(SAMPLE, run=run)), db=db)
    assert load_run("aab", db=db)["run"] == "aab"
    with pytest.raises(UsageError, match="aab, aab1, aab2"):
        load_run("aa", db=db)
    for wrong in ("", "%", "b", "aab_"):
        with pytest.raises(UsageError, match="is kept"):
            load_run(wrong, db=db)


@pytest.mark.parametrize(
    ("variables", "path"),
    [
        ({"KB_DB": "/a/b.db", "XDG_DATA_HOME": "/x", "HOME": "/h"}, "/a/b.db"),
        ({"XDG_DATA_HOME": "/x", "HOME": "/h"}, "/x/kb/kb.db"),
        ({"XDG_DATA_HOME": "relative", "HOME": "/h"}, "/h/.local/share/kb/kb.db"),
        ({"KB_DB": "~/mine.db", "HOME": "/h"}, "/h/mine.db"),
    ],
)
def test_where_the_store_lies(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], path: str) -> None:
    for name in ("KB_DB", "XDG_DATA_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert str(location()) == path
    assert str(location("/other.db")) == "/other.db"


def test_a_server_other_than_postgresql_is_refused_by_name() -> None:
    with pytest.raises(UsageError, match=r"--db: mysql:// cannot be used"):
        location("mysql://host/kb")


# --- schema -----------------------------------------------------------------------------------------------------


def test_from_an_empty_file(file_db: str) -> None:
    Path(file_db).parent.mkdir(parents=True)
    Path(file_db).touch()
    assert list_runs(db=file_db) == []
    assert {name for (name,) in rows(file_db, "select name from migrations")} == {
        name for name, _ in migrations.STEPS
    }


def test_from_the_first_schema_the_details_are_filled_in(
    file_db: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as old:
        old.setattr(database, "migrate", lambda found: migrations.migrate(found, migrations.STEPS[:1]))
        with writing(Path(file_db)) as store:
            found = plain(SAMPLE)
            store.execute(
                "insert into runs (id, created, target, document) values ('old', '2026', 'x', ?)",
                [json.dumps({**found, "run": "old"})],
            )
        tables = {name for (name,) in rows(file_db, "select name from sqlite_master where type = 'table'")}
        assert tables == {"migrations", "runs"}
    assert [run.id for run in list_runs(db=file_db)] == ["old"]
    counts = {
        table: rows(file_db, f"select count(*) from {table} where run = 'old'")[0][0] for table in DETAILS
    }
    assert counts == {table: len(detail_rows(table, "old", found)) for table in DETAILS}
    assert counts["operators"] == 1 and counts["evidence"] == 3 and counts["not_judged"] == 2
    assert rows(file_db, "select mode, tool, metrics from runs where id = 'old'") == [
        ("device", "msopprof", "Default")
    ]
    assert rows(file_db, "select chip, bottleneck from run_overview") == [(None, "small-mte3-writes")]


def test_the_first_schema_is_what_it_was(file_db: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "migrate", lambda found: migrations.migrate(found, migrations.STEPS[:1]))
    with writing(Path(file_db)):
        pass
    columns = [(name, kind) for _, name, kind, *_ in rows(file_db, "pragma table_info(runs)")]
    assert columns == [
        ("id", "TEXT"), ("created", "TEXT"), ("target", "TEXT"), ("soc", "TEXT"), ("total_us", "REAL"),
        ("headline", "TEXT"), ("document", "TEXT"),
    ]  # fmt: skip


def test_a_step_that_fails_leaves_no_half(file_db: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(store: Any) -> None:
        store.conn.execute("create table half (x)")
        raise sqlite3.OperationalError("disk full")

    with monkeypatch.context() as patched:
        patched.setattr(
            database,
            "migrate",
            lambda found: migrations.migrate(found, (*migrations.STEPS[:2], ("0003-x", broken))),
        )
        with pytest.raises(SourceError, match="disk full"):
            save(plain(SAMPLE), db=file_db)
    assert {name for (name,) in rows(file_db, "select name from migrations")} == {
        "0001-runs",
        "0002-operators",
    }
    assert rows(file_db, "select name from sqlite_master where name = 'half'") == []
    assert save(plain(SAMPLE), db=file_db) == SAMPLE.run


def test_a_store_of_a_newer_version_is_left_alone(db: str) -> None:
    save(plain(SAMPLE), db=db)
    rows(db, "insert into migrations values ('0099-later')")
    with pytest.raises(SourceError, match="newer kb"):
        list_runs(db=db)


def test_steps_are_numbered_in_order() -> None:
    numbers = [int(name[:4]) for name, _ in migrations.STEPS]
    assert numbers == sorted(set(numbers))
    assert numbers[0] == 1


# --- what goes wrong --------------------------------------------------------------------------------------------


def test_another_file_is_refused(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("these are notes, not a database\n" * 40)
    with pytest.raises(SourceError, match="not a database"):
        save(plain(SAMPLE), db=str(text))
    assert text.read_text().startswith("these are notes")


@pytest.mark.parametrize(
    "make", [lambda p: p.mkdir(), lambda p: p.write_text("x")], ids=["folder", "below-a-file"]
)
def test_a_place_that_cannot_be_written_is_named(tmp_path: Path, make: Any) -> None:
    place = tmp_path / "taken"
    make(place)
    target = place if place.is_dir() else place / "kb.db"
    with pytest.raises(SourceError) as fault:
        save(plain(SAMPLE), db=str(target))
    assert str(target) in str(fault.value)
    assert "--db" in fault.value.now


def test_a_locked_store_is_said_to_be_locked(file_db: str, monkeypatch: pytest.MonkeyPatch) -> None:
    save(plain(SAMPLE), db=file_db)
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.0)
    with closing(sqlite3.connect(file_db, isolation_level=None)) as other:
        other.execute("begin immediate")
        with pytest.raises(SourceError, match="locked") as fault:
            save(plain(RUN), db=file_db)
        assert "Another kb is writing" in fault.value.now
        assert [run.id for run in list_runs(db=file_db)] == [SAMPLE.run]  # readers are not held up
    assert save(plain(RUN), db=file_db) == RUN.run


def test_a_store_that_may_not_be_written_can_be_read(file_db: str, monkeypatch: pytest.MonkeyPatch) -> None:
    save(plain(SAMPLE), db=file_db)
    monkeypatch.setattr(os, "access", lambda *_: False)
    before = sorted(path.name for path in Path(file_db).parent.iterdir())
    assert [run.id for run in list_runs(db=file_db)] == [SAMPLE.run]
    assert load_run(SAMPLE.run, db=file_db)["target"] == SAMPLE.target
    assert sorted(path.name for path in Path(file_db).parent.iterdir()) == before


def killed_at(db: str, statement: int) -> bool:
    """Save RUN in a child that kills itself before its n-th statement; whether it was killed."""
    child = os.fork()
    if child == 0:
        connect = sqlite3.connect
        seen = iter(range(1, 10**6))

        def watched(*args: Any, **kwargs: Any) -> sqlite3.Connection:
            connection: sqlite3.Connection = connect(*args, **kwargs)
            connection.set_trace_callback(
                lambda _: os.kill(os.getpid(), signal.SIGKILL) if next(seen) == statement else None
            )
            return connection

        sqlite3.connect = watched  # type: ignore[assignment]
        save(plain(RUN), db=db)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def statements() -> Iterator[int]:
    yield from range(1, 400, 3)


def test_a_kill_leaves_the_run_whole_or_absent(tmp_path: Path) -> None:
    whole = {table: len(detail_rows(table, RUN.run, plain(RUN))) for table in DETAILS}
    killed = 0
    for statement in statements():
        db = str(tmp_path / f"{statement}.db")
        save(plain(SAMPLE), db=db)
        if not killed_at(db, statement):
            break
        killed += 1
        assert rows(db, "pragma integrity_check") == [("ok",)]
        kept = {run.id for run in list_runs(db=db)}
        assert SAMPLE.run in kept
        counts = {
            table: rows(db, f"select count(*) from {table} where run = '{RUN.run}'")[0][0]
            for table in DETAILS
        }
        assert counts == (whole if RUN.run in kept else dict.fromkeys(DETAILS, 0))
        assert save(plain(RUN), db=db) == RUN.run
    assert killed > 5


@pytest.mark.parametrize("text", ["nonsense", "null", "[]", "[" * 100_000])
def test_a_damaged_document_is_named(db: str, text: str) -> None:
    run = save(plain(SAMPLE), db=db)
    rows(db, "update runs set document = ?", [text])
    with pytest.raises(SourceError, match="is damaged"):
        load_run(run, db=db)


def test_a_run_id_of_bytes_that_are_no_text_is_unknown(db: str) -> None:
    save(plain(SAMPLE), db=db)
    with pytest.raises(UsageError, match="no run"):
        load_run("\udcff", db=db)


def test_a_home_folder_of_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KB_DB", "~nobody-of-that-name/kb.db")
    with pytest.raises(UsageError, match="home folder") as caught:
        location()
    assert caught.value.where == "KB_DB"
