"""The page of an answer to a question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kb.report.catalogue import say
from kb.report.page import Block, Heading, Page, Para
from kb.report.text import clean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from kb.knowledge.search import Hit, SearchResult

_LONGEST_TITLE = 300  # characters of a query


def found_page(result: SearchResult, lang: str = "en", *, explain: bool = False) -> Page:
    """Entries found, best first; `explain` adds how each score came about."""
    blocks: list[Block] = []
    if result.no_good_match and result.results:
        blocks.append(Para(say("search.no_good_match", lang)))
    if result.near_terms:
        blocks.append(Para(say("search.near_terms", lang, terms=", ".join(result.near_terms))))
    blocks += hit_blocks(result.results, lang, explain=explain)
    note = (
        say("search.count", lang, count=len(result.results)) if result.results else say("search.none", lang)
    )
    return Page(clean(result.query, limit=_LONGEST_TITLE), tuple(blocks), note=note, lang=lang)


def hit_blocks(hits: Sequence[Hit], lang: str, *, explain: bool = False) -> list[Block]:
    """Entries found, as blocks of a page; `explain` adds the parts of each score."""
    blocks: list[Block] = []
    for hit in hits:
        kind = say(f"kind.{hit.kind}", lang)
        blocks.append(Heading(f"{hit.rank}. {hit.title}", f"{kind} · {hit.id} · {hit.score:.2f}"))
        if hit.summary:
            blocks.append(Para(hit.summary))
        blocks.append(Para(say("search.why", lang, why=why_found(hit.why, hit.parts, lang)), quiet=True))
        if explain:
            blocks += [Para(f"{name}: {_plain(value)}", quiet=True) for name, value in hit.parts.items()]
    return blocks


def why_found(why: str, parts: Mapping[str, Any], lang: str) -> str:
    """Why an entry was found, in the language of the answer, from the `parts` of its score; documents carry the English."""
    if lang == "en" or not parts:
        return why
    said = []
    if parts["matched"]:
        said.append(say("search.has", lang, words=", ".join(parts["matched"][:6])))
    names: dict[str, list[str]] = {}
    for term, word in parts["also"].items():
        names.setdefault(word, []).append(term)
    for word, found in list(names.items())[:3]:
        said.append(say("search.has_for", lang, words=", ".join(found[:3]), word=word))
    said.append(say("search.meaning", lang, value=f"{parts['meaning']:.2f}"))
    return "；".join(said)


def _plain(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value)) or "-"
    if isinstance(value, dict):
        return ", ".join(f"{term} for {word}" for term, word in value.items()) or "-"
    return str(value)
