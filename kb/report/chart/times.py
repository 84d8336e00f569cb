"""Where the time goes, operator by operator, and how much of it the roofline floor explains."""

from __future__ import annotations

from collections.abc import Iterator

from kb import units
from kb.addition import plain_sum
from kb.model import OperatorRef, Report
from kb.report import named
from kb.report.catalogue import say
from kb.report.chart.figure import bar, figure, name_of
from kb.report.sheet import esc

NAME = "times"
SHOWN = 12
MOST_TIMES = 1000  # above it only that it is more


def draw(report: Report, lang: str) -> Iterator[str]:
    """A bar an operator, the longest first; the dark part is its floor."""
    known = [item for item in named.by_time(report) if item.time_us]
    if not known or report.total_us is None or report.total_us <= 0:
        return
    floors = {floor.operator: floor.floor_us for floor in report.charts.floors}
    shown = known[:SHOWN]
    longest = max(item.time_us or 0.0 for item in shown)
    rows = [_row(item, floors.get(item), report.total_us, longest, lang) for item in shown]
    rest = report.total_us - plain_sum(item.time_us or 0.0 for item in shown)
    note = say("chart.times.rest", lang, time=units.us(rest)) if rest > 0.005 * report.total_us else ""
    yield from figure(NAME, ['<div class="bars">', *rows, "</div>"], lang, note=note)


def _row(item: OperatorRef, floor: float | None, total: float, longest: float, lang: str) -> str:
    time = item.time_us or 0.0
    said = [units.us(time), units.percent(time / total)]
    parts = [("fill", time / longest)]
    if floor is not None and floor > 0:
        said.append(say("chart.times.floor", lang, times=_times(time / floor)))
        parts.append(("floor", min(floor, time) / longest))
    return (
        f"<div data-f><span>{esc(name_of(item))}</span>{bar(parts)}<span>{esc(' · '.join(said))}</span></div>"
    )


def _times(ratio: float) -> str:
    """Three digits, and never 4.81e+03; what lies a thousand times above a floor has another cause than its bytes."""
    if ratio > MOST_TIMES:
        return f">{MOST_TIMES}"
    return f"{ratio:.0f}" if ratio >= 100 else f"{ratio:.3g}"
