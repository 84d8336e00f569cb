"""Names and words of the house: what lies at the top, what modules are called, and that texts speak of the project."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

import pytest
from running import ROOT, tracked

TOP = {
    ".ci", ".gitignore", ".pre-commit-config.yaml", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "MANIFEST.in", "Makefile",
    "NOTICE", "README.md", "README.zh.md", "README.ja.md", "cli.py", "constraints", "data", "docs", "engine", "examples", "fuzz", "kb", "pyproject.toml", "scripts", "setup.py", "tests", "tools",
}  # fmt: skip

EMPTY_NAMES = {
    "utils",
    "util",
    "helpers",
    "helper",
    "common",
    "manager",
    "managers",
    "misc",
    "base",
    "tools",
    "stuff",
}

# What a reader of this repository cannot follow: a folder of one machine, a document or conversation that is not here.
FOREIGN = {
    "a folder of somebody's machine": re.compile(r"(?<![\w.*-])/(?:work|Users)/"),
    "a document that is not here": re.compile(r"\b(?:DESIGN|ANCHORS|BRIEF|AUDIT)\b(?:\.md|,? sections?\b)"),
    "a conversation": re.compile(
        r"\b(?:this|another|an earlier|the previous|the next) session\b", re.IGNORECASE
    ),
    "a package index": re.compile(r"pypi\.org|pythonhosted\.org|registry\.npmjs|debian\.org"),
}
MAY_NAME_SHARED = {".ci/run", "tests/conftest.py"}


def test_nothing_unexpected_lies_at_the_top() -> None:
    assert {PurePosixPath(path).parts[0] for path in tracked()} <= TOP


def test_no_module_has_an_empty_name() -> None:
    modules = [PurePosixPath(path) for path in tracked("kb", "tools", "tests") if path.endswith(".py")]
    assert len(modules) > 50
    assert [str(path) for path in modules if path.stem.strip("_") in EMPTY_NAMES] == []


def test_modules_of_the_package_are_written_in_lower_case() -> None:
    stems = [PurePosixPath(path).stem for path in tracked("kb") if path.endswith(".py")]
    assert [stem for stem in stems if not re.fullmatch(r"_{0,2}[a-z][a-z0-9_]*", stem)] == []


@pytest.mark.parametrize("what", FOREIGN)
def test_texts_speak_of_the_project_alone(what: str) -> None:
    assert [found for path in texts() for found in lines_with(path, FOREIGN[what])] == []


def test_the_folder_of_real_profiles_is_named_in_one_place() -> None:
    pattern = re.compile(r"\bshared/(?:profiles|facts|reference|prototypes)\b|\.\./shared\b")
    assert [
        line for path in texts() if path not in MAY_NAME_SHARED for line in lines_with(path, pattern)
    ] == []


def texts() -> list[str]:
    """Tracked text files; this one holds the patterns themselves."""
    return [path for path in tracked() if path != "tests/structure/test_names.py" and b"\0" not in head(path)]


def head(path: str) -> bytes:
    with (ROOT / path).open("rb") as file:
        return file.read(4096)


def lines_with(path: str, pattern: re.Pattern[str]) -> list[str]:
    lines = (ROOT / path).read_text(encoding="utf-8", errors="replace").splitlines()
    return [
        f"{path}:{number}: {line.strip()[:120]}"
        for number, line in enumerate(lines, 1)
        if pattern.search(line)
    ]
