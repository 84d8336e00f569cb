"""The status of the knowledge base as a page and a document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kb.knowledge.schema import KINDS
from kb.knowledge.status import Status
from kb.report.catalogue import say
from kb.report.page import Block, Fields, Heading, Page, Table


def status_page(found: Status, lang: str) -> Page:
    """Counts, coverage and the weak entries."""
    return Page(say("status.title", lang), tuple(_blocks(found, lang)), lang=lang)


def _blocks(found: Status, lang: str) -> Iterator[Block]:
    kinds = tuple(say(f"kind.{kind}", lang) for kind in KINDS)
    total = found.kinds["recipe"]
    yield Fields(
        (
            *((say(f"kind.{kind}", lang), str(found.kinds[kind])) for kind in KINDS),
            *(
                (say(f"status.{key}", lang), f"{number} / {total}")
                for key, number in (
                    ("figures", found.figures),
                    ("snippets", found.snippets),
                    ("matched", found.matched),
                )
            ),
        )
    )
    for group, rows in found.groups.items():
        yield Heading(say(f"status.{group}", lang))
        cells = tuple((value, *map(str, counts), str(sum(counts))) for value, counts in rows)
        heads = (say(f"status.{group}", lang), *kinds, say("status.total", lang))
        yield Table(heads, cells, frozenset(range(1, len(heads))))
    yield Heading(say("status.language", lang))
    heads = tuple(say(f"status.{key}", lang) for key in ("language", "texts", "bodies"))
    yield Table(
        heads, tuple((key, *map(str, counts)) for key, counts in found.languages.items()), frozenset({1, 2})
    )
    if found.weak:
        yield Heading(say("status.weak", lang), str(len(found.weak)))
        heads = (say("label.entry", lang), say("status.reasons", lang))
        yield Table(heads, tuple((name, "; ".join(why)) for name, why in found.weak))


def status_document(found: Status) -> dict[str, Any]:
    """The same for tools."""
    return {
        "schema": "kb.status/1",
        "kinds": dict(found.kinds),
        **{
            group: {value: dict(zip(KINDS, counts, strict=True)) for value, counts in rows}
            for group, rows in found.groups.items()
        },
        "languages": {
            lang: {"texts": texts, "bodies": bodies} for lang, (texts, bodies) in found.languages.items()
        },
        "recipes": {"figures": found.figures, "snippets": found.snippets, "matched": found.matched},
        "weak": [{"id": name, "reasons": list(why)} for name, why in found.weak],
    }
