"""A query as the index understands it: its own terms, and what they also mean (glossary, other names, typing errors)."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from kb.addition import plain_sum
from kb.knowledge import terms
from kb.postgres.protocol import Connection

ALSO = 0.6  # weight of a term that was added to the query
UNKNOWN_PAIR = 0.25  # weight of an unknown pair of characters: most of these only straddle two words
LONGEST_RUN = 4  # words that are tried as one: `flash attention score`
LONGEST_WORD = 10  # characters of a Chinese or Japanese word in the glossary
MOST_TOKENS = 200
_CHUNK = 900
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789_"
_SHORTEST_TYPO = 5
_LONGEST_TYPO = 24
_SHORTEST_START = 5  # letters of a term that a longer word may begin with


class Query(NamedTuple):
    """A query in terms.

    `tokens` maps what was written to its terms. `also` maps each added term to the word of the query it stands for. `reachable` is the sum of the weights of all
    terms, each its inverse document frequency: what an entry that holds everything would get. `known` is the share
    of the weight of the query's own words that some entry holds, `unknown` the words that no entry holds, `field` how
    many words belong to the field, `counts` in how many entries each term occurs.
    """

    tokens: Mapping[str, Sequence[str]]
    also: Mapping[str, str]
    reachable: float
    known: float
    unknown: tuple[str, ...]
    field: int
    counts: Mapping[str, int]

    @property
    def own(self) -> tuple[str, ...]:
        """The query's own terms, each once."""
        return tuple(dict.fromkeys(term for found in self.tokens.values() for term in found))

    def said(self, matched: Container[str]) -> list[str]:
        """Matched terms as they were written: whole words where they matched whole, pairs of characters joined."""
        found: dict[str, None] = {}
        for token, parts in self.tokens.items():
            if terms.is_cjk(token):
                found.update(dict.fromkeys(_joined(token, matched)))
            elif any(part in matched for part in parts[:2]):
                found[token] = None
            else:
                found.update(dict.fromkeys(part for part in parts if part in matched))
        return list(found)


def read(db: Connection, entries: int, text: str) -> Query:
    """Split a query and look up in the index `db` (of that many entries) what its words also mean."""
    tokens = list(dict.fromkeys(terms.tokens(text)))[:MOST_TOKENS]
    by_token = {token: terms.of_token(token) for token in tokens}
    own = tuple(dict.fromkeys(term for found in by_token.values() for term in found))
    runs = dict(_runs(tokens))
    counts = _lookup(db, "term", "df", {*own, *runs})
    also = {run: said for run, said in runs.items() if run in counts}
    meanings = list(_meanings(db, tokens, runs))
    for word, means in meanings:
        for term in means.split():
            also.setdefault(term, word)
    unknown = [
        token
        for token, found in by_token.items()
        if found and not terms.is_cjk(token) and counts.keys().isdisjoint(found)
    ]
    also.update(_repaired(db, [token for token in unknown if token not in also.values()]))
    also.update(_begun(db, [token for token in unknown if token not in also.values()]))
    counts.update(_lookup(db, "term", "df", also.keys() - counts.keys()))
    also = {term: said for term, said in also.items() if term in counts and term not in own}

    def rarity(term: str) -> float:
        seen = counts.get(term, 0)
        weight = UNKNOWN_PAIR if not seen and terms.is_cjk(term) else 1.0
        return weight * math.log(1 + (entries - seen + 0.5) / (seen + 0.5))

    meant = {word: term for term, word in also.items() if word in unknown}  # mended: nearly as good as known
    field = len(_lookup(db, "field", "term", {*own, *meant.values()})) + len(meanings)
    mended = {terms.of_token(word)[0] for word in meant}
    weights = [(1.0 if term in counts else ALSO if term in mended else 0.0, rarity(term)) for term in own]
    known = plain_sum(held * weight for held, weight in weights) / (
        plain_sum(weight for _, weight in weights) or 1.0
    )
    reachable = plain_sum(
        _token_weight(token, found, counts, rarity) for token, found in by_token.items() if found
    )
    return Query(
        by_token, also, reachable + ALSO * plain_sum(map(rarity, also)), known, tuple(unknown), field, counts
    )


def _joined(token: str, matched: Container[str]) -> Iterator[str]:
    """Stretches of a run whose pairs of characters all matched."""
    start = 0
    for end in range(1, len(token) + 1):
        if token[end - 1 : end + 1] not in matched or end == len(token):
            if end - start > 1 or token in matched:
                yield token[start:end]
            start = end


def _token_weight(
    token: str, found: Sequence[str], counts: Mapping[str, int], rarity: Callable[[str], float]
) -> float:
    if terms.is_cjk(token):
        return plain_sum(map(rarity, found))
    known = [term for term in found if term in counts]
    return max(map(rarity, known or found[:1]))


def _runs(tokens: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Adjacent Latin words written as one, with what was said; single words come without their underscores."""
    for start in range(len(tokens)):
        for end in range(start + 1, min(start + LONGEST_RUN, len(tokens)) + 1):
            run = tokens[start:end]
            if terms.is_cjk(run[-1]):
                break
            yield terms.squeeze(run), " ".join(run)


def _meanings(db: Connection, tokens: Iterable[str], runs: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Words of the query that the glossary or the list of other names knows, with the terms they stand for.

    A Chinese or Japanese run is covered from the left by the longest known words.
    """
    written = [token.casefold() for token in tokens if terms.is_cjk(token)]
    parts = {
        run[i:j]
        for run in written
        for i in range(len(run))
        for j in range(i + 1, min(len(run), i + LONGEST_WORD) + 1)
    }
    known = _lookup(db, "means", "also", parts | runs.keys())
    for run in written:
        start = 0
        while start < len(run):
            longest = min(len(run), start + LONGEST_WORD)
            end = next((e for e in range(longest, start, -1) if run[start:e] in known), 0)
            if end:
                yield run[start:end], known[run[start:end]]
            start = end or start + 1
    for squeezed, said in runs.items():
        if squeezed in known:
            yield said, known[squeezed]


def _repaired(db: Connection, unknown: Iterable[str]) -> dict[str, str]:
    """Terms one typing error away from words that no entry holds; of several the commonest."""
    found = {}
    for token in unknown:
        word = token.casefold()
        if _SHORTEST_TYPO <= len(word) <= _LONGEST_TYPO and not word.isdigit():
            near = _lookup(db, "term", "df", _one_error(word))
            if near:
                found[max(near, key=lambda term: (near[term], term))] = token
    return found


def _begun(db: Connection, unknown: Iterable[str]) -> dict[str, str]:
    """Longest terms that words no entry holds begin with: `sensevoicesmall` has sensevoice, `yolov8xl` yolov8."""
    found = {}
    for token in unknown:
        word = token.casefold()
        starts = [word[:end] for end in range(max(_SHORTEST_START, (len(word) + 1) // 2), len(word))]
        known = _lookup(db, "term", "df", starts)
        if known:
            found[max(known, key=len)] = token
    return found


def _one_error(word: str) -> set[str]:
    halves = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    return {
        *(a + b[1:] for a, b in halves if b),
        *(a + b[1] + b[0] + b[2:] for a, b in halves if len(b) > 1),
        *(a + c + b[1:] for a, b in halves if b for c in _LETTERS),
        *(a + c + b for a, b in halves for c in _LETTERS),
    }


def _lookup(db: Connection, table: str, column: str, keys: Iterable[str]) -> dict[str, Any]:
    """Rows of a two-column table by their term."""
    wanted = list(keys)
    found: dict[str, Any] = {}
    for start in range(0, len(wanted), _CHUNK):
        chunk = wanted[start : start + _CHUNK]
        marks = ",".join("?" * len(chunk))
        found.update(db.execute(f"SELECT term, {column} FROM {table} WHERE term IN ({marks})", chunk))  # noqa: S608
    return found
