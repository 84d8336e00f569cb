from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import fields, replace
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest
from report_samples import (
    ALL,
    COMPUTED,
    EMPTY,
    FORECAST,
    FORETOLD,
    HOSTILE,
    JOB,
    LARGER_WRITES,
    RUN,
    SAMPLE,
    SCALAR,
    WRITES,
)

import kb.report
from kb.errors import UsageError
from kb.measured import Measured
from kb.model import Charts, Gain, NotJudged, Report
from kb.report import answer, named, parts, views
from kb.report.catalogue import LANGUAGES, say
from kb.report.json import document, kept
from kb.report.load import report_from_dict
from kb.report.text import width_of

NAMES = list(views.views())
SEQUENCE = re.compile(r"\x1b\[[0-9;]*m")


def shown(name: str, report: Report, *, lang: str = "en", width: int = 80, color: bool = False) -> str:
    return views.render(name, [report], lang=lang, width=width, color=color)


def test_the_formats_are_those_that_are_promised() -> None:
    assert set(NAMES) >= {"text", "json", "jsonl", "markdown", "html"}


def test_every_module_that_is_a_view_is_named() -> None:
    modules = {
        found.name: import_module(f"kb.report.{found.name}") for found in iter_modules(kb.report.__path__)
    }
    found = {module.NAME: name for name, module in modules.items() if hasattr(module, "NAME")}
    assert found == views.MODULES


@pytest.mark.parametrize("name", NAMES)
def test_a_view_says_what_it_is(name: str) -> None:
    view = views.views()[name]
    assert (view.NAME, view.EXTENSION[:1], view.BINARY) == (name, ".", False)
    assert name == views.view_for(Path(f"some.where/report{view.EXTENSION}")).NAME


def test_an_unknown_ending_names_those_there_are() -> None:
    with pytest.raises(UsageError) as fault:
        views.view_for(Path("report.docx"))
    assert ".html" in fault.value.now
    assert len({view.EXTENSION for view in views.views().values()}) == len(NAMES)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("sample", ALL)
@pytest.mark.parametrize("name", NAMES)
def test_every_view_shows_every_report_in_every_language(name: str, sample: str, lang: str) -> None:
    text = shown(name, ALL[sample], lang=lang)
    assert text.strip()
    assert text == shown(name, ALL[sample], lang=lang)
    if sample in ("sample", "run"):
        assert ALL[sample].recommendations[0].title in text
        assert ALL[sample].findings[0].pattern in text


@pytest.mark.parametrize("name", NAMES)
def test_hostile_text_stays_text(name: str) -> None:
    text = shown(name, HOSTILE, color=True) if name == "text" else shown(name, HOSTILE)
    rest = SEQUENCE.sub("", text)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", rest)
    if name == "text":
        assert "\x1b[31m" not in text
        assert "[red]x[/red]" in rest
    elif name in ("markdown", "html"):
        outside = (
            re.sub(r"^ *`{4,}$.*?^ *`{4,}$", "", text, flags=re.S | re.M) if name == "markdown" else text
        )
        assert outside.count("<script") == (name == "html")  # the page's own, allowed by its hash


@pytest.mark.parametrize("sample", ["sample", "run", "empty", "hostile"])
def test_markdown_has_the_four_sections_and_whole_tables(sample: str) -> None:
    lines = shown("markdown", ALL[sample]).splitlines()
    assert [line for line in lines if line.startswith("#")] == [
        "## 1 Operator Basic Information",
        "## 2 Key Data TOP5",
        "## 3 Core Bottleneck TOP5",
        "## 4 Optimization Suggestions TOP5",
    ]
    columns = 0
    for line in lines:
        cells = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
        assert not columns or cells in (0, columns), line
        columns = cells


def test_markdown_lists_at_most_five() -> None:
    many = replace(
        SAMPLE,
        findings=tuple(replace(WRITES, id=f"f{n}", summary=f"finding {n}") for n in range(9)),
        recommendations=tuple(replace(LARGER_WRITES, rank=n, title=f"advice {n}") for n in range(1, 9)),
    )
    text = shown("markdown", many)
    assert len(set(re.findall(r"finding \d", text))) == len(set(re.findall(r"advice \d", text))) == 5
    assert len(re.findall(r"^\| `", text, re.M)) == 5  # of six readings


@pytest.mark.parametrize("width", [40, 80, 160])
@pytest.mark.parametrize("sample", [name for name in ALL if name != "hostile"])
def test_text_fits_the_width(sample: str, width: int) -> None:
    report = ALL[sample]
    code = {line.strip() for item in report.recommendations for line in item.snippet.splitlines()}
    for lang in LANGUAGES:
        lines = shown("text", report, lang=lang, width=width).splitlines()
        assert [line for line in lines if width_of(line) > width and line.strip() not in code] == []


def test_text_without_colour_has_the_same_words_as_with() -> None:
    plain = shown("text", SAMPLE)
    coloured = shown("text", SAMPLE, color=True)
    assert "\x1b[" in coloured
    assert "\x1b" not in plain
    assert [line.rstrip() for line in SEQUENCE.sub("", coloured).splitlines()] == plain.splitlines()


def test_the_first_screen_answers_the_four_questions() -> None:
    screen = "\n".join(shown("text", SAMPLE).splitlines()[:24])
    assert SAMPLE.headline in screen
    assert "at most 50 % of the run, about 346 us" in screen
    assert LARGER_WRITES.title in screen
    gain = "saves about 35 % of the run's time, 242 us (measured elsewhere; here at least 20 %, upper bound 50 %)"
    assert gain in " ".join(screen.split())
    assert "cause: high (0.86); gain: medium (measured elsewhere, not here)" in screen
    assert LARGER_WRITES.gain.basis in screen
    assert SAMPLE.warnings[0] in screen


def test_text_says_everything_that_advice_rests_on() -> None:
    flat = " ".join(shown("text", SAMPLE, width=160).split())
    for part in (*LARGER_WRITES.steps, *LARGER_WRITES.sources, *LARGER_WRITES.evidence, LARGER_WRITES.check):
        assert part in flat
    assert LARGER_WRITES.when_not in flat
    assert "kb show vector-larger-copies" in flat
    assert "msopprof --warm-up=30 ./app" in flat
    assert "kb show" not in shown("text", HOSTILE)  # a command to copy holds no text of unknown origin


def test_more_advice_than_fits_is_listed_by_title() -> None:
    many = tuple(replace(LARGER_WRITES, rank=n, id=f"advice-{n}", title=f"Advice {n}") for n in range(1, 9))
    text = shown("text", replace(SAMPLE, recommendations=many))
    assert text.count(LARGER_WRITES.check.split(";")[0]) <= 5
    assert all(f"Advice {n}" in text for n in range(1, 9))


def test_what_could_not_be_judged_stands_under_its_reason_once() -> None:
    same = tuple(
        NotJudged(id, "needs Memory.csv", "msopprof --aic-metrics=Memory ./app") for id in ("a-b", "c-d")
    )
    text = shown("text", replace(SAMPLE, not_judged=same))
    assert text.count("needs Memory.csv") == 1
    assert "a-b, c-d" in text


def test_headroom_of_findings_about_the_same_operators_is_not_added() -> None:
    assert parts.most_to_win(SAMPLE) == 0.5
    assert parts.most_to_win(EMPTY) is None
    assert parts.most_to_win(replace(SAMPLE, findings=(replace(SCALAR, headroom=None),))) is None
    # 0.92 of the run without a floor counts whole; 0.0166 of it can win nine tenths
    assert parts.most_to_win(RUN) == pytest.approx(0.92 + 0.0166 * 0.9)
    assert "no floor is known for comm-exposed" in " ".join(shown("text", RUN).split())


@pytest.mark.parametrize(
    ("gain", "text"),
    [
        (
            Gain(0.2, 0.35, 0.5, "operator", "measured: elsewhere"),
            "saves about 35 % of the run's time, 242 us (measured elsewhere; here at least 20 %, upper bound 50 %)",
        ),
        (
            Gain(0.3, 0.3, 0.3, "run", "stated: elsewhere"),
            "saves about 30 % of the run's time, 208 us (stated elsewhere, not measured)",
        ),
        (
            Gain(0.3, 0.3, 0.3, "run", "measured here: once"),
            "saves about 30 % of the run's time, 208 us (measured here)",
        ),
        (Gain(-0.1, 0.0, 0.05, "run", "x"), "saves nothing to speak of: -10 % to 5.0 % of the run's time"),
    ],
)
def test_gains_say_of_what_and_how_long(gain: Gain, text: str) -> None:
    assert parts.gain_text(SAMPLE, replace(LARGER_WRITES, gain=gain), "en") == text


def test_a_gain_that_nobody_published_is_shown_as_a_bound() -> None:
    gain = Gain(0.0, 0.1, 0.4, "operator", "modelled: at most what is open")
    text = parts.gain_text(SAMPLE, replace(LARGER_WRITES, gain=gain), "en")
    assert text == "saves up to 40 % of the run's time, 277 us (upper bound computed here, not measured)"
    assert parts.gain_short(gain) == "≤ 40 %"


def test_idle_time_is_part_of_the_elapsed_time_and_not_of_the_run() -> None:
    idle = replace(
        RUN.findings[1], id="host-bound", pattern="host-bound", base="elapsed", share=0.5, headroom=0.5
    )
    report = replace(RUN, findings=(RUN.findings[1], idle), total_us=1000.0, elapsed_us=4000.0)
    # half of half the elapsed time, and nine tenths of 1.66 % of the run, which is a quarter of it
    assert parts.most_to_win(report) == pytest.approx(0.25 + 0.0166 * 0.9 / 4)
    assert "of the elapsed time" in " ".join(shown("text", report).split())


@pytest.mark.parametrize("name", ["text", "markdown", "html"])
def test_times_added_up_over_ranks_say_so(name: str) -> None:
    assert "added up over 2 ranks" in " ".join(shown(name, SAMPLE).split())
    assert "added up" not in shown(name, replace(SAMPLE, ranks=None))


def test_a_gain_without_a_known_time_names_none() -> None:
    loose = replace(LARGER_WRITES, finding="gone")
    text = parts.gain_text(SAMPLE, loose, "en")
    assert (
        text
        == "saves about 35 % of the operator's time (measured elsewhere; here at least 20 %, upper bound 50 %)"
    )


@pytest.mark.parametrize("name", ["text", "markdown", "html"])
def test_without_a_total_no_time_is_made_up(name: str) -> None:
    shares = tuple(replace(item, time_us=None) for item in RUN.operators)
    report = replace(
        RUN,
        total_us=None,
        charts=Charts(),
        operators=shares,
        findings=(replace(RUN.findings[0], operators=shares[:1]),),
    )
    text = shown(name, report)
    assert not re.search(r"[0-9] (us|ms|s)\b", text)


def test_many_chips_are_not_all_named(n: int = 9) -> None:
    chips = tuple(f"Ascend91{at}" for at in range(n))
    text = " ".join(shown("text", replace(RUN, chip=replace(RUN.chip, candidates=chips))).split())
    assert "one of Ascend910, Ascend911, Ascend912, Ascend913 and 5 more (inferred" in text
    lines = replace(RUN.chip, candidates=chips, series=("Ascend 910B (Atlas A2)", "Ascend 950"))
    short = " ".join(shown("text", replace(RUN, chip=lines)).split())
    assert "one of 9 chips of Ascend 910B (Atlas A2), Ascend 950 (inferred" in short
    assert "Ascend912" not in short[: short.index("Verdict")]


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        assert not {name for name, _ in attrs} & {"src", "onclick", "onload"}
        link = dict(attrs).get("href")
        assert link is None or link.startswith(("#", "https://"))
        if tag not in ("meta", "br", "hr", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("sample", ALL)
def test_html_is_one_whole_file_that_loads_nothing(sample: str) -> None:
    page = shown("html", ALL[sample], lang="ja")
    tags = _Tags()
    tags.feed(page)
    assert tags.open == []
    assert not tags.seen & {"link", "img", "iframe"}
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    assert len(scripts) == 1 and f"script-src 'sha256-{digest}'" in page
    assert page.startswith("<!doctype html>")
    assert '<html lang="ja">' in page
    assert "prefers-color-scheme: dark" in page


@pytest.mark.parametrize("sample", ALL)
def test_every_link_of_the_page_leads_somewhere(sample: str) -> None:
    page = views.render("html", [ALL[sample], ALL[sample]], lang="en", width=80, color=False, many=True)
    ids = re.findall(r' id="([^"]*)"', page)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]*)"', page)) <= set(ids)


def test_a_source_that_is_an_address_becomes_a_link_and_nothing_else_does() -> None:
    sources = (
        "https://gitee.com/ascend/a.b?x=1#L2",
        "javascript:alert(1)",
        'https://a/"onclick=x',
        "a guide",
    )
    page = shown("html", replace(SAMPLE, recommendations=(replace(LARGER_WRITES, sources=sources),)))
    assert re.findall(r'<a href="([^#][^"]*)"', page) == ["https://gitee.com/ascend/a.b?x=1#L2"]


def test_json_has_the_promised_keys_in_their_order() -> None:
    found = json.loads(shown("json", SAMPLE))
    assert list(found)[:8] == [
        "schema", "target", "run", "findings", "not_judged", "recommendations", "similar_cases", "warnings",
    ]  # fmt: skip
    assert found["schema"] == "kb.report/1"
    finding, advice = found["findings"][0], found["recommendations"][0]
    assert list(finding)[:7] == ["id", "pattern", "scope", "operators", "share", "confidence", "evidence"]
    assert list(finding["operators"][0]) == ["type", "name", "core", "shapes", "count", "time_us"]
    assert list(finding["evidence"][0]) == ["metric", "value", "unit", "limit", "source"]
    assert list(found["not_judged"][0])[:2] == ["id", "reason"]
    assert list(advice) == [
        "rank", "id", "kind", "title", "finding", "gain", "who", "effort", "evidence", "steps", "snippet", "check",
        "when_not", "sources",
    ]  # fmt: skip
    assert list(advice["gain"]) == ["low", "likely", "high", "of", "basis"]
    assert list(found["similar_cases"][0]) == ["id", "title", "score", "why"]


WHOLE = replace(SAMPLE, forecast=FORECAST, job=JOB)


def test_json_leaves_nothing_of_the_report_out() -> None:
    assert {field.name for field in fields(Report)} - {"measured"} == set(document(WHOLE)) - {
        "schema"
    } - COMPUTED


def test_what_is_kept_of_a_run_is_all_of_it_and_comes_back() -> None:
    rows = replace(WHOLE, measured=(Measured("cummin", "Cummin", "vector", 1, 692.12, 692.12, cores=4),))
    whole = json.loads(json.dumps(kept(rows)))
    assert {field.name for field in fields(Report)} == set(whole) - {"schema"} - COMPUTED
    assert report_from_dict(whole) == rows
    assert "measured" not in document(rows) and "measured" not in kept(SAMPLE)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("format", ["text", "markdown", "html"])
def test_every_view_shows_the_ranks_of_a_job(format: str, lang: str) -> None:
    for width in (60, 160):
        found = shown(format, replace(RUN, job=JOB), lang=lang, width=width)
        assert say("head.job", lang) in found and say("job.lost", lang) in found
        assert "rank 3" in found and "rank_2_ascend_pt" in found and "comm-exposed" in found
        assert format == "text" or "<b>" not in found.replace("<b>", "", found.count("<b>&lt;"))
    assert "MatMulV3" in found  # where there is room, what takes the slow rank longer
    assert say("head.job", lang) not in shown(format, RUN, lang=lang)


def test_json_of_an_operator_without_type_has_null_and_absent_facts_have_no_key() -> None:
    found = json.loads(shown("json", RUN))
    assert found["operators"][2]["type"] is None
    assert "soc" not in found["chip"]
    assert "total_us" not in json.loads(shown("json", EMPTY))
    assert "headroom" not in found["findings"][0]


def test_several_reports() -> None:
    both = [SAMPLE, RUN]
    lines = views.render("jsonl", both, lang="en", width=80, color=False).splitlines()
    assert [json.loads(line) for line in lines] == [document_as_json(report) for report in both]
    assert json.loads(views.render("json", both, lang="en", width=80, color=False)) == [
        json.loads(line) for line in lines
    ]
    listed = views.render("json", [SAMPLE], lang="en", width=80, color=False, many=True)
    assert json.loads(listed) == [document_as_json(SAMPLE)]
    page = views.render("html", both, lang="en", width=80, color=False)
    assert page.count("<html") == 1
    assert SAMPLE.headline in page
    assert RUN.headline in page
    text = views.render("text", both, lang="en", width=80, color=False)
    assert text.index(SAMPLE.target) < text.index(RUN.target)


def document_as_json(report: Report) -> object:
    return json.loads(json.dumps(document(report)))


@pytest.mark.parametrize("view", ["text", "markdown", "html"])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_forecast_is_shown_whole_and_as_an_estimate(view: str, lang: str) -> None:
    page = shown(view, FORETOLD, lang=lang)
    for text in (
        say("forecast.note", lang), "Conv2D", "80 us", "Ascend310P3", "unknown operator type MyOwn", "float16 on the device",
        "softmax is weak here", say("forecast.doubtful", lang), say("forecast.open", lang), say("forecast.assumptions", lang),
    ):  # fmt: skip
        assert text in page, text
    wide = views.render(view, [FORETOLD], lang=lang, width=160, color=False)
    assert "3 GFLOP" in wide and "3.81 MiB" in wide and "vector-larger-copies" in wide
    assert say("forecast.note", lang) not in shown(view, RUN, lang=lang)


def test_languages_differ() -> None:
    heads = {shown("markdown", SAMPLE, lang=lang).splitlines()[0] for lang in LANGUAGES}
    assert heads == {f"## 1 {say('skill.basic', lang)}" for lang in LANGUAGES}
    assert len(heads) == 3


def test_a_share_is_never_taken_for_what_can_be_won() -> None:
    part = replace(SCALAR, share=0.38, headroom=0.5)
    said = "concerns 38 % of the run; could save at most 19 % of the run (upper bound)"
    assert parts.share_text(SAMPLE, part, "en") == said
    assert parts.share_text(SAMPLE, replace(part, share=1.0, headroom=None), "en") == "concerns the whole run"


def test_advice_for_another_finding_than_the_verdict_says_so_and_names_its_operator() -> None:
    other = replace(SCALAR, id="other", pattern="far-from-floor", share=0.2, operators=RUN.operators[:1])
    advice = replace(LARGER_WRITES, finding="other")
    report = replace(SAMPLE, findings=(SCALAR, other), recommendations=(advice,))
    first = next(line for line in answer.answer(report, "en") if line.label == "Do first")
    name, verdict = (named.operator_name(item.operators[0], "en") for item in (other, SCALAR))
    assert f"It is for {name} (finding 2 far-from-floor), not for {verdict} of the verdict" in first.note
    assert first.note.endswith("of the verdict, for which no advice fits")
    assert f"35 % of the time of {named.operator_name(RUN.operators[0], 'en')}" in first.note
    assert first.note.startswith("saves about 7.0 % of the run's time")  # 35 % of a fifth
    own = replace(advice, rank=2, finding=SCALAR.id)
    better = replace(report, recommendations=(advice, own))
    note = next(line for line in answer.answer(better, "en") if line.label == "Do first").note
    assert "more is expected" not in note
    assert note.endswith("how sure its cause is: advice 2 is the first for the verdict")
    less = replace(own, gain=replace(own.gain, likely=0.01))
    later = replace(report, recommendations=(advice, less))
    note = next(line for line in answer.answer(later, "en") if line.label == "Do first").note
    assert note.endswith("more is expected of it than of advice 2, the first for the verdict")
    shared = replace(report, findings=(SCALAR, replace(other, operators=SCALAR.operators)))
    note = next(line for line in answer.answer(shared, "en") if line.label == "Do first").note
    assert f"against finding 2 far-from-floor, not finding 1 of the verdict; both concern {verdict}" in note
    assert parts.gain_of_whole(report, advice) == "7.0 %"
    same = replace(report, recommendations=(replace(advice, finding=SCALAR.id),))
    assert "verdict" not in next(line for line in answer.answer(same, "en") if line.label == "Do first").note


def test_elapsed_time_is_told_where_gains_are_parts_of_it() -> None:
    idle = replace(RUN.findings[1], base="elapsed")
    report = replace(RUN, findings=(idle,), total_us=1000.0, elapsed_us=4000.0, ranks=None)
    assert parts.time_whole(report, "en") == "run 1000 us (device busy), 4000 us elapsed"
    without = replace(report, findings=())
    assert parts.time_whole(without, "en") == "run 1000 us (device busy), 4000 us elapsed"
    assert parts.time_whole(replace(without, elapsed_us=1000.0), "en") == "1000 us"
