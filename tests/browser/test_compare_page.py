"""The page of a comparison in a real browser: pictures of before and after, in every language, hostile text."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
import seen as eyes
from comparison_samples import samples

from kb.report.comparison.views import render

SAMPLES = samples()
Open = Callable[..., Any]


@pytest.fixture
def page(shown: Open) -> Open:
    def opened(sample: str, *, lang: str = "en", **how: Any) -> Any:
        return shown(render("html", SAMPLES[sample], lang=lang, width=80, color=False), **how)

    return opened


@pytest.mark.parametrize("lang", ["en", "zh", "ja"])
@pytest.mark.parametrize("sample", SAMPLES)
def test_every_comparison_is_drawn_without_a_word_in_the_console(page: Open, sample: str, lang: str) -> None:
    seen = page(sample, lang=lang)
    assert seen.get_log("browser") == []
    assert seen.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert seen.execute_script(eyes.NAMELESS) == []


@pytest.mark.parametrize("width", [360, 1100, 1600])
def test_the_steps_lead_from_before_to_after(page: Open, width: int) -> None:
    seen = page("run", width=width)
    assert seen.execute_script("return document.documentElement.scrollWidth <= window.innerWidth")
    tracks = seen.find_elements("css selector", "figure.waterfall .track")
    parts = [seen.execute_script("return arguments[0].firstChild.getBoundingClientRect().toJSON()", track) for track in tracks]  # fmt: skip
    for one, other in pairwise(parts[1:-1]):  # each step begins where the one before ends
        ends = [abs(a - b) for a in (one["left"], one["right"]) for b in (other["left"], other["right"])]
        assert min(ends) < 2
    assert abs(parts[0]["right"] - parts[1]["left"]) < 2 or abs(parts[0]["right"] - parts[1]["right"]) < 2


def test_what_was_before_stands_above_what_is_after(page: Open) -> None:
    seen = page("faster")
    rows = seen.find_elements("css selector", "figure.changes .bars > div")
    before, after = (row.find_element("css selector", ".track i").rect for row in rows[:2])
    assert before["y"] < after["y"] and after["width"] * 2 == pytest.approx(before["width"], rel=0.02)
    assert "-50.0 %" in seen.find_element("css selector", "figure.changes").text
    moved = seen.find_element("css selector", "figure.moved").text
    assert "aiv_mte2_ratio" in moved and "60 %" in moved and "30 %" in moved


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_text_can_be_read(page: Open, dark: bool) -> None:
    found = page("run", dark=dark).execute_script(eyes.TEXTS)
    assert [text for text, ink, paper in found if eyes.contrast(ink, paper) < 4.5] == []


def test_hostile_text_stays_text(page: Open) -> None:
    seen = page("hostile")
    assert seen.find_elements("css selector", "script, main b, [onclick], [onfocus]") == [
        *seen.find_elements("css selector", ".track b")
    ]
    assert "<script>" in seen.find_element("css selector", "main").text
