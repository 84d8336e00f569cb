"""Planted profiles: the same bytes every time, read whole, with a truth that follows from their own times."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kb import targets
from kb.benchmark import export, planted
from kb.benchmark.problems import PROBLEMS
from kb.engine import readers
from kb.engine.pipeline import Knowledge, advise, open_knowledge
from kb.engine.request import Request
from kb.model import Finding, Gain, OperatorRef, Recommendation, Report

SCENARIOS = planted.scenarios()
SMALL = [scenario for scenario in SCENARIOS if scenario.soc == planted.SOCS[0] and len(scenario.causes) == 1]


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    return open_knowledge()


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def scenario(name: str) -> planted.Scenario:
    return next(item for item in SCENARIOS if item.name == name)


def test_every_cause_is_planted_alone_and_names_are_unique() -> None:
    assert len({item.name for item in SCENARIOS}) == len(SCENARIOS)
    alone = {item.causes[0] for item in SCENARIOS if len(item.causes) == 1}
    assert alone == {problem.cause for problem in PROBLEMS}


def test_remedies_and_patterns_exist(knowledge: Knowledge) -> None:
    from kb.vocabulary.bottlenecks import IDS

    for problem in PROBLEMS:
        assert set(problem.patterns) <= set(IDS)
        assert set(problem.remedies) <= set(knowledge.entries), problem.cause


@pytest.mark.parametrize("name", ["scalar-gather-910B3", "slow-rank-910B2", "all-training"])
def test_the_same_bytes_every_time(name: str, tmp_path: Path) -> None:
    for place in ("a", "b"):
        planted.write(tmp_path / place, scenario(name))
    assert files(tmp_path / "a") == files(tmp_path / "b")
    assert len(files(tmp_path / "a")) >= 7


@pytest.mark.parametrize("item", SMALL, ids=lambda item: item.name)
def test_the_profile_reads_back_as_it_was_made(item: planted.Scenario, tmp_path: Path) -> None:
    target = targets.load(item.soc)
    bad, clean, truths = planted.write(tmp_path, item)
    for place, causes in ((bad, item.causes), (clean, ())):
        profile = readers.read([place], soc=item.soc)
        steps = planted.ranks_of(item, causes, target)
        assert sum(op.count for op in profile.operators) == export.STEPS * sum(map(len, steps))
        assert not any(file.rows_lost for file in profile.files)
        assert profile.times.span is not None
        span = sum(export.STEPS * export.span_us(step) for step in steps)
        assert profile.times.span.value == pytest.approx(span, rel=0.02)
    whole, without = (
        max(export.span_us(step) for step in planted.ranks_of(item, causes, target))
        for causes in (item.causes, ())
    )
    assert truths[0].gain == pytest.approx(1 - without / whole, abs=1e-4)
    assert 0.02 < truths[0].gain < 0.7
    told = json.loads((tmp_path / item.name / "truth.json").read_text(encoding="utf-8"))
    assert [truth["cause"] for truth in told["truth"]] == list(item.causes)


def test_seeds_differ() -> None:
    one, two = (
        [
            planted.ranks_of(planted.Scenario("x", "prefill", (cause,), "Ascend910B3", seed), (cause,), targets.load("Ascend910B3"))
            for cause in ("attention-head-dim", "product-unaligned")
        ]
        for seed in (1, 2)
    )  # fmt: skip
    assert one != two


def told(report: Report) -> object:
    """What the report says, without the paths it was read from."""
    findings = [(f.id, f.share, f.headroom, f.confidence, f.summary, f.operators) for f in report.findings]
    advice = [
        (r.id, r.finding, r.gain.low, r.gain.likely, r.gain.high, r.evidence) for r in report.recommendations
    ]
    return findings, advice, report.operators, report.total_us, report.headline


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10_000))
@pytest.mark.parametrize("name", ["all-detector", "host-gaps-910B3", "slow-rank-910B3"])
def test_order_of_rows_and_files_does_not_change_the_answer(
    name: str, seed: int, tmp_path: Path, knowledge: Knowledge
) -> None:
    bad, _, _ = planted.write(tmp_path, scenario(name))
    request = Request(scenario(name).soc)
    ranks = sorted(path for path in bad.iterdir() if path.is_dir())
    before = told(advise(ranks, request, knowledge))
    shuffle = random.Random(seed)
    for rank in ranks:
        table = rank / "ASCEND_PROFILER_OUTPUT" / "kernel_details.csv"
        head, *rows = table.read_text(encoding="utf-8").splitlines(keepends=True)
        shuffle.shuffle(rows)
        table.write_text(head + "".join(rows), encoding="utf-8", newline="\n")
    shuffle.shuffle(ranks)
    assert told(advise(ranks, request, knowledge)) == before


def report(findings: list[Finding], advice: list[Recommendation]) -> Report:
    from kb.model import Capture, Chip

    return Report(
        "t", "r", Chip(), Capture("x"), 1.0, "", (), tuple(findings), (), tuple(advice), (), ()
    )  # fmt: skip


def test_a_verdict_needs_the_operator_the_remedy_and_the_range() -> None:
    truth = planted.Truth("c", ("aicpu-fallback",), ("IndexPut",), ("right",), 0.2)
    ref = OperatorRef("IndexPutV2", "n", "ai_cpu", "", 1, 10.0)
    other = OperatorRef("Mul", "n", "ai_cpu", "", 1, 10.0)

    def finding(what: OperatorRef) -> Finding:
        return Finding(
            f"aicpu-fallback/{what.type}", "aicpu-fallback", "operator", (what,), 0.25, 0.9, (), 0.9
        )

    def advice(name: str, of: str, low: float, high: float) -> Recommendation:
        gain = Gain(low, low, high, of, "modelled: x")  # type: ignore[arg-type]
        return Recommendation(
            1, name, "recipe", "", f"aicpu-fallback/{of and ref.type}", gain, "", "", (), (), "", "", "", ()
        )

    (wrong,) = planted.judge(report([finding(other)], []), [truth])
    assert not wrong.found and wrong.remedy_place is None
    (no_remedy,) = planted.judge(report([finding(ref)], [advice("wrong", "operator", 0.5, 0.9)]), [truth])
    assert no_remedy.found and no_remedy.remedy_place is None and not no_remedy.covered
    (held,) = planted.judge(report([finding(ref)], [advice("right", "operator", 0.5, 0.9)]), [truth])
    assert held.remedy_place == 1 and held.covered and held.promised == (0.125, 0.225)
    (too_low,) = planted.judge(report([finding(ref)], [advice("right", "operator", 0.1, 0.3)]), [truth])
    assert too_low.remedy_place == 1 and not too_low.covered
