"""Two models as one: their vectors side by side, so that a cosine is a weighted mean of the cosines of both."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from kb.knowledge.embed import Encoder

SECOND = 0.4  # part of the second model in a cosine; from 0.3 to 0.5 the questions are answered alike


class Joined:
    """The static model knows the words of the field, a transformer how words stand together; each errs elsewhere."""

    apart = True

    def __init__(self, first: Encoder, second: Encoder) -> None:
        self._both = (first, second)
        self.name = f"{second.name} with {first.name}"
        self.version = f"{first.version}-{second.version}"
        self.dimensions = first.dimensions + second.dimensions

    def embed(self, text: str) -> list[float]:
        """The unit vector of a query."""
        first, second = (model.embed(text) for model in self._both)
        return _side_by_side(first, second)

    def embed_many(self, texts: Iterable[str]) -> Iterator[list[float]]:
        """Unit vectors of entries, each a text of one line a language."""
        one, other = itertools.tee(texts)
        for first, second in zip(
            *(m.embed_many(t) for m, t in zip(self._both, (one, other), strict=True)), strict=True
        ):
            yield _side_by_side(first, second)


def _side_by_side(first: list[float], second: list[float]) -> list[float]:
    own, other = (1 - SECOND) ** 0.5, SECOND**0.5
    return [*(own * value for value in first), *(other * value for value in second)]
