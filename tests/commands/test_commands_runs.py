from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from report_samples import RUN, SAMPLE


@pytest.fixture
def kept(kb: Any) -> Any:
    for name in ("sample", "run"):
        assert kb("advise", name, "-q").status == 0
    return kb


def test_runs_are_listed(kept: Any) -> None:
    done = kept("runs", "list")
    assert done.status == 0
    assert "runs.db: 2" in " ".join(done.out.split())  # a long path wraps
    for part in (SAMPLE.run, RUN.run, "692 us", "314 ms"):
        assert part in done.out
    found = json.loads(kept("runs", "list", "--format", "json").out)
    assert {row["id"] for row in found["runs"]} == {SAMPLE.run, RUN.run}
    assert len(kept("runs", "list", "-n", "1", "--format", "jsonl").out.splitlines()) == 1


def test_a_run_is_shown_as_it_was(kept: Any) -> None:
    assert kept("runs", "show", SAMPLE.run).out == kept("advise", "sample").out
    assert kept("runs", "show", SAMPLE.run[:4]).out == kept("advise", "sample").out
    assert kept("report", RUN.run, "--format", "json").out == kept("advise", "run", "--format", "json").out


@pytest.mark.parametrize(
    ("file", "start"),
    [
        ("r.html", "<!doctype"),
        ("r.md", "## 1 "),
        ("r.json", "{"),
        ("r.txt", SAMPLE.target),
        ("r.jsonl", '{"schema"'),
    ],
)
def test_the_ending_says_which_format(kept: Any, tmp_path: Path, file: str, start: str) -> None:
    done = kept("report", SAMPLE.run, "-o", file)
    assert (done.status, done.out) == (0, "")
    assert f"wrote {file}" in done.err
    assert (tmp_path / file).read_text(encoding="utf-8").startswith(start)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_written_file_is_as_open_as_any_other(kept: Any, tmp_path: Path) -> None:
    mask = os.umask(0o022)
    try:
        kept("report", SAMPLE.run, "-o", "r.html")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "r.html").stat().st_mode) == 0o644


def test_format_wins_over_the_ending(kept: Any, tmp_path: Path) -> None:
    kept("report", SAMPLE.run, "-o", "r.out", "--format", "markdown")
    assert (tmp_path / "r.out").read_text().startswith("## 1 ")


@pytest.mark.parametrize("file", ["r.docx", "nowhere/r.html", "folder.html"])
def test_what_cannot_be_written_is_2_and_leaves_nothing(kept: Any, tmp_path: Path, file: str) -> None:
    (tmp_path / "folder.html").mkdir()
    before = sorted(tmp_path.rglob("*"))
    done = kept("report", SAMPLE.run, "-o", file)
    assert done.status == 2
    assert file.rpartition("/")[2] in done.err
    assert sorted(tmp_path.rglob("*")) == before


def test_unknown_runs_are_2(kept: Any) -> None:
    for line in (["runs", "show", "zzz"], ["report", "zzz"]):
        done = kept(*line)
        assert (done.status, done.out) == (2, "")
        assert "no run 'zzz' is kept" in done.err
    assert kept("runs").status == 2
    assert kept("runs", "burn").status == 2


def test_a_damaged_store_is_3(kb: Any, tmp_path: Path) -> None:
    (tmp_path / "bad.db").write_text("no database at all\n" * 50)
    for line in (["runs", "list"], ["report", "abc"]):
        done = kb(*line, "--db", "bad.db")
        assert done.status == 3
        assert "bad.db" in done.err
    assert kb("runs", "list", "--db", "mysql://h/kb").status == 2
