"""Ranking: gains stay inside the profile's bound, and the order does not depend on the order of the input."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.engine.match import Match, match
from kb.engine.rank import gain_of, rank
from kb.engine.signature import holds
from kb.model import Condition, Entry, Features, Finding, Measure, PublishedGain, Text3


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
        gain.low == pytest.approx(0.1 / 3, abs=1e-4) and "a third of the least published figure" in gain.basis
    )


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
