"""The report as JSON Lines: one compact document a line."""

from __future__ import annotations

from kb.model import Report
from kb.report.dump import dumps
from kb.report.json import document

NAME = "jsonl"
EXTENSION = ".jsonl"
BINARY = False


def render(report: Report, *, lang: str = "en", width: int = 80, color: bool = False) -> str:  # noqa: ARG001
    """The same document as the `json` view, on one line."""
    return dumps(document(report), indent=None)
