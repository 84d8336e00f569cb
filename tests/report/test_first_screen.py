"""The first screen: one whole for every share, why the verdict is the verdict, the first advice in every language."""

from __future__ import annotations

from dataclasses import replace

import pytest
from report_samples import LARGER_WRITES, SAMPLE, SCALAR

from kb.model import Evidence, Finding, OperatorPipes, PipeShare, Report
from kb.report import answer, parts, views
from kb.report.translated import in_language


def shown(name: str, report: Report) -> str:
    return views.render(name, [report], lang="en", width=80, color=False)


def test_every_share_of_the_first_screen_is_of_one_whole() -> None:
    """Where idle time is among what can be won, all is a part of the elapsed time: 40 % of the run is 10 % of it here."""
    idle = Finding("host-bound", "host-bound", "run", (), 1.0, 0.9, (), 0.75, base="elapsed", summary="idle")
    part = replace(SCALAR, share=0.4, headroom=0.5)
    advice = replace(LARGER_WRITES, finding=part.id)
    report = replace(
        SAMPLE, findings=(idle, part), recommendations=(advice,), total_us=100.0, elapsed_us=400.0
    )
    assert "concerns 10 % of the elapsed time" in parts.share_text(report, part, "en")
    assert "could save at most 5.0 % of the elapsed time (upper bound)" in parts.share_text(
        report, part, "en"
    )
    text = parts.gain_text(report, advice, "en")
    assert text.startswith(
        "saves about 3.5 % of the elapsed time, 14 us (measured elsewhere; here at least 2.0 %"
    )
    assert text.endswith("; that is 35 % of the time of Cummin")
    screen = " ".join(" ".join(line.text + " " + line.note for line in answer.answer(report, "en")).split())
    assert "of the run" not in screen.replace(report.headline, "")


def test_a_busier_pipe_than_that_of_the_verdict_is_explained() -> None:
    """MTE3 with 35 % before the scalar unit with 61 %: the screen says why, or that nothing speaks against the busier one."""
    (operator,) = SAMPLE.findings[0].operators[:1]
    limited = Evidence("aiv_mte3_ratio", 0.35, "1", "> 10 %", "t")
    mte3 = replace(
        SCALAR, id="w", pattern="small-mte3-writes", evidence=(limited,), headroom=0.9, confidence=0.86
    )
    scalar = replace(
        SCALAR, id="s", evidence=(Evidence("aiv_scalar_ratio", 0.61, "1", "> 30 %", "t"),), headroom=0.6
    )
    pipes = OperatorPipes(operator, (PipeShare("aiv_mte3", 0.35), PipeShare("aiv_scalar", 0.61)))
    report = replace(SAMPLE, findings=(mte3, scalar), charts=replace(SAMPLE.charts, pipes=(pipes,)))
    note = answer.answer(report, "en")[0].note
    assert "aiv_scalar is active longer (61 % of the cores' time), but less could be saved there" in note
    assert "at most 60 % of the operator's time, against at most 90 % here" in note
    assert "finding 2 scalar-bound-vector" in note
    unsure = replace(report, findings=(mte3, replace(scalar, headroom=0.9, confidence=0.4)))
    assert "less sure to be the cause: 0.4 against 0.86" in answer.answer(unsure, "en")[0].note
    alone = answer.answer(replace(report, findings=(mte3,)), "en")[0].note
    assert (
        "active time includes waiting for other units, and no check that could be made found aiv_scalar"
        in alone
    )
    assert "active longer" not in answer.answer(replace(report, findings=(scalar, mte3)), "en")[0].note


def test_further_advice_stands_under_the_finding_that_it_is_against() -> None:
    other = replace(SCALAR, id="other", pattern="tail-wave")
    items = tuple(
        replace(LARGER_WRITES, rank=rank, id=f"e{rank}", title=f"Title {rank}", finding=finding)
        for rank, finding in enumerate([SCALAR.id] * 5 + ["other", SCALAR.id, "other"], 1)
    )
    page = shown("text", replace(SAMPLE, findings=(SCALAR, other), recommendations=items))
    rest = page[page.index("Further advice") :].splitlines()[1:6]
    assert [line.split()[0] for line in rest] == ["against", "6", "8", "against", "7"]
    assert "against finding 2 tail-wave" in rest[0]


@pytest.mark.parametrize("lang", ["zh", "ja"])
def test_the_verdict_names_the_first_advice_in_every_language(lang: str) -> None:
    other = replace(SCALAR, id="other", pattern="tail-wave")
    advice = replace(LARGER_WRITES, finding=SCALAR.id)
    mine = replace(SAMPLE, findings=(SCALAR, other), recommendations=(advice,))
    for report, number in ((mine, ""), (replace(mine, findings=(other, SCALAR)), "2")):
        text = in_language(report, lang).headline
        title = in_language(report, lang).recommendations[0].title
        assert title in text and "35 %" in text
        assert (f"{number} {SCALAR.pattern}" in text) is bool(number)
