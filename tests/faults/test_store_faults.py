"""The run store damaged, locked, of a newer version, or under a clock that jumps."""

from __future__ import annotations

import csv
import io
import json
import random
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from report_samples import RUN, SAMPLE
from running import ROOT, environment, run_kb

from kb.engine import pipeline
from kb.engine.request import Request
from kb.errors import KbError
from kb.report.json import kept
from kb.store import database, outcomes
from kb.store.query import query
from kb.store.runs import find_runs, list_runs, load_run, save

SEED = 20273
NOON = datetime(2026, 1, 2, 12, tzinfo=timezone.utc)
PAGE = 4096


def plain(report: Any, **changes: Any) -> dict[str, Any]:
    found = json.loads(json.dumps(kept(replace(report, **changes))))
    assert isinstance(found, dict)
    return found


# --- a damaged page --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with some runs, all of it in the file."""
    db = tmp_path_factory.mktemp("whole") / "runs.db"
    for at in range(6):
        save(plain(RUN, run=f"{at:012x}"), db=str(db))
    save(plain(SAMPLE), db=str(db))
    with closing(sqlite3.connect(db)) as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
    return db


def used(db: Path) -> tuple[int, list[str]]:
    """Everything a user does with a store; how many of the steps went well, and what the others said."""
    steps = (
        lambda: list_runs(db=str(db)),
        lambda: [load_run(f"{at:012x}", db=str(db)) for at in range(6)],
        lambda: query("select * from operator_times", db=str(db)),
        lambda: query("select * from bottleneck_history", db=str(db)),
        lambda: outcomes.load(db=str(db)),
        lambda: save(plain(RUN, run="fresh"), db=str(db)),
    )
    well, told = 0, []
    for step in steps:
        try:
            step()
            well += 1
        except KbError as fault:  # anything else is a fault of kb
            assert fault.what and fault.now and fault.exit_status in (2, 3), fault
            told.append(str(fault))
    return well, told


def damaged(whole: Path, place: Path, at: int, data: bytes) -> Path:
    db = place / f"{at}.db"
    shutil.copy(whole, db)
    with db.open("r+b") as file:
        file.seek(at)
        file.write(data)
    return db


def flip_everywhere(whole: Path, place: Path, every: int) -> None:
    chance = random.Random(SEED)
    size = whole.stat().st_size
    before = whole.read_bytes()
    said = []
    for page in range(0, size // PAGE, every):
        for start, length in ((0, 16), (chance.randrange(PAGE - 64), 64), (0, PAGE)):  # its head, inside, all
            at = page * PAGE + start
            db = damaged(whole, place, at, bytes(byte ^ 0xA5 for byte in before[at : at + length]))
            spoiled = db.read_bytes()
            _, told = used(db)
            said += told
            if told and not any("fresh" in line for line in told):
                assert db.exists() and db.stat().st_size >= len(spoiled), (
                    "a damaged store is left where it is"
                )
            for part in place.glob(f"{db.name}*"):
                part.unlink()
    assert said and any("malformed" in line or "not a database" in line for line in said)
    assert any(".recover" in line for line in said)


def test_a_damaged_page_anywhere_is_said_or_does_not_matter(whole: Path, tmp_path: Path) -> None:
    flip_everywhere(whole, tmp_path, every=7)


@pytest.mark.long
def test_every_page_damaged_in_three_ways(whole: Path, tmp_path: Path) -> None:
    flip_everywhere(whole, tmp_path, every=1)


def test_advice_is_given_beside_a_damaged_store(whole: Path, tmp_path: Path) -> None:
    db = damaged(whole, tmp_path, 0, b"\xff" * PAGE)
    spoiled = db.read_bytes()
    done = run_kb("advise", "data/samples/add_custom", "--format", "json", "--db", str(db), home=tmp_path)
    assert done.returncode == 0 and json.loads(done.stdout)["findings"]
    assert "was not kept" in done.stderr and "Move the file away" in done.stderr
    listed = run_kb("runs", "list", "--db", str(db), home=tmp_path)
    assert listed.returncode == 3 and ".recover" in listed.stderr and "Traceback" not in listed.stderr
    assert db.read_bytes() == spoiled


# --- of a newer version ----------------------------------------------------------------------------------------


def test_a_store_of_a_newer_kb(whole: Path, tmp_path: Path) -> None:
    db = tmp_path / "runs.db"
    shutil.copy(whole, db)
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("insert into migrations values ('0999-later')")
        connection.execute("create table later (x)")
    with closing(sqlite3.connect(db)) as connection:
        before = list(connection.iterdump())
    for arguments in (("runs", "list"), ("runs", "delete", "last", "--yes"), ("runs", "sql", "select 1")):
        done = run_kb(*arguments, home=tmp_path)
        assert done.returncode == 3 and "newer kb" in done.stderr and "Update kb" in done.stderr
    done = run_kb("advise", "data/samples/add_custom", home=tmp_path)
    assert done.returncode == 0 and done.stdout and "was not kept" in done.stderr
    with closing(sqlite3.connect(db)) as connection:
        assert list(connection.iterdump()) == before


# --- locked ----------------------------------------------------------------------------------------------------

SHORT = "import kb.store.database as d; d.BUSY_SECONDS = 0.2\nimport sys\nfrom kb.__main__ import main\nsys.exit(main())"


def test_the_wait_for_others_has_a_bound() -> None:
    assert database.BUSY_SECONDS == 30.0  # docs/faults.md says so


@pytest.mark.parametrize("lock", ["begin exclusive", "pragma locking_mode = exclusive"])
def test_a_store_that_another_process_holds(whole: Path, tmp_path: Path, lock: str) -> None:
    db = tmp_path / "runs.db"
    shutil.copy(whole, db)

    def ran(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", SHORT, *arguments], cwd=ROOT, env=environment(tmp_path), capture_output=True,
            text=True, timeout=120, check=False,
        )  # fmt: skip

    with closing(sqlite3.connect(db, isolation_level=None)) as other:
        if lock.startswith("pragma"):  # held from the first statement on, readers are kept out too
            other.execute("pragma journal_mode = delete")
            other.execute(lock)
        other.execute("begin exclusive")
        other.execute("update runs set headline = 'by the other'")
        done = ran("runs", "delete", "last", "--yes")
        assert done.returncode == 3 and "locked" in done.stderr and "Another kb is writing" in done.stderr
        done = ran("advise", "data/samples/add_custom", "--format", "json")
        assert done.returncode == 0 and json.loads(done.stdout)["findings"] and "was not kept" in done.stderr
        done = ran("runs", "list")
        assert done.returncode in (0, 3) and "Traceback" not in done.stderr
        assert done.returncode == (3 if lock.startswith("pragma") else 0)
        other.execute("commit")
    found = list_runs(db=str(db))
    assert len(found) == 7 and {run.headline for run in found} == {"by the other"}


# --- the clock -------------------------------------------------------------------------------------------------


def test_the_newest_run_is_the_one_kept_last_whatever_the_clock_says(tmp_path: Path) -> None:
    db = str(tmp_path / "runs.db")
    kept_at = {
        "first": NOON,
        "set back": NOON - timedelta(days=400),
        "far ahead": NOON + timedelta(days=9000),
        "last": NOON,
    }
    ids = {
        name: save(plain(RUN, run=f"{at:012x}"), db=db, now=now)
        for at, (name, now) in enumerate(kept_at.items())
    }
    assert [run.id for run in list_runs(db=db)] == list(reversed(ids.values()))
    assert find_runs(["last"], db=db) == (ids["last"],)
    save(plain(RUN, run=ids["first"], headline="again"), db=db, now=NOON - timedelta(days=1))
    assert list_runs(db=db)[-1].headline == "again"  # stays where it was, with its time
    assert list_runs(db=db)[-1].created == NOON.isoformat(timespec="seconds")


BACKWARDS = """
import itertools, sys, time
from datetime import datetime, timezone
ticks = itertools.count()
time.time = lambda: 2e9 - 3600 * next(ticks)
time.time_ns = lambda: int(time.time() * 1e9)
from kb.__main__ import main
sys.exit(main())
"""


def test_a_clock_that_runs_backwards_during_a_command(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", BACKWARDS, "advise", "data/samples/add_custom", "--format", "json"], cwd=ROOT,
        env=environment(tmp_path), capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    plain_one = run_kb("advise", "data/samples/add_custom", "--format", "json", home=tmp_path)
    assert (done.returncode, done.stdout) == (0, plain_one.stdout), done.stderr


@pytest.mark.parametrize("shift_us", [-3_600e6, -200.0, 3_600e6])
def test_a_device_clock_that_jumps_gives_no_negative_time(tmp_path: Path, shift_us: float) -> None:
    """The second half of a profile was taken after its clock had been set back, or forward."""
    source = ROOT / "tests/samples/kernel_details/whole-detector/kernel_details.csv"
    rows = list(csv.reader(io.StringIO(source.read_text(encoding="utf-8"))))
    start = rows[0].index("Start Time(us)")
    for row in rows[len(rows) // 2 :]:
        row[start] = f"{float(row[start].strip()) + shift_us:.3f}"
    target = tmp_path / "kernel_details.csv"
    with target.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    report = pipeline.advise([target], Request("Ascend310P3"))
    times = [report.total_us, report.elapsed_us, *(item.time_us for item in report.operators)]
    assert all(time is None or time >= 0 for time in times)
    assert all(0 <= finding.share <= 1 for finding in report.findings if finding.share is not None)
