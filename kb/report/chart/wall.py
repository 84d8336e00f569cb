"""Where the elapsed time of a run went: computing, communication that nothing hides, nothing at all."""

from __future__ import annotations

from collections.abc import Iterator

from kb import units
from kb.addition import plain_sum
from kb.model import Report
from kb.report.catalogue import say
from kb.report.chart.figure import bar, figure
from kb.report.sheet import esc

NAME = "wall"


def draw(report: Report, lang: str) -> Iterator[str]:
    """A bar a part, all on one scale."""
    total = plain_sum(part.time_us for part in report.charts.wall)
    if total <= 0:
        return
    rows = [
        f"<div><span>{esc(say(f'chart.wall.{part.name}', lang))}</span>{bar([('fill', part.time_us / total)])}"
        f"<span>{esc(units.us(part.time_us))} · {esc(units.percent(part.time_us / total))}</span></div>"
        for part in report.charts.wall
    ]
    yield from figure(NAME, ['<div class="bars">', *rows, "</div>"], lang)
