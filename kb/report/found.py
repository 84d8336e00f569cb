"""The page of an answer to a question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kb.report.catalogue import say
from kb.report.page import Block, Heading, Page, Para

if TYPE_CHECKING:
    from kb.knowledge.search import SearchResult


def found_page(result: SearchResult, lang: str = "en", *, explain: bool = False) -> Page:
    """Entries found, best first; `explain` adds how each score came about."""
    blocks: list[Block] = []
    if result.no_good_match and result.results:
        blocks.append(Para(say("search.no_good_match", lang)))
    for hit in result.results:
        kind = say(f"kind.{hit.kind}", lang)
        blocks.append(Heading(f"{hit.rank}. {hit.title}", f"{kind} · {hit.id} · {hit.score:.2f}"))
        if hit.summary:
            blocks.append(Para(hit.summary))
        blocks.append(Para(say("search.why", lang, why=hit.why), quiet=True))
        if explain:
            blocks += [Para(f"{name}: {_plain(value)}", quiet=True) for name, value in hit.parts.items()]
    note = (
        say("search.count", lang, count=len(result.results)) if result.results else say("search.none", lang)
    )
    return Page(result.query, tuple(blocks), note=note, lang=lang)


def _plain(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return str(value)
