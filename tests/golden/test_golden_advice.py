"""What is advised on twenty inputs, in short; a change of advice shows as a diff to review (`make golden`)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from kb.benchmark import healthy, planted
from kb.engine.pipeline import Knowledge, advise, advise_profile, open_knowledge
from kb.engine.request import Request
from kb.model import Report
from kb.units import percent

FOLDER = Path(__file__).parent / "advice"
SOC = planted.SOCS[0].removeprefix("Ascend")
PLANTED = [item for item in planted.scenarios() if item.name.endswith(SOC) or item.name == "all-everything"]
CLEAN = [item for item in planted.scenarios() if item.name in ("all-detector", "all-training", "all-prefill")]
HEALTHY = {"add on Ascend910B3", "product-few-rows on Ascend310P3"}


@cache
def knowledge() -> Knowledge:
    return open_knowledge()


def short(report: Report) -> str:
    """Findings and advice, a line each, figures in whole percents so that rounding does not make a diff."""
    lines = ["findings"]
    lines += [
        f"  {f.id}  {percent(f.share)} of the run, {percent(f.headroom)} open"
        if f.headroom is not None
        else f"  {f.id}  {percent(f.share)} of the run"
        for f in report.findings
    ]
    lines.append("advice")
    lines += [
        f"  {r.rank} {r.id} for {r.finding}  {percent(r.gain.low)} to {percent(r.gain.high)} of the {r.gain.of}"
        for r in report.recommendations
    ]
    lines.append("not judged")
    lines += [f"  {item.id}" for item in report.not_judged]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("scenario", PLANTED, ids=lambda item: item.name)
def test_planted(scenario: planted.Scenario, golden: Callable[[Path, str], None], tmp_path: Path) -> None:
    bad, _, _ = planted.write(tmp_path, scenario)
    golden(FOLDER / f"{scenario.name}.txt", short(advise([bad], Request(scenario.soc), knowledge())))


@pytest.mark.parametrize("scenario", CLEAN, ids=lambda item: item.name)
def test_clean(scenario: planted.Scenario, golden: Callable[[Path, str], None], tmp_path: Path) -> None:
    _, clean, _ = planted.write(tmp_path, scenario)
    golden(FOLDER / f"{scenario.name}.clean.txt", short(advise([clean], Request(scenario.soc), knowledge())))


@pytest.mark.parametrize("name", sorted(HEALTHY))
def test_healthy(name: str, golden: Callable[[Path, str], None]) -> None:
    (profile,) = (item for item in healthy.corpus() if item.target == name)
    golden(FOLDER / f"{name.replace(' ', '-')}.txt", short(advise_profile(profile, Request(), knowledge())))


def test_twenty_inputs_and_no_file_left_over() -> None:
    names = {f"{item.name}.txt" for item in PLANTED} | {f"{item.name}.clean.txt" for item in CLEAN}
    names |= {f"{name.replace(' ', '-')}.txt" for name in HEALTHY}
    assert len(names) >= 20
    assert {path.name for path in FOLDER.glob("*")} == names
