"""Nothing of the package grows past what one reads at a sitting, and every floor is told of in docs/architecture.md."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from running import ROOT, tracked

from tools.print_floors import layers

LINES, BODY = 500, 60
MODULES = [path for path in tracked("kb", "tools", "tests") if path.endswith(".py")]
SAMPLES = ("tools/facts/", "tools/networks/", "tools/samples/")  # long lists of what is written, no logic


def test_files_are_short() -> None:
    lines = {path: len((ROOT / path).read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert len(lines) > 400
    assert {path: count for path, count in lines.items() if count >= LINES} == {}


@pytest.mark.parametrize("part", ["kb/", "tools/"])
def test_functions_are_short(part: str) -> None:
    paths = [path for path in MODULES if path.startswith(part) and not path.startswith(SAMPLES)]
    assert paths
    found = {f"{path}: {name}": size for path in paths for name, size in bodies(ROOT / path)}
    assert {name: size for name, size in found.items() if size >= BODY} == {}


def bodies(path: Path) -> list[tuple[str, int]]:
    """Every function with the lines of its body; a signature that declares options and a docstring are no logic."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            body = node.body[1:] if ast.get_docstring(node) and len(node.body) > 1 else node.body
            found.append((node.name, (node.end_lineno or 0) - body[0].lineno + 1))
    return found


def test_every_floor_is_told_of() -> None:
    named = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    floors = {f"kb.{name}" for parts in layers("kb") for name in parts} - {"kb.__main__"}
    assert len(floors) > 20
    assert sorted(floor for floor in floors if f"`{floor}`" not in named) == []
