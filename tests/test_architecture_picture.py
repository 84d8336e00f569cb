"""The picture of the architecture is drawn from the imports that there are."""

from __future__ import annotations

import re

import pytest
from running import ROOT

pytest.importorskip("grimp", reason="import-linter, which brings grimp, needs Python 3.11")

from tools.make_architecture import PICTURE, draw, imports, levels, told
from tools.print_floors import layers


def test_the_picture_is_fresh() -> None:
    assert PICTURE.read_text(encoding="utf-8") == draw(), "run `make docs`"
    assert f"({PICTURE.relative_to(ROOT / 'docs')})" in (ROOT / "docs" / "architecture.md").read_text("utf-8")


def test_every_floor_has_a_box() -> None:
    boxes = set(re.findall(r"<text x=\S+ y=\S+>(\w+)</text>", draw()))
    assert boxes == {part for parts in layers("kb") for part in parts} - {"__main__"}


def test_a_part_stands_below_all_that_import_it() -> None:
    found = imports()
    row = {part: at for at, parts in enumerate(levels(found)) for part in parts}
    assert [(a, b) for a in found for b in found[a] if row[a] >= row[b]] == []


def test_what_follows_is_left_out() -> None:
    made = {"a": frozenset("bc"), "b": frozenset("c"), "c": frozenset[str]()}
    assert told(made) == {"a": frozenset("b"), "b": frozenset("c"), "c": frozenset()}
    assert levels(made) == [["a"], ["b"], ["c"]]
