"""The simulator: pipes and lines of a kernel on a model, told apart from everything a device measured."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from running import ROOT

from kb.engine.pipeline import Knowledge, advise
from kb.engine.readers import read
from kb.engine.readers.intervals import Union
from kb.engine.readers.simulator_trace import core_named
from kb.errors import SourceError
from kb.model import Profile

SAMPLES = ROOT / "tests" / "samples"
WHOLE = SAMPLES / "simulator" / "whole-add"
NO_KNOWLEDGE = Knowledge({}, lambda text, kinds, count: {})


def test_pipes_of_every_core_come_from_the_trace() -> None:
    """Four rounds a core; core 0 spans 1.0 to 6.05 us with 4 x 0.8 us of copying in."""
    profile = read([WHOLE])
    (op,) = profile.operators
    assert profile.capture.simulated and profile.capture.tool == "msopprof simulator"
    assert (op.core, [(core.block, core.sub_block) for core in op.cores]) == (
        "vector",
        [(0, "vector0"), (1, "vector0")],
    )
    first, second = (core.values for core in op.cores)
    assert first["aiv_time_us"] == pytest.approx(5.05) and second["aiv_time_us"] == pytest.approx(6.075)
    assert first["aiv_mte2_time_us"] == pytest.approx(3.2)
    assert first["aiv_mte2_ratio"] == pytest.approx(3.2 / 5.05)
    assert second["aiv_mte3_ratio"] == pytest.approx(4 * 0.5 * 1.25 / 6.075)
    assert first["aiv_vec_wait_ratio"] == pytest.approx(1.5 / 5.05)  # running time of the wait flags
    assert op.duration.value == pytest.approx(6.075) and "simulated" in op.duration.origin


def test_hot_lines_are_summed_over_cores() -> None:
    profile = read([WHOLE])
    (op,) = profile.operators
    # 5376 of 11711 cycles a core, called 16 times on each of two cores
    assert op.attributes["hot_line_1"] == "add/add_custom.cpp:88: 46% of the cycles, 32 calls"
    assert [name for name in op.attributes if name.startswith("hot_line")] == [
        f"hot_line_{n}" for n in (1, 2, 3)
    ]
    assert "/home" not in repr(profile)
    assert "add/add_custom.cpp:88" in next(n.text for n in profile.notices if n.code == "hot-lines")


def test_the_table_of_2023_has_lines_and_no_times() -> None:
    (op,) = read([SAMPLES / "simulator" / "odd-msopgen.csv"]).operators
    assert (op.duration.unit, op.duration.value) == ("cycles", 8.0)
    assert op.attributes["hot_line_1"].startswith("user/tpipe.h:503: 62%")


def test_without_a_trace_no_share_is_claimed() -> None:
    profile = read([SAMPLES / "simulator" / "odd-no-trace"])
    values = profile.operators[0].cores[0].values
    assert values["aiv_mte2_time_us"] == pytest.approx(3.2) and not [
        n for n in values if n.endswith("_ratio")
    ]
    assert "no-trace" in [notice.code for notice in profile.notices]
    report = advise([SAMPLES / "simulator" / "odd-no-trace"], knowledge=NO_KNOWLEDGE)
    assert "the longest pipe is mte2 with 3.2 us on core 3 vector0" in report.headline and not report.findings
    assert any("msopprof simulator" in item.collect for item in report.not_judged)
    lines = advise([SAMPLES / "simulator" / "odd-msopgen.csv"], knowledge=NO_KNOWLEDGE)
    assert "the lines with the most cycles are below" in lines.headline
    assert any("most cycles: user/tpipe.h:503" in warning for warning in lines.warnings)


def test_a_fused_chip_has_no_sub_cores() -> None:
    (op,) = read([SAMPLES / "simulator" / "odd-310p"]).operators
    assert (op.core, op.cores[0].sub_block) == ("fused", "core")
    assert op.cores[0].values["aic_vec_ratio"] == pytest.approx(0.6 / 5.05)


def test_it_is_never_mixed_with_a_device(tmp_path: Path) -> None:
    shutil.copytree(SAMPLES / "msopprof" / "whole-vector", tmp_path / "run")
    alone = read([tmp_path / "run"])
    shutil.copytree(WHOLE / "simulator", tmp_path / "run" / "simulator")
    profile = read([tmp_path / "run"])
    assert profile.source == "msopprof" and not profile.capture.simulated
    assert profile.operators == alone.operators
    assert "simulated-left-out" in [notice.code for notice in profile.notices]


def test_the_report_says_that_it_is_simulated() -> None:
    report = advise([WHOLE], knowledge=NO_KNOWLEDGE)
    assert report.capture.simulated and any(text.startswith("simulated:") for text in report.warnings)


def test_a_trace_alone_may_be_of_a_device(tmp_path: Path) -> None:
    shutil.copy(WHOLE / "simulator" / "trace.json", tmp_path)
    profile = read([tmp_path])
    assert profile.capture.simulated and "trace-alone" in [notice.code for notice in profile.notices]
    shutil.copytree(SAMPLES / "msopprof" / "whole-vector", tmp_path / "run")
    notice = next(n for n in read([tmp_path]).notices if n.code == "simulated-left-out")
    assert notice.text.startswith("a trace of single instructions")


def test_several_launches_are_several_operators(tmp_path: Path) -> None:
    for name in ("Add", "Mul"):
        shutil.copytree(WHOLE / "simulator", tmp_path / name / "0" / "simulator")
    assert [op.name for op in read([tmp_path]).operators] == ["Add", "Mul"]


@pytest.mark.parametrize(
    ("name", "core"),
    [
        ("core3.veccore0", (3, "vector0")),
        ("core12.cubecore0_instr_exe.csv", (12, "cube0")),
        ("core0", (0, "core")),
        ("core0_code_exe.csv", (0, "core")),
        ("core", None),
        ("score1.veccore0", None),
        ("core1x", None),
        ("core123456.veccore0", None),
    ],
)
def test_cores_by_name(name: str, core: tuple[int, str] | None) -> None:
    assert core_named(name) == core


intervals = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 20)), max_size=60)


@given(intervals)
def test_union_of_intervals(found: list[tuple[int, int]]) -> None:
    union = Union()
    for start, length in found:
        union.add(start, start + length)
    union.finish()
    assert union.length == len({t for start, length in found for t in range(start, start + length)})


event = st.fixed_dictionaries(
    {},
    optional={
        "ph": st.sampled_from(["X", "B", "M", 3]),
        "pid": st.sampled_from(["core0.veccore0", "core1", 7, None, "x"]),
        "tid": st.sampled_from(["MTE2", "VECTOR", "other", None, 4]),
        "ts": st.one_of(st.floats(), st.integers(), st.text(max_size=5), st.booleans()),
        "dur": st.one_of(st.floats(), st.integers(-5, 10**30), st.none()),
    },
)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(event, max_size=8))
def test_any_events(tmp_path: Path, events: list[object]) -> None:
    data = {"profilingType": "op", "traceEvents": events}
    (tmp_path / "trace.json").write_text(json.dumps(data))
    try:
        found = read([tmp_path / "trace.json"])
    except SourceError as fault:
        assert fault.where and fault.now
    else:
        assert isinstance(found, Profile)
        for core in found.operators[0].cores:
            assert all(value <= 1 + 1e-9 for name, value in core.values.items() if name.endswith("_ratio"))
