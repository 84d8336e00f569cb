"""Memory of a whole `kb advise` does not depend on the number of rows."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tools import bench
from tools.samples import trace

MOST_MIB = 400


@pytest.mark.long
def test_ten_million_rows_need_no_more_memory_than_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """3.4 GB of disk, and minutes."""
    monkeypatch.setenv("KB_DB", str(tmp_path / "runs.db"))
    if sys.platform != "linux":
        pytest.skip("peak memory is read in the unit of Linux")
    peaks = []
    for rows in (1_000_000, 10_000_000):
        path = tmp_path / "kernel_details.csv"
        trace.write(path, rows)
        peaks.append(bench.cost((*bench.KB, "advise", str(path))).peak_mib)
        path.unlink()
    assert max(peaks) <= MOST_MIB
    assert peaks[1] <= 1.2 * peaks[0]
