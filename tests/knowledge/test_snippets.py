"""Code of the entries: Python, JSON and shell can be parsed, Ascend C says that nobody compiled it."""

from __future__ import annotations

import ast
import builtins
import json
import re
import shlex
from collections.abc import Iterator

import pytest

from kb.knowledge.entry import load_entries

FENCE = re.compile(r"```(\w+)\n(.*)\n```", re.DOTALL)
LANGUAGES = ("python", "cpp", "sh", "json", "ini")
MOST_LINES = 24
SNIPPETS = {entry.id: entry.snippet for entry in load_entries() if entry.snippet}


def parts(entry_id: str) -> tuple[str, str]:
    found = FENCE.fullmatch(SNIPPETS[entry_id])
    assert found, "a fenced block with its language"
    return found[1], found[2]


def test_there_is_code() -> None:
    assert len(SNIPPETS) >= 180
    assert {parts(entry_id)[0] for entry_id in SNIPPETS} <= set(LANGUAGES)


@pytest.mark.parametrize("entry_id", sorted(SNIPPETS))
def test_a_snippet_is_short_and_can_be_parsed(entry_id: str) -> None:
    language, code = parts(entry_id)
    assert len(code.splitlines()) <= MOST_LINES
    assert max(map(len, code.splitlines())) <= 120
    if language == "python":
        assert sorted(unknown(ast.parse(code))) == []
    elif language == "json":
        json.loads(code)
    elif language == "sh":
        shlex.split(code, comments=True)
    else:
        assert code.startswith("// not compiled here\n")
        for opening, closing in ("()", "[]", "{}"):
            bare = re.sub(r"//.*|\"[^\"\n]*\"", "", code)
            assert bare.count(opening) == bare.count(closing)


def unknown(tree: ast.Module) -> Iterator[str]:
    """Names that are read and never bound: an import that was forgotten, a parameter that was renamed."""
    nodes = list(ast.walk(tree))
    bound = set(vars(builtins))
    for node in nodes:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            bound |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in bound:
            yield node.id


def test_a_forgotten_import_is_seen() -> None:
    assert list(unknown(ast.parse("def f(x):\n    return torch.relu(x)"))) == ["torch"]
