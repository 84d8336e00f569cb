"""A comparison on a terminal or in a pipe."""

from __future__ import annotations

from kb.comparison import Comparison
from kb.report.comparison.pages import comparison_page
from kb.report.page import text

NAME = "text"
EXTENSION = ".txt"


def render(found: Comparison, *, lang: str, width: int, color: bool) -> str:
    """The page as text of at most `width` columns."""
    return text.render(comparison_page(found, lang), width=width, color=color)
