"""`kb list`: what the knowledge base holds."""

from __future__ import annotations

from typing import Annotated

import typer

from kb.commands._console import Common, show
from kb.commands._entries import Kind, matching
from kb.knowledge.near import known_bottlenecks, no_such_id

PANEL, ORDER = "Knowledge base", 3


def run(
    common: Common,
    kind: Annotated[
        Kind | None, typer.Option("--kind", show_default=False, help="Only entries of this kind.")
    ] = None,
    op: Annotated[
        str,
        typer.Option("--op", metavar="TYPE", show_default=False, help="Only entries about this operator."),
    ] = "",
    soc: Annotated[
        str,
        typer.Option("--soc", metavar="SOC", show_default=False, help="Only entries that hold on this chip."),
    ] = "",
    bottleneck: Annotated[
        str,
        typer.Option(
            "--bottleneck", metavar="ID", show_default=False, help="Only entries about this bottleneck."
        ),
    ] = "",
) -> int:
    """List entries by kind, operator, chip or bottleneck.

    Exit status: 0 printed, one line an entry, or none that fits.

    Examples:
      kb list --kind pattern
      kb list --op Conv2D --soc Ascend310P3
      kb list --bottleneck mte2-bound-vector-below-peak --format json
    """
    from kb.knowledge.store import load_entries
    from kb.report.catalogue import say
    from kb.report.entries import entries_table, entry_row
    from kb.report.page import Page

    entries = load_entries().values()
    known = known_bottlenecks(entries)
    if bottleneck and bottleneck not in known:
        raise no_such_id("bottleneck", bottleneck, known)
    found = matching(entries, kind=kind, operator=op, soc=soc, bottleneck=bottleneck)
    found.sort(key=lambda entry: (list(Kind).index(Kind(entry.kind)), entry.id))
    rows = [entry_row(entry, common.lang) for entry in found]
    title = say("list.count", common.lang, count=len(found))
    page = Page(title, (entries_table(found, common.lang),) if found else (), lang=common.lang)
    show(common, page, {"schema": "kb.list/1", "entries": rows}, rows)
    return 0
