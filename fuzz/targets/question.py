"""Questions in words and queries of the search: free text of anyone who reaches the service."""

from __future__ import annotations

from kb.ask.understand import understand
from kb.ask.words import hear
from kb.knowledge import search

PARSES = ("kb.ask.words", "kb.ask.understand", "kb.knowledge.terms", "kb.knowledge.tokenizer")


def seeds() -> list[bytes]:
    """The three languages, identifiers, and SQL."""
    return [
        text.encode()
        for text in (
            "which 5 operators take longest?", "why is aic_mte2_ratio of `MatMulV3` above 40 %", "哪些算子最慢",
            "時間がかかる演算子は何ですか", "x' or 1=1; drop table runs; --", "NMS CPU fallback",
        )
    ]  # fmt: skip


def one(data: bytes) -> None:
    """Understand it as a question, then search for it."""
    text = data.decode("utf-8", "replace")[:2000]
    understand(hear(text, ("MatMulV3", "add_custom")))
    search.search(text, k=3)
