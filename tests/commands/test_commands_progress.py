"""What a long reading shows while it runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.commands._progress import so_far
from kb.engine.readers import job
from tools.samples import trace


def test_rows_part_and_time_left() -> None:
    assert so_far(1_234_567, 0.25, 10.0) == "1 234 567 rows, 25%, about 30 s left"
    assert so_far(0, 0.0, 1.0) == "0 rows, 0%"


def test_a_large_table_tells_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kb.engine import readers
    from kb.engine.readers import rows

    monkeypatch.setattr(job, "LARGE", 0)
    monkeypatch.setattr(rows, "BLOCK", 20_000)
    for rank in (0, 1):
        (tmp_path / f"rank_{rank}").mkdir()
        trace.write(tmp_path / f"rank_{rank}" / "kernel_details.csv", 200, layers=1)
    told: list[tuple[int, float]] = []
    readers.read([tmp_path], progress=lambda done, part: told.append((done, part)))
    assert told == sorted(told) and len(told) > 4
    assert told[-1][0] == 400 and told[-1][1] == pytest.approx(1.0, abs=0.02)
