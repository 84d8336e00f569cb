"""docs/security.md names tests that exist, and leaves no way in out."""

from __future__ import annotations

import re

from running import ROOT, tracked

TEXT = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
NAMED = re.findall(r"`(test_\w+\.py)::(test_\w+)`", TEXT)
WAYS_IN = (
    "profiles", "archives", "SQLite", "run stores", "ONNX", "entry packs", "plugins", "kernel names", "ids and paths", "MCP", "HTTP",
    "msopprof", "environment",
)  # fmt: skip


def rows() -> list[list[str]]:
    table = TEXT.partition("## Ways in")[2].partition("\nNot defended")[0]
    return [
        line.strip("| \n").split(" | ")
        for line in table.splitlines()
        if line.startswith("| ") and "---" not in line
    ][1:]


def test_every_test_named_exists() -> None:
    files = {path.rpartition("/")[2]: path for path in tracked("tests") if path.endswith(".py")}
    assert len(NAMED) > 40
    for file, name in NAMED:
        assert file in files, file
        assert f"def {name}(" in (ROOT / files[file]).read_text(encoding="utf-8"), f"{file}::{name}"


def test_every_way_in_has_threat_defence_and_tests() -> None:
    found = rows()
    assert all(len(row) == 4 and all(row) and "::test_" in row[3] for row in found)
    for way in WAYS_IN:
        assert any(row[0].startswith(way) or way in row[0] for row in found), way
