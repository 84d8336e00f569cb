"""The pictures of the page, one module each: `draw(report, lang)` gives lines of HTML, none where data is missing.

Bars are HTML, so that their text keeps its size on a narrow screen; what needs two dimensions is SVG. No picture
loads anything or needs a script, and each says in words what it shows (title, label, text beside the bar).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, cast

from kb.model import Report
from kb.report.chart import paths, pipes, roofline, timeline, times, wall


class Chart(Protocol):
    """What every module of this package is."""

    NAME: str

    def draw(self, report: Report, lang: str) -> Iterator[str]:
        """Lines of HTML; none where the report has no such data."""


CHARTS: tuple[Chart, ...] = cast("tuple[Chart, ...]", (times, wall, timeline, roofline, pipes, paths))
