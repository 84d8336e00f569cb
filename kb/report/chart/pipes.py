"""How busy each pipe of a kernel is: the mean, and a tick for every core, so that a spread is seen."""

from __future__ import annotations

from collections.abc import Iterator

from kb import units
from kb.model import PipeShare, Report
from kb.report import named
from kb.report.chart.figure import bar, figure, name_of
from kb.report.sheet import esc

NAME = "pipes"


def draw(report: Report, lang: str) -> Iterator[str]:
    """A block of bars for each of the longest kernels."""
    lines: list[str] = []
    for item in report.charts.pipes:
        lines.append(f'<div class="bars"><strong>{esc(name_of(item.operator))}</strong>')
        lines += [_row(share, lang) for share in item.pipes]
        lines.append("</div>")
    if lines:
        yield from figure(NAME, lines, lang)


def _row(share: PipeShare, lang: str) -> str:
    text = " · ".join(filter(None, (units.percent(share.mean), named.core_spread(share, lang))))
    kind = "cube" if share.pipe.startswith("aic_") else "vector"
    name = f"{share.pipe.removeprefix('aic_').removeprefix('aiv_')} ({kind})"
    return (
        f"<div><span>{esc(name)}</span>{bar([(kind, share.mean)], share.cores)}<span>{esc(text)}</span></div>"
    )
