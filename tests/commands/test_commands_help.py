from __future__ import annotations

import re
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import pytest

import kb.commands
from kb.commands._app import PANELS, name_of

MODULES = [
    import_module(f"kb.commands.{m.name}") for m in iter_modules(kb.commands.__path__) if m.name[0] != "_"
]
LINES = [[name_of(module)] for module in MODULES] + [
    [name_of(module), inner] for module in MODULES for inner in getattr(module, "COMMANDS", ())
]
LEAVES = [line for line in LINES if len(line) == 2 or not hasattr(MODULES[LINES.index(line)], "COMMANDS")]


def test_the_root_lists_every_command_under_its_heading_in_the_order_of_use(kb: Any) -> None:
    done = kb("--help")
    assert done.status == 0
    places = [done.out.index(f"\n{panel}:") for panel in PANELS]
    assert places == sorted(places)
    for module in MODULES:
        found = re.search(rf"^  {name_of(module)} ", done.out, re.M)
        assert found, module.__name__
        panel = max(place for place in places if place < found.start())
        assert PANELS[places.index(panel)] == module.PANEL
    commands = re.findall(r"^  ([a-z-]+)  +[A-Z]", done.out, re.M)
    assert commands[:2] == ["profile-and-advise", "advise"]
    assert commands.index("search") == commands.index("show") - 1
    assert "..." not in done.out.split("Main job:")[1].split("Options:")[0]


def test_no_argument_is_a_cry_for_help(kb: Any) -> None:
    assert kb().out == kb("--help").out


@pytest.mark.parametrize("line", LINES, ids=" ".join)
def test_every_command_has_help_with_examples_that_name_it(kb: Any, line: list[str]) -> None:
    done = kb(*line, "--help")
    assert (done.status, done.err) == (0, "")
    assert f"kb {' '.join(line)}" in done.out.split("Examples:")[1]
    assert max(map(len, done.out.splitlines())) <= 100
    assert "None" not in done.out


@pytest.mark.parametrize("line", LEAVES, ids=" ".join)
def test_every_command_has_the_common_options(kb: Any, line: list[str]) -> None:
    text = kb(*line, "--help").out.split("Common options:")[1]
    for option in ("--format", "--lang", "-q", "-v", "--db", "--debug"):
        assert option in text


def test_places_are_not_shared() -> None:
    places = [(module.PANEL, module.ORDER) for module in MODULES]
    assert len(set(places)) == len(places)
    assert {panel for panel, _ in places} == set(PANELS)


def test_a_mistyped_command_is_named_with_its_neighbours(kb: Any) -> None:
    done = kb("advize", "x")
    assert done.status == 2
    assert "'advise'" in done.err


def test_version(kb: Any) -> None:
    done = kb("--version")
    assert (done.status, done.out[:3]) == (0, "kb ")
