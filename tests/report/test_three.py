"""What the first recommendations save together is computed: never their sum, never below the floor."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.model import Capture, Chip, Finding, Gain, OperatorRef, Recommendation, Report
from kb.report.three import first_three

ADD, MUL = (OperatorRef(name, name, "vector", "", 1, 50.0) for name in ("Add", "Mul"))


def finding(id: str, operator: OperatorRef, share: float, headroom: float | None) -> Finding:
    return Finding(id, "tail-wave", "operator", (operator,), share, 0.8, (), headroom)


def advice(place: int, finding: str, likely: float, of: str = "operator") -> Recommendation:
    gain = Gain(likely / 2, likely, likely, of, "measured: t")  # type: ignore[arg-type]
    return Recommendation(place, f"e{place}", "recipe", "t", finding, gain, "", "", (), (), "", "", "", ())


def report(findings: tuple[Finding, ...], *items: Recommendation) -> Report:
    return Report("t", "r", Chip(), Capture("t"), 100.0, "", (), findings, (), items, (), ())


def test_remedies_of_one_operator_work_on_what_is_left() -> None:
    one = report((finding("f", ADD, 1.0, 0.9),), advice(1, "f", 0.5), advice(2, "f", 0.5))
    found = first_three(one)
    assert found is not None and found.likely == pytest.approx(0.75)


def test_and_never_win_more_than_is_open_there() -> None:
    one = report(
        (finding("f", ADD, 1.0, 0.6),), advice(1, "f", 0.5), advice(2, "f", 0.5), advice(3, "f", 0.5)
    )
    found = first_three(one)
    assert found is not None and found.likely == pytest.approx(0.6)


def test_different_operators_add_up_by_their_shares() -> None:
    both = (finding("a", ADD, 0.5, 0.9), finding("m", MUL, 0.3, 0.9))
    found = first_three(report(both, advice(1, "a", 0.4), advice(2, "m", 0.5)))
    assert found is not None and found.likely == pytest.approx(0.5 * 0.4 + 0.3 * 0.5)


def test_findings_that_share_a_shape_do_not_add_past_its_floor() -> None:
    """Add runs in two shapes, 80 % of the run; one finding names both, one the larger only (50 %): at most 0.8 x 0.9."""
    small = replace(ADD, shapes="8x8")
    whole = Finding("w", "tail-wave", "operator", (ADD, small), 0.8, 0.8, (), 0.9)
    part = Finding("p", "core-imbalance", "operator", (ADD,), 0.5, 0.8, (), 0.9)
    found = first_three(report((whole, part), advice(1, "w", 0.9), advice(2, "p", 0.9)))
    assert found is not None
    assert 0.8 * 0.9 - 1e-4 <= found.likely <= 0.8 * 0.9 + 1e-4


def test_different_shapes_of_one_type_are_different_operators() -> None:
    small = replace(ADD, shapes="8x8")
    both = (finding("a", ADD, 0.5, 0.9), finding("b", small, 0.3, 0.9))
    found = first_three(report(both, advice(1, "a", 0.4), advice(2, "b", 0.5)))
    assert found is not None and found.likely == pytest.approx(0.5 * 0.4 + 0.3 * 0.5)


def test_one_recommendation_has_nothing_to_be_taken_with() -> None:
    assert first_three(report((finding("f", ADD, 1.0, 0.6),), advice(1, "f", 0.5))) is None


@given(st.lists(st.floats(0, 1), min_size=2, max_size=5), st.floats(0, 1))
def test_together_is_between_the_best_and_the_sum(gains: list[float], headroom: float) -> None:
    bounded = [min(gain, headroom) for gain in gains]
    items = [advice(place, "f", gain) for place, gain in enumerate(bounded, 1)]
    found = first_three(report((finding("f", ADD, 1.0, headroom),), *items))
    assert found is not None
    assert max(bounded[:3]) - 1e-4 <= found.likely <= min(sum(bounded[:3]), headroom) + 1e-4
    assert found.low <= found.likely <= found.high


def test_remedies_of_one_finding_of_the_run_never_win_more_than_it_leaves_open() -> None:
    one = report((finding("f", ADD, 0.1, 0.6),), advice(1, "f", 0.05, "run"), advice(2, "f", 0.05, "run"))
    found = first_three(one)
    assert found is not None and found.likely == pytest.approx(0.06)
