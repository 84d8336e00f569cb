"""The list of the runs that were kept, as a page and as a document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kb import units
from kb.model import to_dict
from kb.report.catalogue import say
from kb.report.page import Page, Table
from kb.report.text import clean, shorten
from kb.report.translated import headline_in

if TYPE_CHECKING:
    from kb.store.runs import RunSummary

HEADS = ("runs.id", "runs.created", "label.target", "label.time", "runs.headline")
HEADLINE, TARGET = 60, 32  # columns of a line; the other formats have all of it


def runs_document(found: Sequence[RunSummary]) -> dict[str, Any]:
    """The list as `kb.runs/1`."""
    return {"schema": "kb.runs/1", "runs": [to_dict(item) for item in found]}


def runs_page(found: Sequence[RunSummary], where: str, lang: str) -> Page:
    """The list, the newest first; `where` they are kept."""
    if not found:
        return Page(say("runs.none", lang), note=where, lang=lang)
    table = Table(
        tuple(say(head, lang) for head in HEADS), tuple(_cells(run, lang) for run in found), frozenset({3})
    )
    return Page(say("runs.count", lang, count=len(found), db=where), (table,), lang=lang)


def _cells(run: RunSummary, lang: str) -> tuple[str, ...]:
    return (
        run.id,
        run.created.replace("T", " ").removesuffix("+00:00"),
        _end(run.target),
        "" if run.total_us is None else units.us(run.total_us),
        shorten(clean(headline_in(run.headline, lang)), HEADLINE),
    )


def _end(path: str) -> str:
    """The end of a path, which tells runs apart."""
    return path if len(path) <= TARGET else "…" + path[1 - TARGET :]
