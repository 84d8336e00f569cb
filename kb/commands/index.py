"""`kb index`: make the search index anew."""

from __future__ import annotations

from kb.commands._console import Common, show
from kb.commands._progress import working

PANEL, ORDER = "Upkeep", 3


def run(common: Common) -> int:
    """Make the search index anew.

    Searching does this by itself when entries have changed; this command is for a file that is at fault, or
    for making it ahead of time. It is made for the model in use (`kb model`). KB_INDEX names another place for it.

    Exit status: 0 made, 1 there is no place to keep it.

    Examples:
      kb index
      KB_INDEX=/tmp/index.db kb index --format json
    """
    from kb.errors import KnowledgeError
    from kb.knowledge import store
    from kb.report.catalogue import say
    from kb.report.page import Page

    with working(common, "making the search index") as update:
        total = _entries()
        made = store.rebuilt(
            progress=None if update is None else lambda done: update(done, min(1.0, done / total))
        )
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


def _entries() -> int:
    """How many there will be about: the number of entry files."""
    from kb import shipped
    from kb.knowledge import own

    return max(1, sum(1 for folder in (shipped.root(), *own.folders()) for _ in own.stats(folder)))
