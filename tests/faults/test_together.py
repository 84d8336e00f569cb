"""Commands at the same time over the same entries: each gives a whole answer, and the index is whole."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from running import ROOT, environment


def started(place: Path, *arguments: str) -> subprocess.Popen[str]:
    variables = environment(place) | {"KB_INDEX": str(place / "index.db"), "KB_DATA": str(place / "team")}
    return subprocess.Popen(
        [sys.executable, "-m", "kb", *arguments], cwd=ROOT, env=variables, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def test_validating_indexing_and_searching_at_once(tmp_path: Path) -> None:
    team = tmp_path / "team" / "tips"
    team.mkdir(parents=True)
    made = subprocess.run(
        [sys.executable, "-m", "kb", "new", "tip", "our-own-tip", "--into", str(tmp_path / "team")], cwd=ROOT,
        env=environment(tmp_path), capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    commands = (
        ("validate", str(team), "--format", "json"),
        ("index",),
        ("search", "NMS CPU fallback", "--format", "json"),
        ("validate", str(team), "--format", "json"),
    )
    running = [started(tmp_path, *command) for command in commands]
    ended = [process.communicate(timeout=300) for process in running]
    for command, process, (out, err) in zip(commands, running, ended, strict=True):
        assert process.returncode in ((0, 1) if command[0] == "validate" else (0,)), err
        assert out and "Traceback" not in err
    first, second = (ended[at][0] for at in (0, 3))
    assert first == second  # what is validated does not hang on who else is at work
    assert json.loads(ended[2][0])["results"]
    with closing(sqlite3.connect(tmp_path / "index.db")) as index:
        assert index.execute("pragma integrity_check").fetchall() == [("ok",)]
    assert not list(tmp_path.glob(".index.db.*"))


def test_an_entry_that_is_being_saved_while_the_index_is_made(tmp_path: Path) -> None:
    """An editor has written half of a file: that entry is left out and named, all others are found."""
    team = tmp_path / "team" / "tips"
    team.mkdir(parents=True)
    (team / "half-a-tip.md").write_text("---\nid: half-a-tip\nkind: ti", encoding="utf-8")
    process = started(tmp_path, "search", "NMS CPU fallback", "--format", "json")
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0 and json.loads(out)["results"], err
    assert "half-a-tip" in err and "kb validate" in err
