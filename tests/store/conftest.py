"""The stores that the same tests run on."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest


@pytest.fixture
def file_db(tmp_path: Path) -> str:
    """A file that is not there yet, nor its folder."""
    return str(tmp_path / "deep" / "er" / "kb.db")


@pytest.fixture(params=["sqlite", "postgres"])
def fresh(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], str]:
    """New stores, each empty."""
    if request.param == "postgres":
        found: Callable[[], str] = request.getfixturevalue("postgres").fresh
        return found
    numbers = count(1)
    return lambda: str(tmp_path / f"{next(numbers)}.db")


@pytest.fixture(params=["sqlite", "postgres"])
def db(request: pytest.FixtureRequest) -> str:
    """A store that is not there yet: a file, and an empty database of a real server."""
    if request.param == "sqlite":
        return str(request.getfixturevalue("file_db"))
    return str(request.getfixturevalue("postgres").fresh())
