"""Timelines: the kernels of a trace as if they were a table, whatever order and form its events have."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from running import ROOT

from kb.engine.readers import read
from kb.errors import SourceError
from kb.model import Profile

SAMPLES = ROOT / "tests" / "samples" / "trace"
WHOLE = SAMPLES / "whole-torch" / "trace_view.json"


def test_kernels_and_collectives_of_a_trace() -> None:
    """Twelve kernels of 529.4 us together and a collective of 200 us; the event is no kernel."""
    profile = read([WHOLE])
    assert (profile.source, profile.capture.tool) == ("trace", "Ascend PyTorch Profiler")
    assert sum(op.count for op in profile.operators) == 13
    assert profile.times.compute and profile.times.compute.value == pytest.approx(529.4)
    assert profile.times.exposed and profile.times.exposed.value == pytest.approx(200.0)
    assert [op.core for op in profile.operators if op.type == "hcom_allReduce_"] == ["communication"]
    assert {notice.code for notice in profile.notices} >= {"other-tasks", "clock-varied", "host-operators"}
    assert profile.counters["host_sync_share"].value == pytest.approx(300 / (300 + 13 * 8))


def test_an_object_that_holds_the_events(tmp_path: Path) -> None:
    events = json.loads(WHOLE.read_text())
    path = tmp_path / "trace_view.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events, "more": [1, {"a": 2}]}))
    listed, held = read([WHOLE]), read([path])
    assert (held.operators, held.times, held.counters) == (listed.operators, listed.times, listed.counters)


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9, 0.999])
def test_a_cut_trace_gives_the_events_before_the_cut(tmp_path: Path, share: float) -> None:
    text = WHOLE.read_text()
    path = tmp_path / "trace.json"
    path.write_text(text[: int(len(text) * share)])
    profile = read([path])
    notice = next(notice for notice in profile.notices if notice.code == "file-cut-off")
    used = int(notice.text.split("; the ")[1].split()[0])
    events = json.loads(text)[:used]
    kernels = [e for e in events if e["ph"] == "X" and ("Task Type" in e.get("args", {}) or e["pid"] == 4245)]
    kernels = [e for e in kernels if e["name"] != "EVENT_WAIT"]
    assert sum(op.count for op in profile.operators) == len(kernels)


def test_ascend_is_told_from_other_devices(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    event = {
        "ph": "X",
        "name": "gemm",
        "pid": 0,
        "tid": 7,
        "ts": 1.5,
        "dur": 3,
        "cat": "kernel",
        "args": {"device": 0},
    }
    path.write_text(json.dumps([event] * 3))
    with pytest.raises(SourceError, match="without a task of an Ascend device"):
        read([path])


def test_two_traces_of_one_folder_are_not_added_up(tmp_path: Path) -> None:
    (tmp_path / "msprof_0.json").write_bytes(WHOLE.read_bytes())
    (tmp_path / "task_time_0.json").write_bytes((SAMPLES / "odd-object.json").read_bytes())
    profile = read([tmp_path])
    assert [file.path for file in profile.files] == ["msprof_0.json"]
    assert "second-table" in [notice.code for notice in profile.notices]
    for n in range(2):
        (tmp_path / f"msprof_slice_{n}_1.json").write_bytes(WHOLE.read_bytes())
    assert len(read([tmp_path]).files) == 3  # slices are parts of one export


def test_time_stamps_keep_their_digits(tmp_path: Path) -> None:
    """Sixteen digits before the point as text; a float would make both starts equal."""
    path = tmp_path / "trace.json"
    events = [
        {
            "ph": "X",
            "name": f"k{n}",
            "pid": 1,
            "tid": 2,
            "ts": f"1784177655018937.{ms}",
            "dur": 0.1,
            "args": {"Task Type": "AI_VECTOR_CORE"},
        }
        for n, ms in enumerate(("798", "998"))
    ]
    path.write_text(json.dumps(events))
    times = read([path]).times
    assert (
        times.span
        and times.span.value == pytest.approx(0.3)
        and times.busy
        and times.busy.value == pytest.approx(0.2)
    )


cells = (
    st.none()
    | st.booleans()
    | st.integers(-5, 10**25)
    | st.floats()
    | st.text(max_size=6)
    | st.lists(st.integers(), max_size=2)
)
task = st.sampled_from(["AI_VECTOR_CORE", "AI_CORE", "EVENT_WAIT", "N/A", 3, None])
event = st.fixed_dictionaries(
    {"ph": st.sampled_from(["X", "M", "C", "s", 5])},
    optional={
        "name": st.sampled_from(
            ["process_name", "thread_name", "AI Core Freq", "AscendCL@aclrtMalloc", 'k,\n"x', 4]
        )
        | cells,
        "pid": cells,
        "tid": cells,
        "ts": cells,
        "dur": cells,
        "cat": st.sampled_from(["cpu_op", "async_npu", ["list"]]),
        "args": cells | st.fixed_dictionaries({}, optional={"Task Type": task, "name": cells, "MHz": cells}),
    },
)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(event, min_size=1, max_size=10))
def test_any_events(tmp_path: Path, events: list[object]) -> None:
    (tmp_path / "t.json").write_text(json.dumps(events))
    try:
        found = read([tmp_path / "t.json"])
    except SourceError as fault:
        assert fault.where and fault.now
    else:
        assert isinstance(found, Profile)
