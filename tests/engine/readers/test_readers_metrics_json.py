"""Typed metrics: both forms, names in any spelling, and complaints with their place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kb.engine.readers import read_metrics
from kb.errors import KbError, SourceError
from kb.model import Profile, Tensor

KERNEL = {
    "operator": "RmsNorm",
    "hardware": "Ascend 910B2",
    "shape": "1024,2048",
    "dtype": "FLOAT16",
    "metrics": {
        "Task Duration(us)": 113.6,
        "Block Dim": 64,
        "aiv_vec_ratio": 0.658,
        "aic_cube_ratio": None,
        "GM_to_UB_datas(KB)": 512,
        "l2_hit_rate": 0.4,
        "Current Freq": 1800,
    },
}
MODEL = {
    "hardware": "Ascend310P3",
    "task": "object-detection",
    "operators": [
        {"type": "Conv2D", "count": 110, "share": 0.6},
        {"type": "NonMaxSuppression", "share": 0.25, "core": "ai_cpu"},
    ],
}


@pytest.fixture
def profiles(tmp_path: Path):  # type: ignore[no-untyped-def]
    def save(value: object) -> list[Profile]:
        path = tmp_path / "m.json"
        path.write_text(value if isinstance(value, str) else json.dumps(value))
        return read_metrics(path)

    return save


def test_a_kernel(profiles) -> None:  # type: ignore[no-untyped-def]
    (profile,) = profiles(KERNEL)
    (op,) = profile.operators
    assert (profile.scope, profile.capture.tool, profile.chip.basis) == ("operator", "typed in", "unknown")
    assert profile.stated == {"hardware": "Ascend 910B2", "shape": "1024,2048", "dtype": "FLOAT16"}
    assert (op.type, op.core, op.duration.value, op.duration.unit, op.block_dim) == (
        "RmsNorm",
        "vector",
        113.6,
        "us",
        64,
    )
    assert op.inputs == (Tensor((1024, 2048), "FLOAT16"),)
    assert op.clock_mhz == 1800
    assert {name: (m.value, m.unit) for name, m in op.counters.items()} == {
        "aiv_vec_ratio": (0.658, "1"), "gm_to_ub_datas": (512.0, "KiB"), "l2_hit_rate": (0.4, "1"),
    }  # fmt: skip
    assert op.counters["aiv_vec_ratio"].origin.endswith('m.json:$.metrics["aiv_vec_ratio"]')
    assert profile.notices == ()


def test_a_model_by_shares(profiles) -> None:  # type: ignore[no-untyped-def]
    (profile,) = profiles(MODEL)
    conv, nms = profile.operators
    assert (profile.scope, conv.count, conv.total_us, conv.duration.unit) == ("run", 110, 0.6, "share")
    assert conv.duration.value == pytest.approx(0.6 / 110)
    assert (nms.core, nms.count) == ("ai_cpu", 1)
    assert profile.times.busy and (profile.times.busy.value, profile.times.busy.unit) == (1.0, "share")
    assert profile.stated["task"] == "object-detection" and "not microseconds" in profile.stated["times"]
    assert [notice.code for notice in profile.notices] == ["times-are-shares"]


def test_a_model_by_times(profiles) -> None:  # type: ignore[no-untyped-def]
    (profile,) = profiles(
        {"operators": [{"type": "A", "time_us": 30, "count": 3}, {"type": "B", "time_us": 10}]}
    )
    assert [(op.total_us, op.duration.value, op.duration.unit) for op in profile.operators] == [
        (30, 10, "us"),
        (10, 10, "us"),
    ]
    assert profile.notices == () and profile.times.busy is None


def test_a_model_without_times_says_so(profiles) -> None:  # type: ignore[no-untyped-def]
    (profile,) = profiles({"operators": [{"type": "A"}]})
    assert profile.operators[0].duration.unit == "not given"
    assert [notice.code for notice in profile.notices] == ["times-unknown"]


def test_a_list_gives_one_profile_each(profiles) -> None:  # type: ignore[no-untyped-def]
    assert [profile.scope for profile in profiles([KERNEL, MODEL])] == ["operator", "run"]


def test_unknown_keys_are_noticed_not_used(profiles) -> None:  # type: ignore[no-untyped-def]
    (profile,) = profiles(
        {"operator": "X", "mood": 1, "metrics": {"gflops": 3, "Op Name": 4, "Task Duration(us)": 5}}
    )
    assert profile.operators[0].counters == {}
    assert [notice.code for notice in profile.notices] == ["unknown-key"] * 3


def test_no_duration_falls_back_to_the_core_time_or_says_so(profiles) -> None:  # type: ignore[no-untyped-def]
    first, second = profiles([{"metrics": {"aiv_time(us)": 8.5}}, {"metrics": {"aiv_vec_ratio": 0.5}}])
    assert (first.operators[0].duration.value, first.operators[0].duration.computed) == (8.5, True)
    assert second.operators[0].duration.unit == "not given"


@pytest.mark.parametrize(
    ("value", "place"),
    [
        (3, r"\$ should be an object"),
        ({}, r'"metrics" \(a kernel\) or "operators"'),
        ({"metrics": []}, r"\$.metrics should be an object"),
        ([KERNEL, {"metrics": {"Block Dim": "many"}}], r'\$\[1\].metrics\["Block Dim"\] should be a number'),
        ({"metrics": {"aiv_vec_ratio": True}}, r'\["aiv_vec_ratio"\] should be a number'),
        ({"operator": 3, "metrics": {}}, r"\$.operator should be"),
        ({"metrics": {}, "core": "gpu"}, r"\$.core should be one of vector"),
        ({"operators": {}}, r"\$.operators should be a list"),
        ({"operators": [{"count": 3}]}, r"\$.operators\[0\].type should be"),
        ({"operators": [{"type": "A", "count": 0}]}, r"\[0\].count should be a whole number"),
        ({"operators": [{"type": "A", "share": 60}]}, r"\[0\].share should be a fraction"),
        ({"operators": [{"type": "A", "time_us": -1}]}, r"\[0\].time_us should be a time"),
        ({"metrics": {"Task Duration(us)": -1}}, "Task Duration of at least 0"),
        ({"metrics": {}, "shape": {"a": 1}}, r"\$.shape should be text"),
        ([], "an empty list"),
    ],
)  # fmt: skip
def test_wrong_values_are_refused_with_their_place(profiles, value: object, place: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(SourceError, match=place):
        profiles(value)


def test_broken_json_is_refused_with_line_and_column(profiles) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(SourceError, match="not valid JSON") as caught:
        profiles('{"operator": "X",\n  metrics: {}}')
    assert caught.value.where.endswith("m.json:2:3")


@pytest.mark.parametrize(
    ("text", "match"), [("", "empty"), ("[" * 100_000, "nested too deeply"), ('{"a": NaN', "not valid")]
)
def test_other_broken_files(profiles, text: str, match: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(SourceError, match=match):
        profiles(text)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no such file"):
        read_metrics(tmp_path / "none.json")


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["operator", "operators", "metrics", "type", "count", "share", "Block Dim", "shape", "x"]), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(JSON)
def test_any_json_gives_profiles_or_a_clear_error(tmp_path: Path, value: object) -> None:
    path = tmp_path / "m.json"
    path.write_text(json.dumps(value))
    try:
        assert all(profile.operators for profile in read_metrics(path))
    except KbError as fault:
        assert fault.where and fault.now


@pytest.mark.parametrize("ratio", [65.8, -0.1, 1e15])
def test_a_percentage_is_no_ratio(profiles, ratio: float) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(SourceError, match=r"0\.658 for 65\.8 %"):
        profiles({"operator": "Add", "metrics": {"Task Duration(us)": 9, "aiv_vec_ratio": ratio}})


def test_a_ratio_a_little_above_one_is_what_the_tool_prints(profiles) -> None:  # type: ignore[no-untyped-def]
    (profile,) = profiles({"operator": "Add", "metrics": {"Task Duration(us)": 9, "aiv_vec_ratio": 1.2}})
    assert profile.operators[0].counters["aiv_vec_ratio"].value == 1.2
