"""Ranking: gains stay inside the profile's bound, and the order does not depend on the order of the input."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.engine.match import Match, match
from kb.engine.metrics import RunFeatures
from kb.engine.pipeline import open_knowledge
from kb.engine.rank import gain_of, rank
from kb.engine.signature import holds
from kb.model import (
    Condition,
    Entry,
    Features,
    Finding,
    Measure,
    Observation,
    Operator,
    OperatorRef,
    PublishedGain,
    Text3,
)
from kb.targets import load


def entry(name: str, **fields: object) -> Entry:
    base: dict[str, object] = {
        "bottlenecks": ("core-imbalance",),
        "grade": "vendor",
        "who": "kernel-developer",
    }
    return Entry(
        name, "recipe", "reviewed", Text3(name), Text3(""), Text3("do"), "pipeline", **(base | fields)
    )  # type: ignore[arg-type]


def finding(name: str = "core-imbalance", headroom: float | None = 0.4, **fields: object) -> Finding:
    base: dict[str, object] = {"share": 1.0, "confidence": 0.8}
    return Finding(name, name, "operator", (), evidence=(), headroom=headroom, **(base | fields))  # type: ignore[arg-type]


def published(saved: float, grade: str = "vendor") -> PublishedGain:
    return PublishedGain(saved, saved, "operator", grade=grade)  # type: ignore[arg-type]


@given(st.floats(0, 1), st.lists(st.floats(-0.5, 0.999), max_size=4))
def test_gain_never_exceeds_the_bound(headroom: float, saved: list[float]) -> None:
    gain = gain_of(
        Match(entry("e", gains=tuple(map(published, saved))), finding(headroom=headroom), None, {}, ())
    )
    assert gain.low <= gain.likely + 1e-9 and gain.likely <= gain.high + 1e-9
    assert gain.high <= round(headroom, 4) + 1e-9
    assert gain.basis.split(":")[0] in ("measured", "modelled", "stated")


def test_a_stated_claim_is_no_measurement() -> None:
    gain = gain_of(Match(entry("e", gains=(published(0.3, "stated"),)), finding(headroom=0.9), None, {}, ()))
    assert gain.basis.startswith("stated")
    assert gain.low == 0


def test_the_likely_figure_is_the_published_one_and_never_more() -> None:
    gain = gain_of(Match(entry("e", gains=(published(0.1),)), finding(headroom=0.9), None, {}, ()))
    assert (gain.likely, gain.high) == (0.1, 0.9)
    assert (
        gain.low == pytest.approx(0.1 / 3, abs=1e-4) and "a third of the figure: there is one" in gain.basis
    )


@pytest.mark.parametrize("sign", ["blind", "threshold_fails", "elsewhere"])
def test_figures_of_other_cases_promise_nothing_at_the_low_end(sign: str) -> None:
    one, same = (
        gain_of(Match(entry("e", gains=(published(0.3),)), finding(headroom=0.4), None, signs, ()))
        for signs in ({sign: 1.0}, {})
    )
    assert (one.low, one.likely) == (0.0, 0.1) and "here it is not" in one.basis
    assert same.low > 0 and same.likely > one.likely


def test_a_share_of_a_part_is_no_promise_for_the_whole() -> None:
    gain = gain_of(
        Match(entry("e", gains=(PublishedGain(0.8, 0.8, "part", grade="vendor"),)), finding(), None, {}, ())
    )
    assert gain.basis.startswith("modelled")


@given(st.integers(0, 10_000))
def test_order_of_entries_and_findings_does_not_matter(seed: int) -> None:
    entries = [
        entry(
            f"e{i}", gains=(published(0.1 * i),) if i % 2 else (), bottlenecks=("core-imbalance", "tail-wave")
        )
        for i in range(8)
    ]
    findings = [finding(), finding("tail-wave", 0.2), finding("bank-conflict", None)]
    straight = rank(match(findings, {}, entries, (), {}, {}), run_scope=False)
    shuffled = random.Random(seed)
    shuffled.shuffle(entries)
    shuffled.shuffle(findings)
    assert [item.id for item in rank(match(findings, {}, entries, (), {}, {}), run_scope=False)] == [
        item.id for item in straight
    ]


def test_a_known_non_remedy_is_not_advised() -> None:
    wrong = entry("vector-double-buffer-like", not_for=("scalar-bound-vector",))
    assert not match([finding(), finding("scalar-bound-vector")], {}, [wrong], (), {}, {})
    assert match([finding()], {}, [wrong], (), {}, {})


@pytest.mark.parametrize(
    ("op", "value", "have", "expected"),
    [
        ("<", 1.0, 0.5, True),
        (">", 1.0, 0.5, False),
        ("~", 1.0, 1.1, True),
        ("~", 1.0, 1.3, False),
        ("in", (0.1, 0.3), 0.2, True),
    ],
)
def test_conditions(op: str, value: object, have: float, expected: bool) -> None:
    f = Features(None, {"aiv_vec_ratio": Measure(have, "1", "t")})
    assert holds(Condition("aiv_vec_ratio", op, value, "threshold"), f) is expected  # type: ignore[arg-type]


def test_a_condition_on_what_was_not_measured_is_unknown() -> None:
    assert holds(Condition("aiv_vec_ratio", "<", 0.5, "threshold"), Features(None, {})) is None


def order(*entries: Entry, findings: tuple[Finding, ...] = (), run_scope: bool = False) -> list[str]:
    matches = match(findings or (finding(),), {}, entries, (), {}, {})
    return [item.id for item in rank(matches, run_scope=run_scope)]


def test_quick_wins_come_first_when_gains_tie() -> None:
    """Ids are in the opposite order, which decides where nothing else does."""
    hard, medium, quick = (
        entry(name, effort=effort) for name, effort in (("a", "high"), ("b", "medium"), ("c", "low"))
    )
    assert order(hard, medium, quick) == ["c", "b", "a"]
    assert order(hard, entry("c", effort="high")) == ["a", "c"]


def test_a_larger_gain_beats_a_quick_win() -> None:
    large = entry("b", effort="high", gains=(published(0.35),))
    assert order(entry("a", effort="low", gains=(published(0.05),)), large) == ["b", "a"]


def test_an_entry_that_was_measured_and_did_not_help_promises_nothing() -> None:
    slower = entry("e", gains=(published(-0.1),))
    assert gain_of(Match(slower, finding(), None, {}, ())).high == 0
    assert order(slower, entry("other")) == ["other"]


def test_a_warning_does_not_come_before_a_remedy() -> None:
    assert order(entry("a", facts={"role": "warning"}), entry("b")) == ["b", "a"]


@pytest.mark.parametrize(
    ("claim", "counter", "lowered"),
    [("stated", "third-party", True), ("practice", "vendor", True), ("stated", "stated", False), ("vendor", "third-party", False)],
)  # fmt: skip
def test_a_measured_counter_case_lowers_a_claim(claim: str, counter: str, lowered: bool) -> None:
    """Of two measured entries each holds where it was measured; a claim that nobody measured gives way."""
    gains = (published(0.3, claim), published(0.3, "vendor"))
    entries = [entry("a", grade=claim, gains=gains), entry("b", grade=claim, gains=gains)]
    against = entry("c", grade=counter, bottlenecks=("tail-wave",), facts={"contradicts": ["a"]})
    found = {item.entry.id: item for item in match([finding()], {}, [*entries, against], (), {}, {})}
    assert ("countered" in found["a"].signs) is lowered and "countered" not in found["b"].signs
    ranked = rank(found.values(), run_scope=False)
    assert [item.id for item in ranked] == (["b", "a"] if lowered else ["a", "b"])
    told = next(item for item in ranked if item.id == "a")
    assert (told.gain.low == 0) is lowered
    assert any("c found the contrary" in text for text in told.evidence) is lowered


def test_the_counter_case_of_nms_stands_before_the_claims_it_contradicts() -> None:
    """A loop of kernels on the device was slower than one call on the host: who claims the opposite measured nothing."""
    entries = open_knowledge().entries
    kind = "NonMaxSuppressionV3"
    labels = {"core": "ai_cpu", "op_type": kind, "op_pattern": "nms"}
    lead = Features(Operator(kind, kind, "ai_cpu", 1, Measure(900.0, "us", "t"), 900.0), {}, labels)
    ref = OperatorRef(kind, kind, "ai_cpu", "", 1, 900.0)
    nms = replace(finding("nms-post-processing", 0.9), operators=(ref,))
    claims = {"client-nms-ascendc", "nms-custom-ascendc"}
    here = match([nms], {nms.id: (lead,)}, entries.values(), (load("Ascend910B3"),), {}, {})
    ranked = rank(here, run_scope=False)
    countered = {item.entry.id for item in here if "countered" in item.signs}
    assert countered == claims
    places = {item.id: item.rank for item in ranked}
    assert places.get("nms-avoid-python-fallback", 99) < min(places.get(name, 99) for name in claims)
    assert all(item.gain.low == 0 for item in ranked if item.id in claims)


def host_bound() -> Finding:
    return Finding("host-bound", "host-bound", "run", (), 1.0, 0.9, (), 0.7)


def test_a_cause_that_cannot_be_seen_does_not_lead() -> None:
    """99 % measured where operators were compiled; nothing here says that any is, so the plain remedy leads."""
    condition = Condition("host_compile_share", ">", 0.05, "threshold")
    gains = (PublishedGain(0.99, 0.99, "run", grade="third-party"),)
    compiling = entry("a", bottlenecks=("host-bound",), when=(condition,), gains=gains)
    watched = entry(
        "b", bottlenecks=("host-bound",), observe=(Observation("shapes differ", "threshold"),), gains=gains
    )
    plain = entry(
        "c",
        bottlenecks=("host-bound",),
        grade="stated",
        observe=(Observation("host bound: yes", "threshold"),),
    )
    both = order(compiling, watched, plain, findings=(host_bound(),), run_scope=True)
    assert both[0] == "c"
    seen = Features(None, {"host_compile_share": Measure(0.6, "1", "t")})
    run = RunFeatures(seen, ())
    shown = match([host_bound()], {}, [compiling, plain], (), {}, {}, run)
    ranked = rank(shown, run_scope=True)
    assert ranked[0].id == "a" and ranked[0].gain.low > 0
    unseen = next(
        item
        for item in rank(match([host_bound()], {}, [compiling], (), {}, {}), run_scope=True)
        if item.id == "a"
    )
    assert unseen.gain.low == 0 and unseen.gain.likely < ranked[0].gain.likely
    assert any("not seen here" in text for text in unseen.evidence)


@pytest.mark.parametrize(
    ("measured_on", "here", "promised"),
    [
        ("Add", "matmul", False),
        ("MatMul", "elementwise_binary", False),
        ("MatMul", "matmul", True),
        ("Add", "softmax", True),
    ],
)
def test_a_figure_of_element_wise_work_says_nothing_of_a_matrix_product(
    measured_on: str, here: str, promised: bool
) -> None:
    one = entry("a", operators=(measured_on, "*"), gains=(published(0.9),))
    f = Features(None, {}, {"op_pattern": here})
    gain = gain_of(Match(one, finding(headroom=0.95), f, {}, ()))
    assert (gain.low > 0) is promised
    assert ("another kind of operator" in gain.basis) is not promised
