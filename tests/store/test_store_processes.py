"""Several processes on one store, and processes that are killed while they write."""

from __future__ import annotations

import json
import os
import random
import select
import signal
import sqlite3
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import sqlite_utils  # noqa: F401 - so that forked processes need not load it, each for a second
from report_samples import RUN, SAMPLE
from store_rows import rows

from kb.postgres.address import is_server
from kb.report.json import kept
from kb.store.details import DETAILS, detail_rows
from kb.store.runs import list_runs, load_run, save

SEED = 20261
WHOLE = json.loads(json.dumps(kept(RUN)))
COUNTS = {table: len(detail_rows(table, "", WHOLE)) for table in DETAILS}


def child(work: Callable[[], None]) -> int:
    """A forked process; it ends without pytest's own clean-up."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return pid


def ended(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def document(name: str) -> dict[str, Any]:
    return {**WHOLE, "run": name}


def check(db: str) -> set[str]:
    """The store opens and is sound, every run in it is whole; returns their ids."""
    if not is_server(db):
        assert rows(db, "pragma integrity_check") == [("ok",)]
        assert rows(db, "pragma foreign_key_check") == []
    found = {run.id for run in list_runs(db=db, limit=None)}
    for table, count in COUNTS.items():
        held = dict(rows(db, f"select run, count(*) from {table} group by run"))
        assert held == (dict.fromkeys(found, count) if count else {}), table
    return found


# --- writing at once --------------------------------------------------------------------------------------------


def test_two_writers_at_once_lose_nothing(db: str) -> None:
    pids = [
        child(lambda name=name: [save(document(f"{name}{at}"), db=db) for at in range(25)] and None)
        for name in ("a", "b")
    ]
    assert [ended(pid) for pid in pids] == [0, 0]
    assert check(db) == {f"{name}{at}" for name in "ab" for at in range(25)}


def test_many_that_open_a_new_store_at_the_same_moment_all_write_to_it(fresh: Callable[[], str]) -> None:
    for _ in range(8):
        db = fresh()
        start, go = os.pipe()

        def work(name: str, db: str = db, start: int = start, go: int = go) -> None:
            os.close(go)
            os.read(start, 1)  # all wait here for the end of the pipe
            save(document(name), db=db)

        pids = [child(partial(work, name)) for name in ("a", "b", "c", "d")]
        os.close(go)
        os.close(start)
        assert [ended(pid) for pid in pids] == [0] * 4
        assert check(db) == {"a", "b", "c", "d"}


def test_the_same_profile_from_two_processes_is_one_run(db: str) -> None:
    pids = [child(lambda: [save(document("same"), db=db) for _ in range(10)] and None) for _ in range(3)]
    assert [ended(pid) for pid in pids] == [0] * 3
    assert check(db) == {"same"}


def test_readers_see_whole_runs_while_others_write(db: str) -> None:
    save(document("first"), db=db)
    writer = child(lambda: [save(document(f"w{at}"), db=db) for at in range(40)] and None)
    while os.waitpid(writer, os.WNOHANG) == (0, 0):
        for run in list_runs(db=db):
            assert load_run(run.id, db=db)["run"] == run.id
    assert len(check(db)) == 41


# --- killed -----------------------------------------------------------------------------------------------------


def killed_while_writing(db: str, chance: random.Random) -> set[str]:
    """A process that keeps run after run is killed at a random moment; returns those it said it had kept."""
    told, tell = os.pipe()

    def work() -> None:
        os.close(told)
        for at in range(10_000):
            name = f"{os.getpid()}-{at}"
            save(document(name), db=db)
            os.write(tell, f"{name}\n".encode())

    pid = child(work)
    os.close(tell)
    heard = b""
    if chance.random() < 0.8:  # mostly when it is at work, now and then while it opens the store
        select.select([told], [], [], 10)
    time.sleep(chance.random() * 0.03)
    os.kill(pid, signal.SIGKILL)
    while chunk := os.read(told, 65536):
        heard += chunk
    os.close(told)
    assert ended(pid) == -signal.SIGKILL
    return set(heard.decode().splitlines())


def kill_at_random_points(db: str, points: int) -> None:
    chance = random.Random(SEED)
    finished: set[str] = set()
    for _ in range(points):
        finished |= killed_while_writing(db, chance)
        kept_runs = check(db)
        assert finished <= kept_runs, "a run that was finished is lost"
        assert len(kept_runs - finished) <= points  # at most one a kill was kept and not yet told
    assert finished


def test_a_kill_at_random_points_keeps_every_finished_run(db: str) -> None:
    kill_at_random_points(db, 12)


@pytest.mark.long
def test_200_kills_at_random_points_keep_every_finished_run(tmp_path: Path) -> None:
    for part in range(11):  # a store each 20 kills: the look at every run takes longer the more there are
        kill_at_random_points(str(tmp_path / f"{part}.db"), 20)


@pytest.mark.long
def test_a_kill_at_every_statement_while_the_schema_is_brought_up_to_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kb.store import database, migrations
    from kb.store.database import writing

    for statement in range(1, 2000, 2):
        db = tmp_path / f"{statement}.db"
        with monkeypatch.context() as patched:
            patched.setattr(
                database, "migrate", lambda found: migrations.migrate(found, migrations.STEPS[:4])
            )
            with writing(db) as store:
                store.execute(
                    "insert into runs (id, created, target, document) values ('old', '2026', 'x', ?)",
                    [json.dumps(document("old"))],
                )
        if not dies_at(str(db), statement):
            break
        assert check(str(db)) == {"old"}
        db.unlink()
    assert statement > 40


def dies_at(db: str, statement: int) -> bool:
    """Open the store in a process that kills itself before its n-th statement; whether it was killed."""
    connect, seen = sqlite3.connect, iter(range(1, 10**6))

    def watched(*args: Any, **kwargs: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*args, **kwargs)
        connection.set_trace_callback(
            lambda _: os.kill(os.getpid(), signal.SIGKILL) if next(seen) == statement else None
        )
        return connection

    def work() -> None:
        sqlite3.connect = watched  # type: ignore[assignment]
        list_runs(db=db)

    return ended(child(work)) != 0


def test_what_is_kept_twice_keeps_its_first_time(db: str) -> None:
    save(json.loads(json.dumps(kept(SAMPLE))), db=db)
    (before,) = list_runs(db=db)
    save(json.loads(json.dumps(kept(replace(SAMPLE, headline="judged anew")))), db=db)
    (after,) = list_runs(db=db)
    assert (after.created, after.headline) == (before.created, "judged anew")
