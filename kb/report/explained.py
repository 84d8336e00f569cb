"""What is known of a bottleneck, on one page: how it is judged, what helps, what does not, and cases that show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kb.model import Entry
from kb.report.catalogue import say
from kb.report.entries import entries_table, entry_document, entry_page, entry_row
from kb.report.page import Block, Heading, Items, Page


def explained(
    bottleneck: str, entries: Mapping[str, Entry], judged: Sequence[Mapping[str, str]], lang: str
) -> tuple[Page, dict[str, Any]]:
    """The page, and the same as `kb.explain/1`; `judged` are the inputs and limits of the judgement."""
    others = sorted(
        (entry for entry in entries.values() if entry.id != bottleneck), key=lambda entry: entry.id
    )
    groups = {
        "helps": [e for e in others if bottleneck in e.bottlenecks and e.kind in ("recipe", "tip")],
        "not": [e for e in others if bottleneck in e.not_for],
        "shown": [e for e in others if bottleneck in e.bottlenecks and e.kind == "case"],
    }
    pattern = entries.get(bottleneck)
    document = {
        "schema": "kb.explain/1",
        "bottleneck": bottleneck,
        **({"pattern": entry_document(pattern)} if pattern else {}),
        "judged": list(judged),
        "helps": [entry_row(entry, lang) for entry in groups["helps"]],
        "does_not_help": [entry_row(entry, lang) for entry in groups["not"]],
        "cases": [entry_row(entry, lang) for entry in groups["shown"]],
    }
    return _page(bottleneck, pattern, judged, groups, lang), document


def _page(
    bottleneck: str, pattern: Entry | None, judged: Sequence[Mapping[str, str]],
    groups: Mapping[str, Sequence[Entry]], lang: str,
) -> Page:  # fmt: skip
    page = entry_page(pattern, lang) if pattern else Page(bottleneck, lang=lang)
    blocks: list[Block] = []
    if judged:
        said = tuple(say(f"explain.{item['kind']}", lang, **item) for item in judged)
        blocks += [Heading(say("explain.judged", lang)), Items(said)]
    for key, found in groups.items():
        if found:
            blocks += [Heading(say(f"explain.{key}", lang)), entries_table(list(found), lang, kind=False)]
    return Page(page.title, (*page.blocks, *blocks), note=page.note, lang=page.lang)
