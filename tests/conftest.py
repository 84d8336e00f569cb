"""Shared fixtures: where the real profiles lie, if they lie anywhere."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def _shared(name: str) -> Path | None:
    base = Path(os.environ.get("KB_SHARED", ROOT.parent / "shared"))
    path = base / name
    return path if path.is_dir() else None


@pytest.fixture(scope="session")
def shared_profiles() -> Path:
    """Folder of real profiles; tests that need it skip where it does not exist."""
    path = _shared("profiles")
    if path is None:
        pytest.skip("real profiles are not here: ../shared/profiles (or KB_SHARED) does not exist")
    return path


@pytest.fixture(scope="session")
def shared_facts() -> Path:
    """Folder of the source facts; tests that need it skip where it does not exist."""
    path = _shared("facts")
    if path is None:
        pytest.skip("source facts are not here: ../shared/facts (or KB_SHARED) does not exist")
    return path
