"""`kb show`: one entry of the knowledge base."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from kb.commands._console import Common, show

PANEL, ORDER = "Knowledge base", 2


def run(
    common: Common,
    id: Annotated[
        str, typer.Argument(metavar="ID", help="Id of an entry, as `kb search` and reports print it.")
    ],
) -> int:
    """Show one entry with all it rests on.

    A case study, an operator recipe, a bottleneck pattern or a tip: symptom, cause, what to do, when not to,
    how to check, published gains and sources; and what it gave here, where `kb outcome` kept it.

    Exit status: 0 shown, 2 no entry of that id.

    Examples:
      kb show vector-larger-copies
      kb show yolov8s-910b-seed --format json
    """
    from kb import service
    from kb.commands._kept import kept_outcomes
    from kb.report.entries import entry_page
    from kb.report.outcomes import beside_published, entry_with_outcomes

    entry = service.entry(id)
    outcomes = kept_outcomes(common, entry.id)
    page = entry_page(entry, common.lang)
    tried = tuple(beside_published(entry, outcomes, common.lang))
    show(common, replace(page, blocks=(*page.blocks, *tried)), entry_with_outcomes(entry, outcomes))
    return 0
