from __future__ import annotations

import re

import pytest
from report_samples import NASTY

from kb.model import Condition, Entry, Observation, PublishedGain, Text3
from kb.report.entries import entry_page, entry_row
from kb.report.page import Code, Fields, Heading, Items, Page, Para, Table, html, markdown, text
from kb.report.text import width_of

PAGE = Page(
    "A title that is rather long, so that it has to be broken on a narrow screen",
    (
        Heading("Words", "quietly"),
        Para(
            "A paragraph of some length, which is wrapped where the line ends and not a column later than that."
        ),
        Items(
            ("first", "second, which is long enough to need another line in a column of forty"), ordered=True
        ),
        Items(("only",)),
        Fields(
            (
                ("short", "value"),
                ("a longer label", "a longer value that needs more than one line to be told"),
                ("none", ""),
            )
        ),
        Table(("id", "time"), (("scalar-bound-vector", "12 us"), ("搬运", "3 us")), frozenset({1})),
        Code("for (;;) {\n    go();\n}", "c++"),
    ),
    note="a note",
)
HOSTILE = Page(
    NASTY,
    (
        Heading(NASTY, NASTY),
        Para(NASTY),
        Items((NASTY,)),
        Fields(((NASTY, NASTY),)),
        Table((NASTY,), ((NASTY,),)),
        Code(NASTY),
    ),
    note=NASTY,
)


def test_text() -> None:
    assert text.render(PAGE, width=40, color=False).splitlines() == [
        "A title that is rather long, so that it",
        "has to be broken on a narrow screen",
        "a note",
        "",
        "Words  quietly",
        "A paragraph of some length, which is",
        "wrapped where the line ends and not a",
        "column later than that.",
        "",
        " 1. first",
        " 2. second, which is long enough to need",
        "    another line in a column of forty",
        "",
        "  - only",
        "",
        "short           value",
        "a longer label  a longer value that",
        "                needs more than one line",
        "                to be told",
        "",
        "id                    time",
        "scalar-bound-vector  12 us",
        "搬运                  3 us",
        "",
        "    for (;;) {",
        "        go();",
        "    }",
    ]


def test_markdown() -> None:
    assert markdown.render(PAGE).splitlines()[4:] == [
        "## Words (quietly)",
        "",
        "A paragraph of some length, which is wrapped where the line ends and not a column later than that.",
        "",
        "1. first",
        "2. second, which is long enough to need another line in a column of forty",
        "",
        "- only",
        "",
        "- short: value",
        "- a longer label: a longer value that needs more than one line to be told",
        "",
        "| id | time |",
        "| --- | ---: |",
        "| scalar-bound-vector | 12 us |",
        "| 搬运 | 3 us |",
        "",
        "```c++",
        "for (;;) {",
        "    go();",
        "}",
        "```",
    ]


@pytest.mark.parametrize("width", [40, 80, 160])
def test_pages_fit(width: int) -> None:
    for page in (PAGE, HOSTILE):
        lines = text.render(page, width=width, color=False).splitlines()
        assert [line for line in lines if width_of(line) > width and not line.startswith("    ")] == []


def test_colour_adds_no_words() -> None:
    coloured = text.render(PAGE, width=80, color=True)
    assert "\x1b[" in coloured
    plain = [line.rstrip() for line in re.sub(r"\x1b\[[0-9;]*m", "", coloured).splitlines()]
    assert plain == text.render(PAGE, width=80, color=False).splitlines()


def test_hostile_pages_stay_text() -> None:
    shown = text.render(HOSTILE, width=80, color=False)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", shown)
    assert "<script" not in html.render(HOSTILE)
    source = markdown.render(HOSTILE)
    fence = source.rindex("\n```\n", 0, source.rindex("\n```"))
    assert "<script" not in source[:fence]
    assert len([line for line in source[:fence].splitlines() if line.startswith("#")]) == 2


ENTRY = Entry(
    id="larger-writes", kind="recipe", state="reviewed",
    title=Text3("Write more", "写得更多", "もっと書く"), symptom=Text3("slow", "慢"), remedy=Text3("fast"),
    family="vector", aliases={"en": ("big copies",), "zh": ("大块搬运",)}, bottlenecks=("small-mte3-writes",),
    operators=("Cummin",), chips=("ascend-910b",), who="kernel-developer", effort="low",
    when=(Condition("aiv_mte3_ratio", ">", 0.2, "threshold"), Condition("op_type", "in", ("A", "B"), "observed")),
    observe=(Observation("gaps in the trace", "observed"),),
    gains=(PublishedGain(0.2, 0.5, "operator", "692", "343", "us", "4,128,64", "Ascend910B2", "8.5.0", "third-party", "one kernel"),
           PublishedGain(None, None, "part", "", "", "", grade="stated", note="no figure")),
    grade="third-party", links=("other",), sources=("owner/repo:path@abc",),
    facts={"model": {"family": "YOLO", "variant": None}, "results": [{"metric": "latency", "before": 8.2}, {"metric": "fps"}]},
    cause="rows", steps=("one", "two"), snippet="x();", why="fewer", check="ratio falls", when_not="strided", file="data/x.md",
)  # fmt: skip


def test_an_entry_says_all_it_knows() -> None:
    shown = " ".join(text.render(entry_page(ENTRY, "en"), width=120, color=False).split())
    for part in (
        "Write more", "larger-writes · recipe", "slow", "fast", "big copies", "aiv_mte3_ratio > 0.2 (threshold)",
        "op_type in A, B (observed)", "gaps in the trace (observed)", "692 us", "343 us", "20 % – 50 % (operator)",
        "family YOLO", "latency", "8.2", "rows", "1. one", "x();", "fewer", "ratio falls", "strided", "owner/repo:path@abc",
    ):  # fmt: skip
        assert part in shown, part
    assert "None" not in shown


def test_an_entry_speaks_the_language_asked_for_and_english_where_it_cannot() -> None:
    page = entry_page(ENTRY, "zh")
    assert page.title == "写得更多"
    shown = text.render(page, width=120, color=False)
    assert "大块搬运" in shown
    assert "fast" in shown
    assert entry_row(ENTRY, "ja")["title"] == "もっと書く"


WIDE = Table(
    ("Operator", "Kernel", "Core", "Launches", "Time"),
    (
        ("AddRmsNormBias", "add_rms_norm_bias", "vector", "119", "25 ms"),
        ("搬运", "搬运", "混合", "3", "9.5 ms"),
    ),
    frozenset({3, 4}),
)


@pytest.mark.parametrize("width", [20, 40, 60, 80, 160])
def test_a_table_fits_any_screen_and_breaks_no_figure(width: int) -> None:
    lines = text.render(Page("Operators", (WIDE,)), width=width, color=False).splitlines()
    assert max(map(width_of, lines)) <= width
    assert any("25 ms" in line for line in lines) and any("9.5 ms" in line for line in lines)


def test_a_table_wider_than_the_screen_stands_row_by_row() -> None:
    lines = text.render(Page("Operators", (WIDE,)), width=32, color=False).splitlines()
    assert "Kernel    add_rms_norm_bias" in lines and "Time      25 ms" in lines
    wide = text.render(Page("", (WIDE,)), width=100, color=False).splitlines()
    assert ["Operator", "Kernel", "Core", "Launches", "Time"] in [line.split() for line in wide]


CASES = Table(
    ("entry", "title", "Before", "Where"),
    (("yolov8s-910b-seed", "Migration to another chip", "8.2 ms", "640x640, latency, stated"),),
    frozenset({2}),
)


def test_a_table_that_would_break_its_words_is_written_one_row_below_the_other() -> None:
    page = Page("T", (CASES,))
    narrow = text.render(page, width=40, color=False)
    assert "Before  8.2 ms" in narrow and "Migration" in narrow
    assert "entry   yolov8s-910b-seed" in narrow
    wide = text.render(page, width=100, color=False)
    assert "entry              title" in wide


def test_cells_of_a_table_of_words_carry_their_heads_for_a_narrow_page() -> None:
    page = html.render(Page("T", (CASES,)))
    assert '<div class="stack">' in page and '<td class="number" data-head="Before">8.2 ms</td>' in page
