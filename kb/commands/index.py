"""`kb index`: make the search index anew."""

from __future__ import annotations

from kb.commands._console import Common, show
from kb.commands._progress import working

PANEL, ORDER = "Upkeep", 3


def run(common: Common) -> int:
    """Make the search index anew.

    Searching does this by itself when entries have changed; this command is for a file that is at fault, or
    for making it ahead of time. KB_INDEX names another place for it.

    Examples:
      kb index
      KB_INDEX=/tmp/index.db kb index --format json
    """
    from kb.errors import KnowledgeError
    from kb.knowledge import store
    from kb.report.catalogue import say
    from kb.report.page import Page

    with working(common, "making the search index"):
        made = store.rebuilt()
    if made.where == store.MEMORY:
        raise KnowledgeError(
            "the index fits nowhere: neither the cache nor the temporary folder can be written, or the disk is full",
            now="Make room, or let KB_INDEX name a file where there is some. Searching works all the same, only slower.",
        )
    document = {"schema": "kb.index/1", "path": made.where, "entries": made.size}
    show(
        common,
        Page(say("list.count", common.lang, count=made.size), note=made.where, lang=common.lang),
        document,
    )
    return 0
