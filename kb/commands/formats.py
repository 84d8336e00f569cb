"""`kb formats`: which files are read, printed from the registry of readers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kb.commands._console import Common, show

if TYPE_CHECKING:
    from kb.report.page import Page

PANEL, ORDER = "Upkeep", 5


def run(common: Common) -> int:
    """List the profile formats that are read, and those that are refused by name.

    A file is known by its content, not by its name. A folder may hold several formats of one run: the first of its
    family in this list makes the profile, what stands below adds to it or is left out.

    Examples:
      kb formats
      kb formats --format json
    """
    from kb.engine.readers.listing import ARCHIVES, formats, refused

    rows: list[dict[str, Any]] = [
        {
            "name": item.name,
            "title": item.title,
            "family": item.family,
            "rank": item.rank,
            "adds": item.adds,
        }
        for item in formats()
    ]
    document = {
        "schema": "kb.formats/1",
        "formats": rows,
        "archives": [{"name": name, "holds": holds} for name, holds in ARCHIVES],
        "refused": [{"name": name, "now": now} for name, now in refused()],
    }
    show(common, _page(document, common.lang), document, rows)
    return 0


def _page(document: dict[str, Any], lang: str) -> Page:
    from kb.report.catalogue import say
    from kb.report.page import Heading, Page, Table

    heads = tuple(say(key, lang) for key in ("formats.name", "formats.title", "formats.family"))
    families = {"kernel": say("formats.kernel", lang), "job": say("formats.job", lang)}
    rows = tuple((item["name"], item["title"], families[item["family"]]) for item in document["formats"])
    archives = tuple((item["name"], item["holds"]) for item in document["archives"])
    refused = tuple((item["name"], item["now"]) for item in document["refused"])
    return Page(
        say("formats.count", lang, count=len(rows)),
        (
            Table(heads, rows),
            Heading(say("formats.archives", lang)),
            Table((heads[0], say("formats.holds", lang)), archives),
            Heading(say("formats.refused", lang)),
            Table((say("formats.looks", lang), say("formats.now", lang)), refused),
        ),
        lang=lang,
    )
