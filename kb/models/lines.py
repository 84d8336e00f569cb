"""What the models of an outside library share: language means taken off, and entries as the mean of their languages.

A multilingual encoder puts texts of one language together whatever they say; without the mean vector of its language
a text lies where its meaning is. The text of an entry holds one language a line; each line is a vector of its own, since
such encoders read one language at a time, and the entry is their mean.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

QUERY, ENTRY = "query", "entry"
BATCH = 16  # texts of entries encoded together

Means = Mapping[str, Mapping[str, Sequence[float]]]  # by role (query, entry), then by language


def language(text: str) -> str:
    """Language by script: kana means Japanese, Han without kana Chinese, anything else English."""
    if re.search("[\u3040-\u30ff]", text):
        return "ja"
    return "zh" if re.search("[\u4e00-\u9fff]", text) else "en"


class Lines(ABC):
    """A model that encodes one language at a time; unit vectors of `dimensions` numbers."""

    apart = True  # an entry's languages go in as lines, each encoded by itself

    def __init__(self, name: str, version: str, dimensions: int, means: Means) -> None:
        self.name = name
        self.version = version
        self.dimensions = dimensions
        self._means = means

    @abstractmethod
    def encode(self, texts: Sequence[str], role: str) -> Any:
        """Raw unit vectors, a numpy row a text, before any mean is taken off."""

    def embed(self, text: str) -> list[float]:
        """The unit vector of a query."""
        found: list[float] = self._centred([text], QUERY)[0].tolist()
        return found

    def embed_many(self, texts: Iterable[str]) -> Iterator[list[float]]:
        """Unit vectors of entries, each a text of one line a language."""
        import numpy as np

        waiting: list[list[str]] = []

        def done() -> Iterator[list[float]]:
            rows = iter(self._centred([line for lines in waiting for line in lines], ENTRY))
            for lines in waiting:
                total = np.sum([next(rows) for _ in lines], axis=0)
                yield _unit(total[None, :])[0].tolist()
            waiting.clear()

        for text in texts:
            waiting.append([line for line in text.split("\n") if line.strip()] or [" "])
            if len(waiting) == BATCH:
                yield from done()
        if waiting:
            yield from done()

    def language_means(self, texts: Iterable[str]) -> dict[str, dict[str, list[float]]]:
        """The mean raw vector of each language, from texts that say much the same in all of them."""
        by_language: dict[str, list[str]] = {}
        for text in texts:
            by_language.setdefault(language(text), []).append(text)
        return {
            role: {
                name: [round(float(value), 6) for value in self.encode(found, role).mean(0)]
                for name, found in by_language.items()
            }
            for role in (QUERY, ENTRY)
        }

    def _centred(self, texts: Sequence[str], role: str) -> Any:
        import numpy as np

        rows = self.encode(texts, role)
        means = self._means.get(role, {})
        nothing = [0.0] * self.dimensions
        return _unit(rows - np.array([means.get(language(text), nothing) for text in texts]))


def _unit(rows: Any) -> Any:
    import numpy as np

    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
