"""What is defined is used: a function, class or constant of a module that nothing but tests names is nobody's."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from running import ROOT

SOURCES = sorted((ROOT / "kb").rglob("*.py"))
# Makes what is shipped, or builds it: whatever these name is used.
MAKERS = [*sorted((ROOT / "tools").rglob("*.py")), ROOT / "setup.py"]
# Members that registries ask for by name, and what Python itself looks for.
ASKED_FOR = frozenset({"PANEL", "ORDER", "FORMATS", "BINARY"})


def defined(path: Path) -> Iterator[str]:
    """Names that a module defines at its top."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def test_nothing_is_defined_for_tests_alone() -> None:
    words = Counter(
        word for path in [*SOURCES, *MAKERS] for word in re.findall(r"\w+", path.read_text(encoding="utf-8"))
    )
    once = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in SOURCES
        for name in defined(path)
        if words[name] == 1 and not name.startswith("__") and name not in ASKED_FOR
    ]
    assert once == []
