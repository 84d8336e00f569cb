"""Killed outright at random moments: what was finished is there, the files are sound, the next command works.

(A collection that is killed stands in tests/engine/collect/test_collect_killed.py.)
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import sqlite_utils  # noqa: F401 - so that forked processes need not load it, each for a second
from killing import Scene, Tell, killed_at_random
from report_samples import RUN
from running import run_kb
from search_samples import ENTRIES, make_root

import kb.cli
from kb import shipped
from kb.experience import Outcome
from kb.knowledge import index, search, store
from kb.knowledge.embed import Embedder, shipped_model
from kb.report.json import kept
from kb.store import database, migrations, outcomes
from kb.store.details import DETAILS, detail_rows
from kb.store.runs import list_runs, load_run, save

SEED = 20271
WHOLE = json.loads(json.dumps(kept(RUN)))
COUNTS = {table: len(detail_rows(table, "", WHOLE)) for table in DETAILS}
TRY = Outcome("", "2026-01-02T12:00:00+00:00", "vector-larger-copies", "operator", 0.2, 0.03, "faster")


def sound(db: Path) -> None:
    """The file opens and its pages, keys and rows hold together."""
    with closing(sqlite3.connect(db)) as connection:
        assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
        assert connection.execute("pragma foreign_key_check").fetchall() == []


def keeping(place: Path) -> Scene:
    """Runs are kept, one after another."""
    db = place / "runs.db"
    finished: set[str] = set()
    rounds = iter(range(10**6))

    def prepare() -> None:
        next(rounds)

    def work(tell: Tell) -> None:
        first = f"{next(rounds)}"
        for at in range(15):
            save({**WHOLE, "run": f"{first}-{at}"}, db=str(db))
            tell(f"{first}-{at}")

    def look(told: list[str]) -> None:
        finished.update(told)
        if not db.exists():
            assert not finished
            return
        found = {run.id for run in list_runs(db=str(db))}
        assert finished <= found
        sound(db)
        with closing(sqlite3.connect(db)) as connection:
            for table, count in COUNTS.items():
                rows = dict(connection.execute(f"select run, count(*) from {table} group by run").fetchall())
                assert rows == (dict.fromkeys(found, count) if count else {}), table
        if len(found) > 150:  # the look at every run takes longer the more there are
            db.unlink()
            finished.clear()

    return Scene(prepare, work, look)


def trying(place: Path) -> Scene:
    """Outcomes are kept, one after another."""
    db = place / "runs.db"
    finished: set[str] = set()
    rounds = iter(range(10**6))

    def work(tell: Tell) -> None:
        first = f"{next(rounds)}"
        for at in range(40):
            outcomes.keep([replace(TRY, id=f"{first}-{at}")], db=str(db))
            tell(f"{first}-{at}")

    def look(told: list[str]) -> None:
        finished.update(told)
        if db.exists():
            assert finished <= {item.id for item in outcomes.load(db=str(db))}
            sound(db)

    return Scene(lambda: next(rounds) and None, work, look)


def updating(place: Path) -> Scene:
    """A store of the first release is brought to today's schema."""
    db = place / "runs.db"
    names = {f"old-{at}" for at in range(6)}

    def prepare() -> None:
        for path in place.glob("runs.db*"):
            path.unlink()
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(
                database, "migrate", lambda found: migrations.migrate(found, migrations.STEPS[:1])
            )
            with database.writing(db) as connection:
                connection.executemany(
                    "insert into runs (id, created, target, document) values (?, '2026', 'x', ?)",
                    [(name, json.dumps({**WHOLE, "run": name})) for name in sorted(names)],
                )

    def look(_: list[str]) -> None:
        sound(db)
        assert {run.id for run in list_runs(db=str(db))} == names  # the rest of the way, by the next command
        with closing(sqlite3.connect(db)) as connection:
            steps = [name for (name,) in connection.execute("select name from migrations order by name")]
            assert steps == [name for name, _ in migrations.STEPS]
            for table, count in COUNTS.items():
                found = connection.execute(f"select count(*) from {table}").fetchone()[0]
                assert found == count * len(names), table

    return Scene(prepare, lambda _: bool(list_runs(db=str(db))) and None, look)


def indexing(place: Path) -> Scene:
    """The search index is made anew, over and over, beside the one in use."""
    path, embedder = place / "index.db", Embedder(shipped_model())
    index.build(ENTRIES, path, embedder)

    def work(_: Tell) -> None:
        for _ in range(4):
            index.build(ENTRIES, path, embedder)

    def look(_: list[str]) -> None:
        sound(path)
        use = store.opened(path, embedder)
        with closing(use.db):
            assert search.search("tiling of MatMul", use=use).results[0].id == "matmul-tiling"
        assert all(part.name.startswith(".index.db.") for part in place.iterdir() if part != path)

    return Scene(lambda: None, work, look)


def writing(place: Path) -> Scene:
    """A report is written again and again over the one that is there."""
    db, page = str(place / "runs.db"), place / "report.html"
    run = save(WHOLE, db=db)
    command = ["report", run, "-o", str(page), "--db", db, "-q"]
    assert kb.cli.main(command) == 0
    whole = page.read_bytes()

    def work(_: Tell) -> None:
        for _ in range(5):
            kb.cli.main(command)

    def look(_: list[str]) -> None:
        assert page.read_bytes() == whole
        parts = [
            path.name for path in place.iterdir() if path != page and not path.name.startswith("runs.db")
        ]
        assert all(name.startswith(".report.html.") for name in parts)
        assert load_run(run, db=db)["run"] == run

    return Scene(lambda: None, work, look)


SCENES: dict[str, Callable[[Path], Scene]] = {
    made.__name__: made for made in (keeping, trying, updating, indexing, writing)
}


def cut(name: str, place: Path, times: int) -> None:
    met = killed_at_random(SCENES[name](place), times, SEED)
    assert met >= times // 2, "most kills found nobody at work"
    done = run_kb("runs", "list", "--format", "json", home=place)
    assert (done.returncode, json.loads(done.stdout)["schema"]) == (0, "kb.runs/1"), done.stderr


@pytest.mark.parametrize("name", SCENES)
def test_a_few_cuts(name: str, tmp_path: Path) -> None:
    cut(name, tmp_path, 5)


@pytest.mark.long
@pytest.mark.parametrize("name", SCENES)
def test_a_hundred_cuts_each(name: str, tmp_path: Path) -> None:
    cut(name, tmp_path, 100)


def test_what_a_killed_builder_left_is_deleted_by_a_later_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make_root(tmp_path / "data")
    monkeypatch.setattr(shipped, "root", lambda: made)
    monkeypatch.setenv("KB_INDEX", str(tmp_path / "index.db"))
    old, fresh = tmp_path / ".index.db.abcdefgh", tmp_path / ".index.db.ijklmnop"
    for path in (old, fresh):
        path.write_bytes(b"half")
    long_ago = time.time() - 2 * store._LEFT_SECONDS
    os.utime(old, (long_ago, long_ago))
    store.close()
    try:
        assert store.index().size == len(ENTRIES)
    finally:
        store.close()
    assert not old.exists() and fresh.exists()
