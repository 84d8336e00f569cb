"""Records of the facts -> entry files below data/cases, data/recipes, data/patterns and data/tips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from kb.knowledge.entry import FOLDERS, entry_to_text
from kb.model import Entry
from tools.facts.book import Book
from tools.facts.cases import case
from tools.facts.output import Output
from tools.facts.recipes import own_pattern, own_recipe, pattern, recipe
from tools.facts.tips import tip


def write(folder: Path, out: Output) -> None:
    """Write every entry."""
    book = Book(folder)
    made = [
        *(recipe(book, record) for record in book.recipes),
        *(own_recipe(book, name, own) for name, own in book.own["recipes"].items()),
        *(pattern(book, record) for record in book.patterns),
        *(own_pattern(book, name, own) for name, own in book.own["patterns"].items()),
        *(case(book, record) for record in book.cases),
        *(tip(book, record) for record in book.tips),
    ]
    for entry in linked(made):
        out.put(f"{FOLDERS[entry.kind]}/{entry.id}.md", entry_to_text(entry))


def linked(entries: Sequence[Entry]) -> list[Entry]:
    """Cases and what they used know each other; so do entries that contradict one another."""
    links: dict[str, dict[str, None]] = {e.id: dict.fromkeys(e.links) for e in entries}
    kinds = {e.id: e.kind for e in entries}
    for entry in entries:
        for other in (*entry.links, *entry.facts.get("contradicts", ())):
            if kinds.get(other) != "pattern" and entry.kind != "pattern":
                links[entry.id].setdefault(other)
                links[other].setdefault(entry.id)
    return [replace(e, links=tuple(links[e.id])) for e in entries]
