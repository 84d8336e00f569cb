"""`kb similar`: entries that are like a given one."""

from __future__ import annotations

from typing import Annotated

import typer

from kb.commands._console import Common, show
from kb.commands._entries import Kind

PANEL, ORDER = "Knowledge base", 7


def run(
    common: Common,
    id: Annotated[
        str, typer.Argument(metavar="ID", help="Id of an entry, as `kb search` and reports print it.")
    ],
    *,
    kind: Annotated[
        Kind | None, typer.Option(metavar="KIND", help="Only case, recipe, pattern or tip.")
    ] = None,
    k: Annotated[int, typer.Option("-k", min=1, metavar="N", help="At most N entries.")] = 10,
) -> int:
    """Find entries like a given one: near in meaning, with its words and operators.

    It compares the vectors that search and the reports use.

    Exit status: 0 printed, 2 no entry of that id.

    Examples:
      kb similar nms-avoid-python-fallback
      kb similar yolov8s-910b-seed --kind case -k 3
    """
    from kb.knowledge import search, store
    from kb.knowledge.near import no_such_id
    from kb.report.catalogue import say
    from kb.report.found import hit_blocks
    from kb.report.page import Page
    from kb.vocabulary.entries import KINDS

    if store.record_of(id) is None:
        raise no_such_id("entry", id, store.load_entries())
    kinds = KINDS if kind is None else (kind.value,)
    hits = search.similar(id, kinds=kinds, k=k, lang=common.lang)
    rows = [{name: value for name, value in hit._asdict().items() if name != "parts"} for hit in hits]
    note = say("search.count", common.lang, count=len(hits)) if hits else say("search.none", common.lang)
    page = Page(
        say("similar.title", common.lang, id=id),
        tuple(hit_blocks(hits, common.lang)),
        note=note,
        lang=common.lang,
    )
    show(common, page, {"schema": "kb.similar/1", "id": id, "results": rows}, rows)
    return 0
