"""A view: the ranked advice as CSV, for a spreadsheet."""

from __future__ import annotations

import csv
import io

from kb.model import Report

NAME = "example-csv"
EXTENSION = ".csv"
BINARY = False


def render(report: Report, *, lang: str, width: int, color: bool) -> str:  # noqa: ARG001
    """One line a recommendation; gains are fractions of the time of `of`."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(("rank", "id", "finding", "gain_likely", "of", "basis"))
    for item in report.recommendations:
        table.writerow((item.rank, item.id, item.finding, item.gain.likely, item.gain.of, item.gain.basis))
    return out.getvalue()
