"""The first screen: one whole for every share, why the verdict is the verdict, the first advice in every language."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import pytest
from report_samples import LARGER_WRITES, SAMPLE, SCALAR, VECTORISE

from kb.engine.summary import _KERNEL_KEYS, _RUN_KEYS
from kb.model import Evidence, Finding, OperatorPipes, PipeShare, Report
from kb.report import answer, named, parts, views
from kb.report.json import document
from kb.report.translated import in_language
from kb.vocabulary.metrics import BY_ID


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


@pytest.mark.parametrize(
    ("basis", "gain"),
    [
        ("modelled: the bound", "unknown (an upper bound only)"),
        ("measured: elsewhere, 12 %", "medium (measured elsewhere, not here)"),
        ("stated: elsewhere, 12 %", "low (stated elsewhere, nowhere measured)"),
        ("measured here: tried twice", "high (measured here)"),
    ],
)
def test_how_sure_cause_and_gain_are_stands_apart_in_a_word_each(basis: str, gain: str) -> None:
    advice = replace(LARGER_WRITES, gain=replace(LARGER_WRITES.gain, basis=basis))
    report = replace(SAMPLE, recommendations=(advice,))
    sure = next(line for line in answer.answer(report, "en") if line.label == "How sure")
    assert sure.text == f"cause: high (0.86); gain: {gain}"
    alone = answer.answer(replace(report, recommendations=()), "en")
    assert next(line for line in alone if line.label == "How sure").text == "cause: high (0.86)"


def test_what_nobody_measured_is_no_expectation_for_all_together_either() -> None:
    bound = replace(LARGER_WRITES.gain, basis="modelled: the bound")
    items = tuple(replace(item, gain=bound) for item in (LARGER_WRITES, VECTORISE))
    together = next(
        line
        for line in answer.answer(replace(SAMPLE, recommendations=items), "en")
        if line.label == "Together"
    )
    assert "save up to" in together.text and together.text.endswith(
        "(upper bound computed here, not measured)"
    )
    mixed = answer.answer(replace(SAMPLE, recommendations=(LARGER_WRITES, items[1])), "en")
    assert "save about" in next(line for line in mixed if line.label == "Together").text


@pytest.mark.parametrize("metric", sorted({*_KERNEL_KEYS, *_RUN_KEYS, "op_time_share"}))
def test_every_share_among_the_key_data_names_its_whole(metric: str) -> None:
    item = Evidence(metric, 0.5, BY_ID[metric].unit, "", "Add (vector) x 4")
    for lang in ("en", "zh", "ja"):
        assert bool(named.part_of(item, lang)) is (item.unit == "1")
    told = named.part_of(item, "en")
    for name in ("text", "markdown", "html"):
        page = shown(name, replace(SAMPLE, key_data=(item,)))
        assert " ".join(told.split()) in " ".join(unescape(page).split())


@pytest.mark.parametrize("name", ["text", "markdown", "html"])
def test_every_view_for_people_has_the_whole_answer(name: str) -> None:
    page = shown(name, SAMPLE)
    page = re.sub("<[^>]*>", " ", page) if name == "html" else page.replace("\\", "")
    page = " ".join(unescape(page).split())
    for line in answer.answer(SAMPLE, "en"):
        assert line.label in page or (name, line.label) == ("markdown", "Verdict")  # there it stands in bold
        assert line.text in page
        assert line.note in page


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


def test_the_upper_bound_stands_in_the_document_with_its_whole() -> None:
    assert document(SAMPLE)["most_to_win"] == {"share": 0.5, "base": "run"}
    idle = replace(SCALAR, base="elapsed", share=0.5, headroom=0.5)
    report = replace(SAMPLE, findings=(idle,), total_us=100.0, elapsed_us=400.0)
    assert document(report)["most_to_win"] == {"share": 0.25, "base": "elapsed"}
    assert "most_to_win" not in document(replace(SAMPLE, findings=()))
