"""The pictures of the page: each is drawn from a sample, says in words what it shows, and keeps to its data."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from report_samples import ALL, EMPTY, RUN, SAMPLE

import kb.report.chart
from kb.model import Charts, PipeShare
from kb.report import views
from kb.report.catalogue import LANGUAGES
from kb.report.chart import CHARTS, Chart, paths, pipes, roofline, timeline, times, wall

FRAME = {"__init__", "figure"}


def drawn(chart: Chart, report: object, lang: str = "en") -> str:
    return "\n".join(chart.draw(report, lang))  # type: ignore[arg-type]


def test_every_module_of_the_package_is_a_chart() -> None:
    modules = {path.stem for path in Path(kb.report.chart.__file__).parent.glob("*.py")} - FRAME
    assert {chart.NAME for chart in CHARTS} == modules


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.NAME)
def test_every_chart_is_drawn_from_a_sample_and_not_without_data(chart: Chart, lang: str) -> None:
    assert any("<figure" in drawn(chart, report, lang) for report in (SAMPLE, RUN))
    assert drawn(chart, replace(EMPTY, charts=Charts()), lang) == ""


@pytest.mark.parametrize("sample", ALL)
@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.NAME)
def test_a_drawing_has_a_label_in_words_and_no_broken_number(chart: Chart, sample: str) -> None:
    page = drawn(chart, ALL[sample])
    assert page.count("<svg") == len(re.findall(r"<svg[^>]* aria-label=\"[^\"]+\"", page))
    assert not re.search(r"\b(nan|inf)\b", page)


def test_the_floor_stands_beside_the_time() -> None:
    assert "692 us · 100 % · 34.6 times its floor" in drawn(times, SAMPLE)


def test_a_tick_for_every_core_and_the_spread_in_words() -> None:
    page = drawn(pipes, SAMPLE)
    assert page.count("<b style") == 4
    assert "61 % · 59 % to 63 %, 2 cores" in page


def test_parts_of_the_elapsed_time_add_up() -> None:
    assert re.findall(r"width:([0-9.]+)%", drawn(wall, RUN)) == ["7.062", "81.64", "11.3"]


def test_a_lane_is_filled_by_percent_and_a_pause_lies_where_nothing_ran() -> None:
    page = drawn(timeline, RUN)
    assert page.count("<svg") == 3 and 'd="M0 20v-4h1V20zM3 20v-1.6h1V20z"' in page
    assert 'd="M0 20v-14h1V20zM1 20v-20h2V20zM3 20v-11.2h1V20z"' in page
    assert re.findall(r"left:([0-9.]+)%;width:([0-9.]+)%", page) == [("22.60", "7.06"), ("96.05", "2.54")]
    assert "nothing runs for 25 ms at 80 ms: after MatMulV3, before hcom_allReduce_" in page
    assert "nothing runs for 40 ms (11 %), 12 pauses" in page and "3 more streams" in page
    assert 'aria-label="stream 2: compute 7.0 %"' in page and "<td>hcom_allReduce_</td><td>Add</td>" in page


def test_a_point_lies_below_its_roof_and_can_be_reached_with_the_keyboard() -> None:
    page = drawn(roofline, SAMPLE)
    point = re.search(r'tabindex="0" role="img" aria-label="([^"]+)"', page)
    assert point is not None
    assert "0.06 FLOP/B" in point[1] and "0.4 % of its roof (memory)" in point[1]
    assert "memory 1600 GB/s" in page and "vector fp32 11 TFLOP/s" in page


def test_without_a_chip_there_is_no_roofline() -> None:
    assert drawn(roofline, replace(SAMPLE, charts=replace(SAMPLE.charts, roofs=()))) == ""


def test_arrows_name_their_bandwidth() -> None:
    page = drawn(paths, SAMPLE)
    assert page.count('class="path"') == 3
    assert "1.61 GB/s" in page and "4.4 GB/s a core" in page


def test_a_share_beyond_the_track_stays_inside() -> None:
    odd = replace(SAMPLE.charts.pipes[0], pipes=(PipeShare("aiv_vec", 1.7, (-0.2, 3.0)),))
    page = drawn(pipes, replace(SAMPLE, charts=replace(SAMPLE.charts, pipes=(odd,))))
    assert re.findall(r"(?:left|width):([0-9.]+)%", page) == ["100", "0", "100"]


def test_a_page_of_a_thousand_operators_stays_small() -> None:
    many = tuple(replace(SAMPLE.operators[0], name=f"kernel_{at}", time_us=float(at)) for at in range(1000))
    findings = tuple(
        replace(SAMPLE.findings[at % 2], id=f"finding-{at}", operators=many[at : at + 5]) for at in range(60)
    )
    page = views.render(
        "html",
        [replace(SAMPLE, operators=many, findings=findings)],
        lang="en",
        width=80,
        color=False,
    )
    assert len(page.encode()) < 400_000


@pytest.mark.parametrize("odd", [0.0, -1.0, 1e300, 5e-324])
def test_figures_of_a_damaged_report_leave_the_page_standing(odd: float) -> None:
    given = SAMPLE.charts
    charts = replace(
        given,
        roofs=tuple(replace(roof, value=odd) for roof in given.roofs),
        points=tuple(replace(point, gflops=odd) for point in given.points),
        paths=tuple(replace(path, gbps=odd) for path in given.paths),
    )
    for kept in (charts, replace(charts, roofs=given.roofs), replace(charts, points=given.points)):
        assert views.render("html", [replace(SAMPLE, charts=kept)], lang="en", width=80, color=False)


def test_paths_between_ends_that_nobody_knows_are_not_drawn() -> None:
    gone = tuple(replace(path, source="GM", target="GM") for path in SAMPLE.charts.paths)
    assert drawn(paths, replace(SAMPLE, charts=replace(SAMPLE.charts, paths=gone))) == ""
