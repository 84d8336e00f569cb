"""What own outcomes do to the gain and to the order of advice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from comparison_samples import AFTER, BEFORE, DEVICE, RUN_AFTER, RUN_BEFORE
from hypothesis import given
from hypothesis import strategies as st
from test_rank import entry, finding, published

from kb.engine.compare import compare
from kb.engine.compare.result import outcome_of
from kb.engine.match import Match
from kb.engine.pipeline import advise
from kb.engine.rank import gain_of, rank
from kb.engine.request import Request
from kb.engine.tried import here, shifted
from kb.errors import NothingToJudge
from kb.experience import Outcome, Result, shrunk, speaks_of, tally
from kb.model import Finding, OperatorRef, Recommendation


def tried(saved: float, name: str = "e", **more: object) -> Outcome:
    result: Result = "faster" if saved > 0.02 else "slower" if saved < -0.02 else "within-noise"
    given: dict[str, object] = {"pattern": "core-imbalance", "operator": "Add"}
    return Outcome(f"{name}{saved}", "2026-01-01", name, "operator", saved, 0.02, result, **(given | more))  # type: ignore[arg-type]


def of_add(**fields: object) -> Finding:
    return replace(finding(**fields), operators=(OperatorRef("Add", "add", "vector", "", 1, 10.0),))  # type: ignore[arg-type]


def test_one_try_shifts_the_expectation_by_a_third_of_the_way() -> None:
    match = Match(entry("e", gains=(published(0.1),)), of_add(headroom=0.9), None, {}, ())
    gain = shifted(gain_of(match), here(match, [tried(0.4)]), match)
    assert gain.likely == pytest.approx((2 * 0.1 + 0.4) / 3, abs=1e-4)
    assert gain.high == 0.9
    assert "tried once here, helped 1, failed 0" in gain.basis


def test_many_tries_outweigh_the_published_figure() -> None:
    found = tally([tried(0.4)] * 18)
    assert found is not None
    assert shrunk(0.1, found) == pytest.approx((2 * 0.1 + 18 * 0.4) / 20)


def test_an_imported_outcome_counts_half_and_sinks_nothing() -> None:
    found = tally([tried(0.0, origin="imported")] * 4)
    assert found is not None
    assert (found.count, found.imported, found.weight, found.sunk) == (0, 4, 2.0, False)
    assert shrunk(0.3, found) == pytest.approx(0.15)


def test_a_bound_that_nobody_measured_is_measured_now() -> None:
    match = Match(entry("e", grade="practice"), of_add(headroom=0.5), None, {}, ())
    assert gain_of(match).modelled
    gain = shifted(gain_of(match), here(match, [tried(0.2)]), match)
    assert not gain.modelled
    assert gain.basis.startswith("measured here: tried once here")


def ranked(outcomes: list[Outcome]) -> list[Recommendation]:
    matches = [
        Match(entry(name, gains=(published(saved),)), of_add(headroom=0.9), None, {}, ())
        for name, saved in (("best", 0.5), ("second", 0.3), ("third", 0.1))
    ]
    return list(rank(matches, run_scope=False, outcomes=outcomes))


def test_a_remedy_that_failed_twice_stands_last_and_the_report_says_why() -> None:
    assert [item.id for item in ranked([])] == ["best", "second", "third"]
    assert [item.id for item in ranked([tried(0.0, "best")])][-1] != "best"
    order = ranked([tried(0.0, "best"), tried(-0.1, "best")])
    assert [item.id for item in order] == ["second", "third", "best"]
    last = order[-1]
    assert last.tried is not None and last.tried.sunk
    assert "tried twice here, helped 0, failed 2: it stands last" in last.evidence


def test_failures_that_are_outnumbered_do_not_sink() -> None:
    outcomes = [tried(0.5, "best")] * 3 + [tried(0.0, "best")] * 2
    assert ranked(outcomes)[0].id == "best"


def test_failures_against_something_else_only_count_against_it_a_little() -> None:
    far = {"pattern": "mte1-bound", "operator": "Conv2D"}
    order = ranked([tried(0.0, "best", **far), tried(0.0, "best", **far)])
    assert {item.id: item.tried for item in order}["best"] is None
    assert order[-1].id == "third"
    best = next(item for item in order if item.id == "best")
    assert any(text.startswith("for other operators: tried twice here") for text in best.evidence)


def test_what_an_outcome_speaks_of() -> None:
    assert speaks_of(tried(0.1), "core-imbalance", "Mul")
    assert speaks_of(tried(0.1), "mte1-bound", "Add")
    assert not speaks_of(tried(0.1), "mte1-bound", "Mul")
    assert not speaks_of(tried(0.1, operator=""), "mte1-bound", "")
    assert speaks_of(tried(0.1, operator="", pattern=""), "mte1-bound", "Mul")


@given(st.floats(0, 1), st.lists(st.floats(-2, 1), min_size=1, max_size=5), st.floats(0, 0.99))
def test_the_gain_stays_inside_the_bound(headroom: float, saved: list[float], figure: float) -> None:
    match = Match(entry("e", gains=(published(figure),)), of_add(headroom=headroom), None, {}, ())
    before = gain_of(match)
    gain = shifted(before, here(match, [tried(item) for item in saved]), match)
    assert gain.high == before.high
    assert gain.low <= gain.likely + 1e-4 and gain.likely <= gain.high + 1e-4


# --- from a comparison to an outcome


def test_the_outcome_is_of_the_operator_that_the_advice_was_for() -> None:
    found = outcome_of(
        compare(BEFORE, AFTER), BEFORE, entry("e", bottlenecks=("small-mte2-reads",)), id="1", created="2026"
    )
    assert (found.of, found.saved, found.result, found.operator) == ("operator", 0.5, "faster", "Add")
    assert (found.pattern, found.soc, found.shapes) == ("small-mte2-reads", "Ascend910B2", "64x64")


def test_the_outcome_of_a_run_is_of_the_whole() -> None:
    found = outcome_of(compare(RUN_BEFORE, RUN_AFTER), RUN_BEFORE, entry("e"), id="1", created="2026")
    assert (found.of, found.operator, found.pattern) == ("run", "", "")
    assert found.saved == pytest.approx(-51 / 1800, abs=1e-6)


def test_runs_that_cannot_be_compared_have_no_outcome() -> None:
    simulated = replace(AFTER, capture=replace(DEVICE, simulated=True))
    with pytest.raises(NothingToJudge, match="mode"):
        outcome_of(compare(BEFORE, simulated), BEFORE, entry("e"), id="1", created="2026")


def test_a_real_report_takes_outcomes_into_account(shared_profiles: Path) -> None:
    path = shared_profiles / "cummin-s1-rounds" / "round_002"
    first = advise([path]).recommendations[0]
    failed = [replace(tried(0.0, first.id, pattern="", operator=""), id=str(n)) for n in range(2)]
    report = advise([path], Request(outcomes=tuple(failed), top=60))
    assert report.recommendations[-1].id == first.id
    assert any(text.startswith(f"{first.id} stands last") for text in report.warnings)
    assert [item.id for item in report.findings] == [item.id for item in advise([path]).findings]
