"""A full disk, a read-only home, folders that may not be written or read: the answer is given all the same, or a message."""

from __future__ import annotations

import json
import resource
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from places import Done, kb, on_full_disk, read_only, unprivileged
from running import ROOT, SAMPLE, environment

OTHER = "tests/samples/kernel_details/whole-detector"


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store of one run, made once."""
    home = tmp_path_factory.mktemp("kept")
    done = subprocess.run(
        kb("advise", SAMPLE, "-q"),
        cwd=ROOT,
        env=environment(home),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout
    return home


@pytest.fixture
def kept(first: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    shutil.copy(first / "runs.db", tmp_path / "runs.db")
    return tmp_path


def runs_in(db: Path) -> int:
    with closing(sqlite3.connect(db)) as connection:
        assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
        return int(connection.execute("select count(*) from runs").fetchone()[0])


# --- a full disk -----------------------------------------------------------------------------------------------


def disk_of(kept: Path) -> tuple[Path, Path]:
    """Where the small disk is mounted, and the folder that it begins with: the store."""
    disk, holds = kept / "disk", kept / "holds"
    disk.mkdir(exist_ok=True)
    holds.mkdir(exist_ok=True)
    shutil.copy(kept / "runs.db", holds / "runs.db")
    return disk, holds


def full(kept: Path, *arguments: str, **more: str) -> Done:
    """`kb ARGUMENTS` with the run store on a disk that is full; `{disk}` stands for its folder."""
    disk, holds = disk_of(kept)
    variables = environment(kept) | {"KB_DB": str(disk / "runs.db")}
    variables |= {name: text.format(disk=disk) for name, text in more.items()}
    return on_full_disk(disk, holds, kb(*(text.format(disk=disk) for text in arguments)), variables)


def test_advice_is_given_on_a_full_disk(kept: Path) -> None:
    done = full(kept, "advise", OTHER, "--format", "json")
    assert done.status == 0 and json.loads(done.out)["findings"]
    assert "this run was not kept" in done.err and "Make room on that disk" in done.err


def test_a_store_on_a_full_disk_is_read(kept: Path) -> None:
    done = full(kept, "runs", "list", "--format", "json")
    assert (done.status, len(json.loads(done.out)["runs"])) == (0, 1)
    assert full(kept, "runs", "sql", "select count(*) from runs").status == 0
    assert full(kept, "report", "last").status == 0


def test_nothing_is_deleted_by_half_on_a_full_disk(kept: Path) -> None:
    """The same disk gets room again; the run is whole."""
    disk, holds = disk_of(kept)
    script = (
        f'{sys.executable} -m kb runs delete last --yes; echo "status $?"; rm {disk}/fill; '
        f"exec {sys.executable} -m kb report last --format json"
    )
    variables = environment(kept) | {"KB_DB": str(disk / "runs.db")}
    done = on_full_disk(disk, holds, ["sh", "-c", script], variables)
    told, _, report = done.out.partition("\n")
    assert done.status == 0 and told == "status 3" and "Make room on that disk" in done.err
    assert json.loads(report)["schema"] == "kb.report/1"


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (("report", "last", "-o", "{disk}/r.html"), 74, "No space left on device"),
        (("runs", "export", "-o", "{disk}/r.csv"), 74, "No space left on device"),
        (("estimate", "--calibrate", OTHER, "--soc", "Ascend910B2"), 74, "No space left on device"),
        (("new", "tip", "my-tip", "--into", "{disk}"), 2, "that has room"),
        (("config", "set", "lang", "zh"), 2, "has room"),
        (("index",), 1, "that has room"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_what_cannot_be_written_on_a_full_disk_says_so(
    kept: Path, arguments: tuple[str, ...], status: int, told: str
) -> None:
    more = {"config": {"KB_CONFIG": "{disk}/c.toml"}, "index": {"KB_INDEX": "{disk}/i.db"}}.get(
        arguments[0], {}
    )
    done = full(kept, *arguments, **more)
    assert (done.status, done.out) == (status, ""), done.err
    assert told in done.err and done.err.count("\n") <= 4


def test_search_needs_no_room(kept: Path) -> None:
    done = full(kept, "search", "NMS CPU fallback", XDG_CACHE_HOME="{disk}/cache", TMPDIR="{disk}")
    assert done.status == 0 and done.out


def test_a_limit_on_the_size_of_files_is_a_full_disk(kept: Path) -> None:
    """Needs no mount: SIGXFSZ is ignored by Python, and writing fails."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))

    def limited(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            kb(*arguments), cwd=ROOT, env=environment(kept), capture_output=True, text=True, preexec_fn=limit,
            timeout=300, check=False,
        )  # fmt: skip

    done = limited("advise", SAMPLE, "--db", str(kept / "new.db"))
    assert done.returncode == 0 and done.stdout and "this run was not kept" in done.stderr
    page = kept / "r.html"
    page.write_text("the earlier one")
    done = limited("report", "last", "-o", str(page), "--db", str(kept / "runs.db"))
    assert done.returncode in (3, 74) and done.stderr.startswith("kb: ")
    assert page.read_text() == "the earlier one"
    assert not list(kept.glob(".r.html*"))
    assert runs_in(kept / "runs.db") == 1


# --- a read-only home ------------------------------------------------------------------------------------------


def test_a_read_only_home(kept: Path) -> None:
    variables = environment(kept)
    advised = read_only(kept, ("advise", OTHER, "--format", "json"), variables)
    assert advised.status == 0 and json.loads(advised.out)["findings"]
    assert (
        "this run was not kept" in advised.err and "Give a file that can be written with --db" in advised.err
    )
    listed = read_only(kept, ("runs", "list", "--format", "json"), variables)
    assert (listed.status, len(json.loads(listed.out)["runs"]), listed.err) == (0, 1, "")
    deleted = read_only(kept, ("runs", "delete", "last", "--yes"), variables)
    assert deleted.status == 3 and "Read-only file system" in deleted.err
    written = read_only(kept, ("report", "last", "-o", str(kept / "r.html")), variables)
    assert written.status == 2 and "Read-only file system" in written.err and "-o" in written.err
    assert runs_in(kept / "runs.db") == 1


def test_search_and_settings_in_a_read_only_home(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    variables = environment(home) | {"XDG_CACHE_HOME": str(home / "cache"), "TMPDIR": str(tmp_path)}
    found = read_only(home, ("search", "NMS CPU fallback"), variables)
    assert found.status == 0 and found.out
    changed = read_only(home, ("config", "set", "lang", "zh"), variables)
    assert changed.status == 2 and "config.toml" in changed.err and "KB_CONFIG" in changed.err


# --- permission denied -----------------------------------------------------------------------------------------


@pytest.fixture
def shut(kept: Path) -> Iterator[Path]:
    """A folder that may be looked into and not changed, with a store that may be read."""
    folder = kept / "shut"
    folder.mkdir()
    shutil.copy(kept / "runs.db", folder / "runs.db")
    (folder / "runs.db").chmod(0o400)
    folder.chmod(0o500)
    yield folder
    folder.chmod(0o700)


def test_a_store_that_may_be_read_and_not_written(kept: Path, shut: Path) -> None:
    variables = environment(kept) | {"KB_DB": str(shut / "runs.db")}
    done = unprivileged(("runs", "list", "--format", "json"), variables)
    assert (done.status, len(json.loads(done.out)["runs"])) == (0, 1)
    done = unprivileged(("runs", "delete", "last", "--yes"), variables)
    assert done.status == 3 and "Permission denied" in done.err and "--db" in done.err
    done = unprivileged(("advise", OTHER, "--format", "json"), variables)
    assert done.status == 0 and json.loads(done.out)["findings"] and "was not kept" in done.err
    done = unprivileged(("report", "last", "-o", str(shut / "r.html")), variables)
    assert done.status == 2 and "Permission denied" in done.err
    assert runs_in(kept / "runs.db") == 1


def test_a_store_and_a_profile_that_may_not_be_read(kept: Path) -> None:
    (kept / "runs.db").chmod(0)
    variables = environment(kept)
    done = unprivileged(("runs", "list"), variables)
    assert done.status == 3 and str(kept / "runs.db") in done.err
    profile = kept / "op_summary.csv"
    profile.write_text("x")
    profile.chmod(0)
    done = unprivileged(("advise", str(profile)), variables)
    assert done.status == 3 and str(profile) in done.err and "ermission" in done.err
