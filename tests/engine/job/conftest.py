from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # workers import the helpers of these tests by name

from jobs import write_job


@pytest.fixture
def job(tmp_path: Path) -> Path:
    return write_job(tmp_path / "job")
