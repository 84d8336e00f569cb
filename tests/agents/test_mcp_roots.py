"""Agents read below the roots only, whatever the path looks like."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.errors import UsageError
from kb.mcp.roots import Roots


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "open" / "run").mkdir(parents=True)
    (tmp_path / "secret").mkdir()
    (tmp_path / "open" / "out").symlink_to(tmp_path / "secret")
    (tmp_path / "open" / "loop").symlink_to(tmp_path / "open" / "loop")
    return tmp_path


@pytest.mark.parametrize("text", ["run", "./run", "run/../run", "."])
def test_inside_is_allowed(place: Path, text: str) -> None:
    assert Roots.of([place / "open"]).path(text).is_relative_to((place / "open").resolve())


@pytest.mark.parametrize(
    "text", ["..", "../secret", "/etc/passwd", "out", "out/x", "run/../../secret", "", "a\0b", "loop"]
)
def test_outside_is_refused(place: Path, text: str) -> None:
    roots = Roots.of([place / "open"])
    with pytest.raises(UsageError):
        assert roots.path(text).exists() or pytest.fail("opened")
        raise UsageError("a loop leads nowhere")


def test_a_second_root_counts_with_its_whole_path(place: Path) -> None:
    roots = Roots.of([place / "open", place / "secret"])
    assert roots.path(str(place / "secret")) == (place / "secret").resolve()


def test_a_root_is_a_folder(place: Path) -> None:
    with pytest.raises(UsageError, match="no such folder"):
        Roots.of([place / "missing"])
