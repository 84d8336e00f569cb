"""The report's page in a real browser: drawn whole, quiet console, filter, links, keyboard, hostile text, every reader."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import seen as eyes
from report_samples import CUMMIN, HOSTILE, RUN, SAMPLE

from kb.model import Lane, OperatorRef, Report, Strip
from kb.report import views

BOTH = replace(SAMPLE, charts=replace(SAMPLE.charts, wall=RUN.charts.wall, strips=RUN.charts.strips))


def text_of(report: Report, lang: str = "en") -> str:
    return views.render("html", [report], lang=lang, width=80, color=False, many=False)


@pytest.fixture
def page(shown: Callable[..., Any]) -> Callable[..., Any]:
    def opened(report: Report, *, lang: str = "en", **how: Any) -> Any:
        return shown(text_of(report, lang), **how)

    return opened


@pytest.mark.parametrize("lang", ["en", "zh", "ja"])
@pytest.mark.parametrize("report", [SAMPLE, RUN, HOSTILE], ids=["kernel", "run", "hostile"])
def test_the_console_stays_quiet_and_nothing_is_loaded(page, report: Report, lang: str) -> None:  # type: ignore[no-untyped-def]
    seen = page(report, lang=lang)
    assert seen.get_log("browser") == []
    assert seen.execute_script("return performance.getEntriesByType('resource').length") == 0


def test_every_chart_of_the_sample_is_drawn_with_a_size(page) -> None:  # type: ignore[no-untyped-def]
    seen = page(BOTH)
    assert [item.get_attribute("class") for item in seen.find_elements("css selector", "figure")] == [
        "times", "wall", "timeline", "roofline", "pipes", "paths",
    ]  # fmt: skip
    for item in seen.find_elements("css selector", "svg, .track"):
        assert item.size["width"] > 40 and item.size["height"] > 5


@pytest.mark.parametrize("width", [360, 1100, 1600])
def test_the_page_never_scrolls_sideways(page, width: int) -> None:  # type: ignore[no-untyped-def]
    seen = page(BOTH, width=width)
    assert seen.execute_script("return document.documentElement.scrollWidth <= window.innerWidth")


def test_the_filter_leaves_what_holds_all_words(page) -> None:  # type: ignore[no-untyped-def]
    seen = page(SAMPLE)
    cards = seen.find_elements("css selector", ".card[data-f]")
    box = seen.find_element("css selector", ".filter input")
    box.send_keys("vector api")
    shown = [card for card in cards if card.is_displayed()]
    assert 0 < len(shown) < len(cards)
    assert all("vector" in card.text.lower() for card in shown)
    assert "shown" in seen.find_element("css selector", ".filter output").text
    box.send_keys("\ue00c")  # Escape
    assert all(card.is_displayed() for card in cards)


def test_a_finding_and_its_advice_lead_to_one_another(page) -> None:  # type: ignore[no-untyped-def]
    seen = page(SAMPLE)
    seen.find_element("css selector", "#finding-1 a[href^='#advice-']").click()
    assert seen.current_url.endswith("#advice-1")
    seen.find_element("css selector", "#advice-1 a[href^='#finding-']").click()
    assert seen.current_url.endswith("#finding-1")


def test_points_are_reached_with_the_keyboard(page) -> None:  # type: ignore[no-untyped-def]
    seen = page(SAMPLE)
    box = seen.find_element("css selector", ".filter input")
    box.click()
    box.send_keys("\t")
    focused = seen.switch_to.active_element
    assert "FLOP/B" in focused.get_attribute("aria-label")


def test_hostile_text_stays_text(page) -> None:  # type: ignore[no-untyped-def]
    seen = page(HOSTILE)
    assert len(seen.find_elements("css selector", "script")) == 1
    assert "<script>alert('1')</script>" in seen.find_element("css selector", "h1").text
    assert seen.execute_script("return document.querySelectorAll('main b, main [onclick]').length") == len(
        seen.find_elements("css selector", ".track b, .pauses b")
    )


def test_without_its_script_nothing_is_hidden(page, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    seen = page(SAMPLE)
    text = Path(tmp_path / "page.html").read_text(encoding="utf-8")
    begin, end = text.index("<script>"), text.index("</script>")
    Path(tmp_path / "plain.html").write_text(text[:begin] + text[end + 9 :], encoding="utf-8")
    seen.get((tmp_path / "plain.html").as_uri())
    assert not seen.find_element("css selector", ".filter").is_displayed()
    assert all(card.is_displayed() for card in seen.find_elements("css selector", ".card"))


def test_the_first_screen_holds_the_verdict_the_headroom_and_the_first_actions(page) -> None:  # type: ignore[no-untyped-def]
    seen = page(SAMPLE)
    box = seen.find_element("css selector", ".answer")
    assert box.rect["y"] + box.rect["height"] <= 900
    told = box.text
    assert SAMPLE.headline in told and "To win" in told
    assert all(advice.title in told for advice in SAMPLE.recommendations[:3])


def test_a_pause_is_named_to_the_mouse_the_keyboard_and_the_screen_reader(page) -> None:  # type: ignore[no-untyped-def]
    seen = page(RUN)
    marks = seen.find_elements("css selector", ".pauses b")
    told = "nothing runs for 25 ms at 80 ms: after MatMulV3, before hcom_allReduce_"
    assert marks[0].get_attribute("title") == told and marks[0].get_attribute("aria-label") == f"1: {told}"
    seen.execute_script("arguments[0].focus()", marks[0])
    seen.switch_to.active_element.send_keys("\t")
    assert seen.switch_to.active_element == marks[1]
    rows = seen.find_elements("css selector", ".strip tbody tr")
    assert len(rows) == len(marks) == 2


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_text_can_be_read(page, dark: bool) -> None:  # type: ignore[no-untyped-def]
    seen = page(BOTH, dark=dark)
    found = [
        (round(eyes.contrast(ink, paper), 2), text) for text, ink, paper in seen.execute_script(eyes.TEXTS)
    ]
    assert len(found) > 100
    assert [item for item in found if item[0] < 4.5] == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("kind", eyes.BLIND)
def test_the_colours_of_a_picture_differ_for_the_colour_blind(page, kind: str, dark: bool) -> None:  # type: ignore[no-untyped-def]
    seen = page(BOTH, dark=dark)

    def colours(*names: str) -> list[list[float]]:
        script = (
            "const at = document.createElement('i'); document.body.append(at);"
            "return arguments[0].map(name => { at.style.color = `var(--${name})`; return getComputedStyle(at).color.match(/[\\d.]+/g).map(Number).slice(0, 3); })"
        )
        found = seen.execute_script(script, list(names))
        assert isinstance(found, list)
        return found

    groups = (("vector", "cube", "mix"), ("worse", "better", "quiet"), ("vector", "cube", "ink"), ("accent", "floor", "line"))  # fmt: skip
    for names in groups:
        assert eyes.least_difference(colours(*names), kind) > 12, names
    paper = colours("paper")[0]
    for name in ("vector", "cube", "mix", "worse", "better", "accent", "floor"):
        assert eyes.contrast(colours(name)[0], paper) >= 3, name


@pytest.mark.parametrize("report", [SAMPLE, RUN, BOTH], ids=["kernel", "run", "both"])
def test_everything_has_a_name_for_a_screen_reader(page, report: Report) -> None:  # type: ignore[no-untyped-def]
    seen = page(report)
    assert seen.execute_script(eyes.NAMELESS) == []
    levels = [int(item.tag_name[1]) for item in seen.find_elements("css selector", "h1, h2, h3, h4")]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert len(seen.find_elements("css selector", "main")) == 1


def test_on_paper_nothing_is_hidden_and_nothing_is_left_to_click(page) -> None:  # type: ignore[no-untyped-def]
    seen = page(BOTH, media="print")
    assert not seen.find_element("css selector", "nav").is_displayed()
    assert not seen.find_element("css selector", ".filter").is_displayed()
    for item in seen.find_elements("css selector", "details > :not(summary)"):
        assert item.rect["height"] > 10
    assert (
        seen.execute_script("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    )


def large(operators: int) -> Report:
    """A run with as much of everything as a report keeps of so many operators."""
    rows = tuple(
        OperatorRef(
            f"Operator{at}", f"operator_{at}_kernel", "vector", f"{at},1024,128;{at},128", at, 10.0 + at
        )
        for at in range(operators)
    )
    lanes = tuple(Lane(str(at), tuple(range(1, 101)) + (55,) * 60, (3,) * 160) for at in range(6))
    strips = tuple(
        Strip(f"rank {at}", "0", 16_000.0, 100.0, lanes, RUN.charts.strips[0].pauses * 4) for at in range(6)
    )
    findings = tuple(replace(SAMPLE.findings[0], id=f"f{at}", operators=rows[:50]) for at in range(40))
    advice = tuple(replace(SAMPLE.recommendations[0], rank=at + 1, finding=f"f{at}") for at in range(20))
    return replace(
        BOTH, operators=rows, findings=findings, recommendations=advice, total_us=sum(row.time_us or 0.0 for row in rows),
        charts=replace(BOTH.charts, strips=strips, points=BOTH.charts.points * 20, pipes=BOTH.charts.pipes * 4),
    )  # fmt: skip


@pytest.mark.parametrize("operators", [1_000, 100_000])
def test_a_page_of_many_operators_stays_small_and_opens(page, operators: int) -> None:  # type: ignore[no-untyped-def]
    report = large(operators)
    assert len(text_of(report).encode()) < 400_000
    seen = page(report)
    assert seen.get_log("browser") == []
    assert seen.execute_script("return document.documentElement.scrollWidth <= window.innerWidth")
    assert f"{operators - 30} more" in seen.find_element("css selector", "#operators").text


def test_a_dark_kernel_name_cannot_close_a_label(page) -> None:  # type: ignore[no-untyped-def]
    bad = replace(
        CUMMIN, type='x" onfocus="document.title=1" y="', name="</title><script>document.title=1</script>"
    )
    points = tuple(replace(point, operator=bad) for point in SAMPLE.charts.points)
    seen = page(replace(SAMPLE, operators=(bad,), charts=replace(SAMPLE.charts, points=points)))
    for item in seen.find_elements("css selector", "[tabindex]"):
        seen.execute_script("arguments[0].focus()", item)
    assert seen.title != "1" and len(seen.find_elements("css selector", "script, [onfocus]")) == 1


@pytest.mark.long
def test_a_table_of_a_hundred_thousand_operators_becomes_a_page_that_opens(shown, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    from kb import library

    table = tmp_path / "kernel_details.csv"
    heads = "Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Dim,Input Shapes,Input Data Types,Input Formats,Output Shapes,Output Data Types,Output Formats"
    with table.open("w", encoding="utf-8") as file:
        file.write(f"{heads}\n")
        for at in range(100_000):
            shape = f'"{at + 1},128"'
            file.write(
                f"kernel_{at},Type{at % 50_000},AI_VECTOR_CORE,{1000 + at * 12}.000,{5 + at % 7}.0,0,40,{shape},FLOAT16,ND,{shape},FLOAT16,ND\n"
            )
    text = text_of(library.advise(table))
    assert len(text.encode()) < 400_000
    seen = shown(text)
    assert seen.get_log("browser") == []
    assert {"times", "timeline"} <= {
        item.get_attribute("class") for item in seen.find_elements("css selector", "figure")
    }
