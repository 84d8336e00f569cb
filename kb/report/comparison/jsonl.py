"""The comparison as JSON Lines: one operator a line, regressions first."""

from __future__ import annotations

from kb.comparison import Comparison
from kb.report.comparison.json import document
from kb.report.dump import dumps

NAME = "jsonl"
EXTENSION = ".jsonl"


def render(found: Comparison, *, lang: str, width: int, color: bool) -> str:  # noqa: ARG001
    """The rows of `changes`."""
    return "\n".join(dumps(row, indent=None) for row in document(found)["changes"])
