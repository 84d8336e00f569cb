"""docs/faults.md names tests that exist, for every fault it tells of."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from running import ROOT

PAGE = ROOT / "docs" / "faults.md"
TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
# What must be told of, as a word of the first column.
FAULTS = (
    "disk full", "read-only home", "permission denied", "clock", "reader of a pipe", "SIGTERM", "power cut", "damaged page",
    "newer", "locked", "index being made when killed", "at once",
)  # fmt: skip


@cache
def functions(path: Path) -> frozenset[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def rows() -> list[list[str]]:
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    return [row for row in cells if row[0] != "fault"]


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_a_fault_has_tests_that_exist(row: list[str]) -> None:
    named = TEST.findall(row[-1])
    assert named and TEST.sub("", row[-1]).strip(", ") == ""
    for file, name in named:
        assert name in functions(ROOT / file), f"{file} has no {name}"


def test_every_fault_is_told_of() -> None:
    told = " ".join(row[0] for row in rows())
    assert [fault for fault in FAULTS if fault not in told] == []
