"""The weights of the order: readable, complete, and none against the meaning of its sign."""

from __future__ import annotations

import pytest

from kb.engine import signature, weights
from kb.engine.match import Match, match
from kb.engine.metrics import RunFeatures
from kb.engine.rank import gain_of, rank, signs
from kb.model import (
    Condition,
    Entry,
    Evidence,
    Features,
    Finding,
    Measure,
    OperatorRef,
    PublishedGain,
    Text3,
)

LOGARITHMS = ("share", "gain", "confidence", "grade", "effort", "operator", "chip", "size", "place", "near")


def entry(name: str, **fields: object) -> Entry:
    base: dict[str, object] = {"bottlenecks": ("host-bound",), "grade": "vendor", "who": "deployment"}
    return Entry(name, "recipe", "reviewed", Text3(name), Text3(""), Text3("do"), "host", **(base | fields))  # type: ignore[arg-type]


def finding(scope: str = "run", **fields: object) -> Finding:
    base: dict[str, object] = {
        "operators": (),
        "share": 1.0,
        "confidence": 0.9,
        "evidence": (),
        "headroom": 0.8,
    }
    return Finding("host-bound", "host-bound", scope, **(base | fields))  # type: ignore[arg-type]


def run_of(phase: str, *types: str) -> RunFeatures:
    return RunFeatures(
        Features(None, {}, {"run_phase": phase}),
        tuple(Features(None, {}, {"op_type": kind}) for kind in types),
    )


def test_both_columns_hold_the_same_signs_and_keep_their_direction() -> None:
    table = weights.columns()
    assert table["rules"].keys() == table["fitted"].keys()
    for column in table.values():
        assert all(column[name] >= 0 for name in LOGARITHMS)
        assert all(value >= 0 for name, value in column.items() if name.endswith("_holds"))
        assert all(value <= 0 for name, value in column.items() if name.endswith("_fails"))
    assert weights.used() in table.values()


def test_the_table_holds_every_sign_of_a_match() -> None:
    when = tuple(
        Condition("task_duration_us", op, 1.0, basis)  # type: ignore[arg-type]
        for op in ("<", ">")
        for basis in ("threshold", "inferred", "observed")
    )
    f = Features(None, {"task_duration_us": Measure(5.0, "us", "t")}, {"op_type": "Add"})
    found = match([finding("operator")], {"host-bound": (f,)}, [entry("e", when=when)], (), {}, {})
    assert found
    assert signs(found[0], gain_of(found[0]), run_scope=False).keys() <= weights.used().keys()


def test_a_reading_that_made_the_finding_is_implied() -> None:
    limit = Evidence("aic_mte2_ratio", 0.9, "1", "> 60 %", "t")
    f = Features(None, {"aic_mte2_ratio": Measure(0.9, "1", "t"), "matmul_k": Measure(6144, "", "t")})
    when = (
        Condition("aic_mte2_ratio", ">", 0.8, "threshold"),
        Condition("matmul_k", ">", 4096.0, "threshold"),
        Condition("l2_hit_rate", "<", 0.5, "threshold"),
    )
    found = signature.read(when, finding("operator", evidence=(limit,)), f, None)
    assert found.signs == {"implied": 1.0, "threshold_holds": 1.0, "unseen": 1.0}


def test_conditions_on_the_run_are_answered_by_the_run() -> None:
    idle = Condition("device_idle_share", ">", 0.5, "inferred")
    run = Features(None, {"device_idle_share": Measure(0.8, "1", "t")})
    assert signature.answered(idle, None, run) is True
    assert signature.answered(idle, None, None) is None


@pytest.mark.parametrize(("phase", "advised"), [("decode", True), ("training", False), ("unknown", True)])
def test_an_entry_for_decode_is_none_for_training(phase: str, advised: bool) -> None:
    graph = entry("graph", when=(Condition("run_phase", "==", "decode", "threshold"),))
    found = match([finding()], {}, [graph], (), {}, {}, run_of(phase))
    assert bool(found) is advised


def test_where_nothing_says_decode_the_plain_remedy_comes_first() -> None:
    graph = entry(
        "graph",
        when=(Condition("run_phase", "==", "decode", "threshold"),),
        gains=(PublishedGain(0.8, 0.8, "run", grade="vendor"),),
    )
    plain = entry("plain", gains=(PublishedGain(0.3, 0.3, "run", grade="vendor"),))

    def first(phase: str) -> str:
        found = match([finding()], {}, [graph, plain], (), {}, {}, run_of(phase))
        return rank(found, run_scope=True)[0].id

    assert (first("unknown"), first("decode")) == ("plain", "graph")


def test_an_entry_for_an_operator_that_is_not_in_the_run_is_no_advice() -> None:
    product = entry("product", operators=("MatMul",))
    here, gone = (
        match([finding()], {}, [product], (), {}, {}, run_of("unknown", kind)) for kind in ("MatMul", "Slice")
    )
    assert here and not gone


@pytest.mark.parametrize(
    ("language", "operators", "advised"),
    [
        ("ascend-c", ("TritonKernel",), False),
        ("triton", ("TritonKernel",), True),
        ("triton", (), True),
        ("ascend-c", (), True),
    ],
)
def test_a_remedy_in_another_language_is_none(
    language: str, operators: tuple[str, ...], advised: bool
) -> None:
    ref = OperatorRef("k", "k", "vector", "", 1, 10.0)
    f = Features(
        None, {}, {"op_type": "k", "core": "vector", "hand_written": "yes", "kernel_language": language}
    )
    one = finding("operator", operators=(ref,))
    recipe = entry("e", who="kernel-developer", operators=operators)
    assert bool(match([one], {"host-bound": (f,)}, [recipe], (), {}, {})) is advised


def test_a_check_is_not_advised_before_a_remedy() -> None:
    check = entry("a-check", facts={"role": "check"})
    found: list[Match] = match([finding()], {}, [check, entry("remedy")], (), {}, {})
    assert [item.id for item in rank(found, run_scope=True)] == ["remedy", "a-check"]
