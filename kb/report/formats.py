"""What can be read, and what is known and refused, as a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kb.report.catalogue import say
from kb.report.page import Heading, Page, Table
from kb.report.sentences import tell


def formats_page(document: Mapping[str, Any], lang: str) -> Page:
    """The document of `kb formats` as tables."""
    heads = tuple(say(key, lang) for key in ("formats.name", "formats.title", "formats.family"))
    families = {"kernel": say("formats.kernel", lang), "job": say("formats.job", lang)}
    rows = tuple(
        (item["name"], tell(item["title"], lang), families[item["family"]]) for item in document["formats"]
    )
    archives = tuple((item["name"], tell(item["holds"], lang)) for item in document["archives"])
    refused = tuple((tell(item["name"], lang), tell(item["now"], lang)) for item in document["refused"])
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
