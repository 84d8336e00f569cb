"""What is kept of the operators of a run."""

from __future__ import annotations

import pytest

from kb.engine.compare import extract
from kb.engine.compare.extract import PIPE_SHARES, PIPE_TIMES, measured
from kb.engine.pipeline import advise
from kb.model import Features, Measure, Operator
from kb.vocabulary.metrics import BY_ID


def features(name: str, total: float, unit: str = "us", **values: float) -> Features:
    op = Operator(name, None, "vector", 2, Measure(total / 2, unit, "f:c", 1.0, 9.0, 2), total)
    return Features(op, {key: Measure(value, "1", "x") for key, value in values.items()}, {"op_type": name})


def test_every_reading_is_a_metric() -> None:
    assert {*PIPE_SHARES, *PIPE_TIMES, *extract.FURTHER} <= set(BY_ID)


def test_the_largest_come_first_and_what_has_no_time_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [features("small", 10.0), features("large", 123456.789012), features("share", 0.5, unit="1")]
    found = measured(rows)
    assert [row.name for row in found] == ["large", "small"]
    assert found[0].total_us == 123456.8
    monkeypatch.setattr(extract, "MOST", 1)
    assert [row.name for row in measured(rows)] == ["large"]


def test_absent_is_absent() -> None:
    (row,) = measured([features("a", 10.0, aiv_vec_ratio=0.25)])
    assert dict(row.readings) == {"aiv_vec_ratio": 0.25}
    assert (row.core_us, row.cores, row.block_dim, row.clock_mhz) == (None, None, None, None)


def test_the_shipped_sample_keeps_its_cores_and_pipes() -> None:
    from running import ROOT

    (row,) = advise([ROOT / "data" / "samples" / "add_custom"]).measured
    assert (row.type, row.count, row.cores, row.block_dim, row.timed) == ("Add", 1, 4, 4, "task")
    assert row.core_low_us is not None and row.core_high_us is not None
    assert row.core_low_us < row.core_high_us < row.mean_us
    assert {"aiv_mte2_ratio", "aiv_mte2_time_us", "bytes_per_mte2_instruction"} <= set(row.readings)
