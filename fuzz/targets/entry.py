"""Entries of the knowledge base, as packs and folders of others bring them: head in YAML, body in Markdown."""

from __future__ import annotations

from fuzz.sample import FEED, SAMPLES
from kb.knowledge.entry import entry_to_text, parse_file

PARSES = ("kb.knowledge.entry", "kb.knowledge.head", "kb.knowledge.body")


def seeds() -> list[bytes]:
    """The good samples, and hostile heads."""
    good = [path.read_bytes() for path in sorted((SAMPLES / "entries" / "good").rglob("*.md"))]
    return [
        *good,
        b"---\nid: a\nb: &x [1]\nc: *x\n---\n",
        b"---\n" + b"[" * 40 + b"\n---\n",
        b"---\n? !!python/name:os\n---\n",
    ]


def one(data: bytes) -> None:
    """Parse it, write out what was taken and parse that; neither raises, faults are told."""
    parsed = parse_file(FEED.file("given.md", data))
    assert parsed.entry is not None or parsed.faults
    if parsed.entry is not None and not parsed.faults:
        again = parse_file(FEED.file("again.md", entry_to_text(parsed.entry).encode()))
        assert again.entry is not None or again.faults
