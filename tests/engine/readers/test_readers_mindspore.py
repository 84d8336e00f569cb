"""Tables of the MindSpore profiler and of operator databases: units, joins, and what they do not say."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from running import ROOT

from kb.engine.metrics import measure_profile
from kb.engine.readers import read
from kb.engine.readers.mindspore_tensors import tensors_of
from kb.model import Tensor

SAMPLES = ROOT / "tests" / "samples"
WHOLE = SAMPLES / "mindspore" / "whole-lenet"


def test_times_are_joined_with_the_graph() -> None:
    """Milliseconds become microseconds; three executions each; the event between streams is no kernel."""
    profile = read([WHOLE])
    found = {(op.type, op.inputs[0].shape): op for op in profile.operators}
    assert len(found) == 4
    conv = found["Conv2D", (32, 1, 32, 32)]
    assert (conv.count, conv.total_us, conv.block_dim) == (3, pytest.approx(131.25), 32)
    assert conv.inputs[1] == Tensor((6, 1, 5, 5), "FLOAT32", "DefaultFormat")
    reduce = found["AllReduce", (48120,)]
    assert reduce.core == "communication" and reduce.block_dim is None
    assert not [op for op in profile.operators if op.type == "StreamSend"]


def test_steps_are_in_units_of_ten_nanoseconds() -> None:
    """Two steps of 3000 us, 200 us of each waiting for data; all-reduces overlap, their union is 800 us a step."""
    times = read([WHOLE]).times
    assert (times.steps, times.span and times.span.value) == (2, pytest.approx(6000.0))
    assert times.idle and times.idle.value == pytest.approx(400.0)
    assert times.communication and times.communication.value == pytest.approx(1600.0)
    shares = measure_profile(read([WHOLE]), ()).run.values
    assert shares["comm_exposed_share"].value <= 1 and shares["device_idle_share"].value == pytest.approx(
        1 / 15
    )


def test_totals_by_type_stand_in_where_there_is_nothing_better(tmp_path: Path) -> None:
    (first, second) = read([SAMPLES / "mindspore" / "odd-type.csv"]).operators
    assert (first.type, first.count, first.total_us) == ("Conv2D", 6, pytest.approx(285.0))
    shutil.copytree(WHOLE / "profiler", tmp_path / "p")
    kinds = {file.kind: file.rows for file in read([tmp_path]).files}
    assert kinds["mindspore_types"] is None and kinds["mindspore_times"] == 5
    assert second.core == "unknown"


def test_gather_is_no_collective(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(
        "full_op_name,execution_time\nDefault/Gather-op17,1.5\nDefault/AllGather-op2,0.5\n"
    )
    assert {op.type: op.core for op in read([tmp_path]).operators} == {
        "Gather": "unknown", "AllGather": "communication",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("cell", "inputs"),
    [
        ('{"input_0": {"data_type": "NUMBER_TYPE_FLOAT16", "format": "NC1HWC0", "shape": "12000,39"}}', (Tensor((12000, 39), "FLOAT16", "NC1HWC0"),)),
        ('{"input_1": {"shape": [2]}, "input_0": {"shape": []}, "output_0": {"shape": [7]}}', (Tensor(()), Tensor((2,)))),
        ('{"input_0": {"shape": ""}}', (Tensor(()),)),
        ('{"input_0": {"shape": [1.5]}, "input_1": 4, "input_x": {}, "other_0": {}}', (Tensor(None),)),
        ("{}", ()),
        ("", ()),
        ("[" * 5000, ()),
    ],
)  # fmt: skip
def test_shapes_in_json(cell: str, inputs: tuple[Tensor, ...]) -> None:
    assert tensors_of(cell)[0] == inputs


@given(st.text(max_size=60))
def test_any_cell(cell: str) -> None:
    tensors_of(cell)


def test_averages_per_shape() -> None:
    profile = read([SAMPLES / "shape_statistic" / "whole"])
    assert profile.scope == "operator" and {op.type for op in profile.operators} == {"Sigmoid"}
    op = profile.operators[0]
    assert (op.core, op.count, op.duration.value) == ("vector", 1, 11.25)
    assert op.counters["aiv_mte2_ratio"].value == 0.62 and op.attributes["avg_seq_len"] == "4096"
    assert "averages-per-shape" in [notice.code for notice in profile.notices]
    (short,) = read([SAMPLES / "shape_statistic" / "odd-short.csv"]).operators
    assert [tensor.shape for tensor in short.inputs] == [(128, 4, 128), None, (2048,)]
    assert not short.counters
