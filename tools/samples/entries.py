"""Made-up entries for timing search at size: words of the shipped entries shuffled, the same ones every time."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

from kb.model import Entry, Text3


def many(shipped: Sequence[Entry], count: int) -> Iterator[Entry]:
    """`count` entries: the shipped ones as they are, then made ones with their titles, symptoms and remedies mixed."""
    rng = random.Random(7)
    words = [word for entry in shipped for word in f"{entry.title.en} {entry.symptom.en}".split()]
    yield from shipped[:count]
    for number in range(len(shipped), count):
        like = shipped[number % len(shipped)]
        one, other = rng.choice(shipped), rng.choice(shipped)

        def mixed(size: int) -> str:
            return " ".join(rng.choices(words, k=size))

        yield replace(
            like,
            id=f"made-{number}",
            title=Text3(mixed(8), one.title.zh, other.title.ja),
            symptom=Text3(mixed(20), other.symptom.zh, one.symptom.ja),
            remedy=Text3(mixed(15), one.remedy.zh, other.remedy.ja),
            aliases={"en": (mixed(3),), "zh": one.aliases.get("zh", ())[:2], "ja": other.aliases.get("ja", ())[:2]},
            cause=mixed(25), steps=(mixed(12),), why="", check="", when_not="", facts={}, bodies={}, gains=(), observe=(),
        )  # fmt: skip
