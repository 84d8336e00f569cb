"""A comparison as one self-contained HTML file: the page of the other views, and pictures of before and after."""

from __future__ import annotations

from collections.abc import Iterator

from kb.comparison import Comparison
from kb.report.comparison import pages, pictures, words
from kb.report.page.html import block
from kb.report.sheet import esc, sheet

NAME = "html"
EXTENSION = ".html"


def render(found: Comparison, *, lang: str, width: int, color: bool) -> str:  # noqa: ARG001
    """The page as HTML."""
    title = words.headline(found, lang)
    inside = "\n".join(("<main>", f"<h1>{esc(title)}</h1>", *body(found, lang), "</main>"))
    return sheet(title, inside, lang=lang)


def body(found: Comparison, lang: str) -> Iterator[str]:
    """What stands below the title, as lines of HTML."""
    for part in pages.first(found, lang):
        yield from block(part)
    yield from pictures.draw(found, lang)
    for part in (*pages.details(found, lang), *pages.last(found, lang)):
        yield from block(part)
