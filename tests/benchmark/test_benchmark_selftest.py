"""Recipes' own profiles: made of what was observed, with that hidden from the matcher."""

from __future__ import annotations

from kb.benchmark import selftest
from kb.model import Condition, Entry, Observation, PublishedGain, Text3


def entry(name: str = "own", **fields: object) -> Entry:
    base: dict[str, object] = {
        "bottlenecks": ("under-parallel",),
        "operators": ("MatMul",),
        "chips": ("Ascend910B3",),
    }
    return Entry(name, "recipe", "reviewed", Text3(name), Text3(""), Text3("do"), "matmul", **(base | fields))  # type: ignore[arg-type]


def observed(metric: str, op: str, value: float | str) -> Condition:
    return Condition(metric, op, value, "observed")


def test_readings_lie_inside_their_conditions() -> None:
    when = (
        observed("aic_mte2_ratio", ">", 0.8),
        observed("aic_mac_ratio", "<", 0.2),
        observed("aic_scalar_ratio", "~", 0.4),
        observed("block_dim", "<", "@core_count"),
        Condition("matmul_m", "==", 1.0, "threshold"),
    )
    document = selftest.before(entry(when=when))
    assert document is not None
    metrics = document["metrics"]
    assert 0.8 < metrics["aic_mte2_ratio"] < 1 and 0 < metrics["aic_mac_ratio"] < 0.2
    assert metrics["aic_scalar_ratio"] == 0.4
    assert 1 <= metrics["block_dim"] < 20
    assert "matmul_m" not in metrics
    assert document["operator"] == "MatMul" and document["hardware"] == "Ascend910B3"


def test_words_and_figures_become_readings() -> None:
    gain = PublishedGain(
        0.5, 0.5, "operator", before="120.5", after="60", unit="us", shapes="M=1 N=2 K=3", chip="atlas-a2"
    )
    notes = (
        Observation("aic mte2 time in us about 90.5", "observed"),
        Observation("Block Dim is 2", "observed"),
    )
    document = selftest.before(entry(observe=notes, gains=(gain,)))
    assert document is not None
    assert document["metrics"] == {"aic_mte2_time_us": 90.5, "block_dim": 2.0, "task_duration_us": 120.5}
    assert document["shape"] == "M=1 N=2 K=3" and document["hardware"] == "atlas-a2"


def test_one_absolute_time_is_no_profile() -> None:
    lone = entry(observe=(Observation("task duration in us about 300", "observed"),))
    assert selftest.before(lone) is None
    cases, left_out = selftest.cases({"own": lone})
    assert (cases, left_out) == ([], ["own"])


def test_warnings_are_no_answers() -> None:
    warning = entry(
        when=(observed("aic_mte2_ratio", ">", 0.8), observed("block_dim", "==", 1.0)),
        facts={"role": "warning"},
    )
    assert selftest.cases({"own": warning}) == ([], [])


def test_hiding_takes_the_own_observations_or_all_of_the_source() -> None:
    when = (
        observed("block_dim", "==", 1.0),
        observed("aic_mte2_ratio", ">", 0.8),
        Condition("core", "==", "cube", "threshold"),
    )
    gain = PublishedGain(0.5, 0.5, "operator")
    own = entry(when=when, gains=(gain,), sources=("a/b:page.md@1",))
    same = entry("same", when=when, gains=(gain,), sources=("a/b:page.md@2",))
    other = entry("other", when=when, gains=(gain,), sources=("a/b:else.md@1",))
    entries = {item.id: item for item in (own, same, other)}
    case = selftest.cases({"own": own})[0][0]
    hidden = selftest.hidden(entries, case)
    assert [condition.basis for condition in hidden["own"].when] == ["threshold"]
    assert hidden["own"].gains == own.gains and hidden["same"] == same
    strict = selftest.source_hidden(entries, case)
    assert strict["own"].when == () and strict["same"].gains == () and strict["other"] == other
    assert entries["own"].when == when


def test_equals_are_linked_both_ways_and_share_a_bottleneck() -> None:
    when = (observed("block_dim", "==", 1.0), observed("aic_mte2_ratio", ">", 0.8))
    own = entry(when=when, links=("twin", "one-way", "elsewhere"))
    twin, one_way = entry("twin", links=("own",)), entry("one-way")
    elsewhere = entry("elsewhere", links=("own",), bottlenecks=("tail-wave",))
    cases, _ = selftest.cases({item.id: item for item in (own, twin, one_way, elsewhere)})
    assert cases[0].equals == ("twin",)


def test_place_counts_from_one() -> None:
    assert selftest.place(["a", "b", "c"], ["c", "b"]) == 2
    assert selftest.place(["a"], ["z"]) is None
