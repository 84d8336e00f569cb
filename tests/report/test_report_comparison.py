"""Views of a comparison: every one shows every sample in every language, and nothing hostile gets through."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import fields, replace

import pytest
from comparison_samples import samples
from running import ROOT

from kb.comparison import Change, Comparison, FindingChange
from kb.model import Chip
from kb.report.catalogue import LANGUAGES, say
from kb.report.comparison.json import document
from kb.report.comparison.views import render, views
from kb.report.comparison.words import alike_text, side_text, signed, trouble_text
from kb.report.page import Bar, Bars, Page, html, markdown, text
from kb.report.text import width_of

SAMPLES = samples()
NAMES = sorted(views())


def shown(name: str, sample: str, *, lang: str = "en", width: int = 80, color: bool = False) -> str:
    return render(name, SAMPLES[sample], lang=lang, width=width, color=color)


def test_the_formats_are_those_that_are_promised() -> None:
    assert set(NAMES) == {"text", "json", "jsonl", "markdown", "html", "junit", "sarif"}
    assert all(view.EXTENSION.startswith(".") for view in views().values())


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("name", NAMES)
def test_every_view_shows_every_comparison_in_every_language(name: str, sample: str, lang: str) -> None:
    answer = shown(name, sample, lang=lang)
    assert answer.strip()
    assert answer == shown(name, sample, lang=lang)
    if name in ("json", "sarif"):
        json.loads(answer)
    if name == "junit":
        ET.fromstring(answer)


@pytest.mark.parametrize("width", [60, 80, 160])
@pytest.mark.parametrize("sample", SAMPLES)
def test_text_is_no_wider_than_the_screen(sample: str, width: int) -> None:
    lines = shown("text", sample, width=width).splitlines()
    assert max(map(width_of, (line for line in lines if not line.startswith("    kb ")))) <= width


@pytest.mark.parametrize("name", NAMES)
def test_hostile_text_stays_text(name: str) -> None:
    answer = shown(name, "hostile", color=True)
    rest = re.sub(r"\x1b\[[0-9;]*m", "", answer)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", rest)
    if name in ("html", "markdown", "junit"):
        assert "<script" not in answer


def test_the_verdict_comes_first() -> None:
    assert shown("text", "faster").startswith("Faster: 50 us instead of 100 us (-50.0 %)")
    assert shown("text", "simulated").startswith("Not comparable: other mode")
    assert shown("markdown", "same").startswith("# Within noise: 100 us against 100 us (+0.0 %)")
    assert shown("text", "run").startswith("Slower: 1851 us instead of 1800 us (+2.8 %)")
    assert signed(-0.00001) == "+0.0 %"


def test_a_change_that_is_not_judged_says_so() -> None:
    answer = shown("text", "simulated")
    assert "not judged" in answer
    assert "mode: device before, simulated after (times cannot be compared)" in answer
    assert "kb outcome" not in answer


def test_every_condition_has_a_name() -> None:
    found = {check.dimension for sample in SAMPLES.values() for check in sample.checks}
    assert len(found) > 10
    assert all(say(f"compare.dimension.{name}", lang) for name in found for lang in LANGUAGES)


def test_json_has_the_promised_members_and_leaves_nothing_out() -> None:
    found = document(SAMPLES["slower"])
    assert list(found)[:4] == ["schema", "verdict", "comparable", "total"]
    page = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    section = page.partition("## kb.compare/1\n")[2].partition("\n## ")[0]
    told = set(re.findall(r"`([a-z_]+)(?:\[\])?[`,]", section))
    assert {field.name for field in fields(Comparison)} | {"comparable"} <= told
    assert {field.name for field in fields(Change)} - {"moved"} <= told | {"moved"}
    assert set(document(SAMPLES["run"])) - {"schema"} == {
        field.name for field in fields(Comparison) if field.name not in ("gate", "parts")
    } | {"comparable"}


def test_json_lines_are_the_operators() -> None:
    lines = [json.loads(line) for line in shown("jsonl", "run").splitlines()]
    assert [line["verdict"] for line in lines] == ["slower", "new", "faster", "gone", "within-noise"]


def test_junit_fails_what_regressed() -> None:
    suite = ET.fromstring(shown("junit", "slower"))[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "2", "0")
    suite = ET.fromstring(shown("junit", "run"))[0]
    failed = [case.get("name") for case in suite if case.find("failure") is not None]
    assert failed == ["total", "MatMul 32x32"]
    suite = ET.fromstring(shown("junit", "simulated"))[0]
    assert [case.find("error") is not None for case in suite] == [True]


def test_sarif_names_a_rule_for_each_result() -> None:
    for sample in SAMPLES:
        run = json.loads(shown("sarif", sample))["runs"][0]
        rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
        assert {result["ruleId"] for result in run["results"]} <= rules
        assert all(
            result["level"] in ("error", "note") and result["message"]["text"] for result in run["results"]
        )
    assert [result["ruleId"] for result in json.loads(shown("sarif", "faster"))["runs"][0]["results"]] == [
        "new-finding"
    ]


BARS = Page(
    "t",
    (
        Bars(
            (
                Bar("all", "10 us", 0, 10),
                Bar("less", "-4 us", 10, 6, "better"),
                Bar("none", "0 us", 6, 6, "worse"),
            )
        ),
    ),
)


def test_bars_are_drawn_in_every_form() -> None:
    lines = text.render(BARS, width=41, color=False).splitlines()[2:]
    assert [line.count("█") for line in lines] == [28, 11, 0]
    assert lines[1].index("█") == lines[0].rindex("█") - 10
    assert "▏" in lines[2]
    assert "`" + "·" * 24 + "█" * 16 + "`" in markdown.render(BARS)
    page = html.render(BARS)
    assert 'class="better" style="margin-left:60.00%;width:40.00%"' in page
    assert page.count('class="step"') == 3


def test_what_still_takes_time_did_not_fall_by_100_percent() -> None:
    from kb.report.comparison.words import signed

    assert [signed(x) for x in (-1.0, -0.99995564, -0.045, 0.12, 0.0, -0.00001)] == [
        "-100.0 %", "-99.996 %", "-4.5 %", "+12.0 %", "+0.0 %", "+0.0 %",
    ]  # fmt: skip


def test_what_one_run_does_not_tell_is_not_called_alike() -> None:
    """A chip that is written in one of the two profiles is said, and "yes" stands only where both tell everything."""
    base = SAMPLES["faster"]
    unknown = [
        replace(check, state="unknown") if check.dimension == "chip" else check for check in base.checks
    ]
    one = replace(
        base,
        checks=tuple(unknown),
        before=replace(base.before, chip=Chip("Ascend910B2", (), "file")),
        after=replace(base.after, chip=Chip(None, ("Ascend910B2", "Ascend910B3"), "inferred")),
    )
    text = alike_text(one, "en")
    assert text.startswith("no difference in what both runs tell (") and "yes" not in text
    assert "chip (only told before: Ascend910B2)" in text
    assert "chip (only told after: Ascend910B2)" in alike_text(
        replace(one, before=one.after, after=one.before), "en"
    )
    neither = replace(one, before=one.after)
    assert (
        "chip" in alike_text(neither, "en") and "only told" not in alike_text(neither, "en").split("clock")[0]
    )


@pytest.mark.parametrize(
    ("before", "after", "base", "words"),
    [
        (1.0, 1.0, "run", "concerning 100 % of the run"),
        (0.4, 0.2, "run", "concerning 40 % -> 20 % of the run"),
        (0.8, None, "elapsed", "concerning 80 % of the elapsed time"),
    ],
)
def test_shares_of_findings_say_of_what(before: float, after: float | None, base: str, words: str) -> None:
    item = FindingChange("tail-wave", "Add", "stays", before, after, "", base)  # type: ignore[arg-type]
    assert trouble_text(item, "en") == f"still there: tail-wave (Add), {words}"


def test_chips_that_fit_a_run_are_counted_and_not_cut_short() -> None:
    side = replace(
        SAMPLES["faster"].before,
        chip=Chip(None, ("a", "b", "c", "d"), "inferred", series=("Ascend 910B (Atlas A2)",)),
    )
    assert "one of 4 chips of Ascend 910B (Atlas A2)" in side_text(side, "en")
