"""A comparison as one self-contained HTML file."""

from __future__ import annotations

from kb.comparison import Comparison
from kb.report.comparison.pages import comparison_page
from kb.report.page import html

NAME = "html"
EXTENSION = ".html"


def render(found: Comparison, *, lang: str, width: int, color: bool) -> str:  # noqa: ARG001
    """The page as HTML."""
    return html.render(comparison_page(found, lang))
