"""Ids are no paths, and what is written is whole or not there."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import SAMPLE, needs_cli, needs_sample, run_kb

CLIMBS = ("../../etc/passwd", "/etc/passwd", "..", "..\\..\\x", "%2e%2e/x", "a/../../b")


@needs_cli
@pytest.mark.parametrize("climb", CLIMBS)
def test_an_id_is_no_path(climb: str, tmp_path: Path) -> None:
    for command in (
        ("show", climb),
        ("runs", "show", climb),
        ("report", climb, "-o", "x.html"),
        ("new", "tip", climb, "--into", "mine"),
    ):
        done = run_kb(*command, home=tmp_path, cwd=tmp_path)
        assert done.returncode == 2, (command, done.stderr)
        assert "Traceback" not in done.stderr and "root:" not in done.stdout
    assert not (tmp_path / "x.html").exists() and not list(tmp_path.rglob("*.md"))


@needs_cli
@needs_sample
def test_an_output_is_whole_or_not_there(tmp_path: Path) -> None:
    report = run_kb("advise", SAMPLE, "--format", "json", home=tmp_path)
    assert report.returncode == 0
    for output in ("missing/x.html", "runs.db/y.html"):
        done = run_kb("report", "last", "-o", output, home=tmp_path, cwd=tmp_path)
        assert done.returncode == 2, done.stderr
    (tmp_path / "kept.html").write_text("kept", encoding="utf-8")
    (tmp_path / "link.html").symlink_to("kept.html")
    assert run_kb("report", "last", "-o", "link.html", home=tmp_path, cwd=tmp_path).returncode == 0
    assert (tmp_path / "link.html").is_symlink() and "<html" in (tmp_path / "kept.html").read_text(
        encoding="utf-8"
    )
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".") and "html" in path.name]
