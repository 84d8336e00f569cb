"""A comparison as Markdown, for a merge request or a note."""

from __future__ import annotations

from kb.comparison import Comparison
from kb.report.comparison.pages import comparison_page
from kb.report.page import markdown

NAME = "markdown"
EXTENSION = ".md"


def render(found: Comparison, *, lang: str, width: int, color: bool) -> str:  # noqa: ARG001
    """The page as Markdown."""
    return markdown.render(comparison_page(found, lang))
