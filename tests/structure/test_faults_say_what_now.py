"""Every fault that `kb` raises on purpose says what to do now, in one way of writing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import kb
from kb import errors
from kb.errors import KbError, UsageError, parameter, sentence

PACKAGE = Path(kb.__file__).parent
OURS = {
    name for name, thing in vars(errors).items() if isinstance(thing, type) and issubclass(thing, KbError)
}
# Faults that carry a list of their own, each line of which says what to mend.
WITHOUT: dict[str, str] = {}


def made(path: Path) -> Iterator[ast.Call]:
    """Every call in a module that makes one of our errors, raised there or returned to be raised."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name in OURS:
                yield node


def test_every_fault_says_what_now() -> None:
    found = [
        (path.relative_to(PACKAGE).as_posix(), call) for path in PACKAGE.rglob("*.py") for call in made(path)
    ]
    assert len(found) > 200  # the walk sees them
    silent = {
        f"{name}:{call.lineno}"
        for name, call in found
        if name not in WITHOUT
        and not any(
            word.arg is None or (word.arg == "now" and ast.unparse(word.value) not in ("''", "None"))
            for word in call.keywords
        )
    }
    assert not silent, f"no now=: {sorted(silent)}"


def test_no_reason_is_left_over() -> None:
    assert all((PACKAGE / name).exists() for name in WITHOUT)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("check the path", "Check the path."),
        ("Give a file with -o.", "Give a file with -o."),
        ("one of case, tip", "One of case, tip."),
        ("pip install 'ascend-kb[mcp]'", "pip install 'ascend-kb[mcp]'"),
        ("kb outcome RUN_BEFORE RUN_AFTER", "kb outcome RUN_BEFORE RUN_AFTER"),
        ("collect with: msopprof --aic-metrics=Roofline", "Collect with: msopprof --aic-metrics=Roofline"),
        ("see kb eval estimate --help", "See kb eval estimate --help"),
        ("`kb runs list` names them", "`kb runs list` names them"),
        ("", ""),
    ],
)
def test_what_to_do_is_a_sentence(written: str, said: str) -> None:
    assert sentence(written) == said == UsageError("x", now=written).now


def test_what_to_do_is_still_found_in_the_catalogue() -> None:
    from kb.report.sentences import tell

    assert tell(UsageError("x", now="check the path").now, "zh") == "请检查路径。"


@pytest.mark.parametrize(
    ("where", "said"),
    [("--soc", "soc"), ("-k", "k"), ("--input-shape", "input_shape"), ("a-b.csv", "a-b.csv"), ("", "")],
)
def test_options_are_parameters_for_programs(where: str, said: str) -> None:
    assert parameter(where) == said
