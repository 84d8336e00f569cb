"""How far two indexes answer alike: Spearman's rank correlation of their first answers, question by question."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from kb.addition import plain_sum
from kb.errors import SourceError, UsageError
from kb.knowledge import search, store
from kb.knowledge.reading import Index

FIRST = 20  # answers of each question that are compared
INSTALLED = "installed"


class Agreement(NamedTuple):
    """How far an index answers as the one `against` it, with the mean and lowest correlation over the questions.

    `same` questions got the same answers in the same order; `first` answers of each were compared. 1 is the same order, 0
    no relation, -1 the opposite.
    """

    against: str
    questions: int
    same: int
    first: int
    mean: float
    lowest: float


def other_index(named: str, use: Index, model: str = "") -> Index:
    """The index to compare `use` with: `installed` (with `model`, as for `store.index`), or a file made with the same model.

    Raises:
        UsageError: it is the one in use. SourceError: the file cannot be read as an index.
        KnowledgeError: the file was made with another model.
    """
    import sqlite3

    try:
        found = store.local(model) if named == INSTALLED else store.opened(Path(named), use.embedder)
    except (sqlite3.Error, ValueError, KeyError, TypeError) as fault:
        raise SourceError(
            f"no search index: {fault}", where=named, now="kb index and kb db fetch write one."
        ) from fault
    if found.where == use.where:
        raise UsageError(
            "this is the index in use: it agrees with itself",
            where=f"--against {named}",
            now="Name another one, or a team's database by --db.",
        )
    return found


def agreement(
    one: Index, two: Index, asked: Iterable[str], *, against: str = "", first: int = FIRST
) -> Agreement:
    """How far the first answers of two indexes agree over these questions; `against` names the second.

    Raises:
        UsageError: there is no question.
    """
    found = []
    same = 0
    for text in asked:
        here, there = (
            [hit.id for hit in search.search(text, k=first, use=use).results] for use in (one, two)
        )
        same += here == there
        found.append(rank_correlation(here, there))
    if not found:
        raise UsageError("there is no question to compare by", now="Give a table with at least one.")
    return Agreement(against, len(found), same, first, plain_sum(found) / len(found), min(found))


def rank_correlation(one: Sequence[str], two: Sequence[str]) -> float:
    """Spearman's, over what either list has; what is missing from a list stands behind its end.

    Source: Spearman 1904, as Pearson's correlation of the ranks (ranks behind the end are tied).
    """
    names = sorted({*one, *two})
    if len(names) < 2:
        return 1.0
    places = [[ranks.index(name) if name in ranks else len(ranks) for name in names] for ranks in (one, two)]
    means = [plain_sum(side) / len(side) for side in places]
    apart = [[place - mean for place in side] for side, mean in zip(places, means, strict=True)]
    top = plain_sum(a * b for a, b in zip(*apart, strict=True))
    spread = math.sqrt(plain_sum(a * a for a in apart[0]) * plain_sum(b * b for b in apart[1]))
    return top / spread if spread else float(list(one) == list(two))
