"""Search over the entries: nearness of meaning plus words found, in one score that can be explained.

    score = (cosine + prior + WORDS * coverage) / (1 + WORDS)

`cosine` compares the query's vector with the entry's; `coverage` is the BM25 of the entry's words over what an entry
with all of the query's words would get, so rare words count and a query in another language than the entry loses
nothing (ranks are not mixed: a list that is blind to the query would push its noise up). `prior` is a little for kinds
written for questions.
Standard library only; an entry is parsed only when it is shown.
"""

from __future__ import annotations

import heapq
import json
import sqlite3
from array import array
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kb.errors import UsageError
from kb.knowledge import query, store
from kb.knowledge.filters import Filters
from kb.knowledge.nearest import LARGE
from kb.knowledge.reading import Index
from kb.knowledge.turn import in_turn
from kb.textfile import read_text
from kb.vocabulary.entries import KINDS

WORDS = 1.0  # weight of the words beside the meaning
LIKE = 1.5  # the same for findings and entries, which use the words of the field as the entries do
NEAR = 120  # entries nearest by bit codes whose exact cosine is computed; three times these from LARGE entries on
FOUND = 120  # entries with the best BM25 that are looked at
POSTINGS = 8_000  # occurrences read for a query of LARGE entries; commoner words of it are left out where there are more
COLUMNS = (2.0, 1.0, 0.5)  # BM25 weights of title, users' words, everything else
_PER_IDF = (
    1.76  # BM25 of a term found once or twice in a short field, per unit of its inverse document frequency
)
_LOOKED_AT = 10  # entries that decide whether anything fits
_FITTING = 0.9
_CHUNK = 900


class Hit(NamedTuple):
    """One entry found; `parts` holds what `--explain` shows: meaning, words, matched terms, added terms."""

    rank: int
    id: str
    kind: str
    title: str
    score: float
    why: str
    summary: str
    sources: tuple[str, ...]
    parts: Mapping[str, Any]


class SearchResult(NamedTuple):
    """The answer to one query, best first. `no_good_match`: nothing fits, these are the nearest all the same."""

    query: str
    no_good_match: bool
    results: tuple[Hit, ...]
    near_terms: tuple[str, ...] = ()

    def to_dict(self, *, explain: bool = False) -> dict[str, Any]:
        """The document `kb.search/1`; `explain` adds the parts of each score."""
        hidden = () if explain else ("parts",)
        rows = [{k: v for k, v in hit._asdict().items() if k not in hidden} for hit in self.results]
        head = {
            "schema": "kb.search/1",
            "query": self.query,
            "no_good_match": self.no_good_match,
            "results": rows,
        }
        return head | ({"near_terms": self.near_terms} if self.near_terms else {})


@in_turn
def search(
    text: str,
    *,
    k: int = 10,
    kind: str | None = None,
    op: str | None = None,
    soc: str | None = None,
    bottleneck: str | None = None,
    evidence: str | None = None,
    language: str | None = None,
    lang: str = "en",
    model: str = "",
    use: Index | None = None,
) -> SearchResult:
    """The entries that fit a query in English, Chinese, Japanese or a mix.

    Args:
        text: the query.
        k: how many entries at most.
        kind: only entries of that kind: case, recipe, pattern, tip.
        op: only entries that name this operator (any spelling or framework name).
        soc: only entries for this chip, its family, or any chip.
        bottleneck: only entries with this bottleneck.
        evidence: only entries with this grade of evidence: vendor, third-party, stated, practice.
        language: only entries that are written out in this language: en, zh, ja.
        lang: language of titles and summaries: en, zh, ja.
        model: the search model: builtin, semantic or own; empty for the one in use.
        use: another index than that of the shipped knowledge.

    Raises:
        UsageError: unknown kind, chip, bottleneck, grade, language or model, or `k` below 1.
        KnowledgeError: the knowledge or the index is at fault.
    """
    text, op, soc = _sayable(text), op and _sayable(op), soc and _sayable(soc)
    if kind is not None and kind not in KINDS:
        raise UsageError(f'unknown kind "{kind}"', where="--kind", now=f"one of {', '.join(KINDS)}")
    if k < 1:
        raise UsageError(f"{k} is no number above 0", where="-k", now="Give a number from 1.")
    wanted = Filters(kind, op, soc, bottleneck, evidence, language)
    wanted.check()
    return _asked(text, k, wanted, lang, model, use, WORDS)


def _asked(
    text: str, k: int, wanted: Filters, lang: str, model: str, use: Index | None, weight: float
) -> SearchResult:
    """The answer, from an index made anew where the file proves damaged behind its head."""
    chosen = use or store.index(model)
    try:
        return _search(chosen, text, k, wanted, lang, weight)
    except sqlite3.DatabaseError:
        if use is not None:
            raise
        return _search(store.rebuilt(model), text, k, wanted, lang, weight)


def _sayable(words: str) -> str:
    """Words without the lone surrogates that stand for bytes of a command line that are no UTF-8."""
    return words.encode("utf-8", "replace").decode()


def search_many(path: Path, **options: Any) -> Iterator[SearchResult]:
    """Answers to the first column of a TSV file, in order; a first line that reads `query` is a header.

    The options are those of `search`.

    Raises:
        SourceError: the file cannot be read as UTF-8 text, see `kb.textfile`.
    """
    for number, line in enumerate(read_text(path).splitlines()):
        first = line.split("\t")[0].strip()
        if first and not (number == 0 and first.casefold() == "query"):
            yield search(first, **options)


@in_turn
def similar(
    text: str,
    *,
    kinds: Sequence[str] = KINDS,
    k: int = 10,
    lang: str = "en",
    model: str = "",
    use: Index | None = None,
) -> tuple[Hit, ...]:
    """Entries most like a text (a finding in words), or like the entry of that id, which is left out itself.

    Both take the vectors of the index; that of an entry is there already.
    """
    text = _sayable(text)
    told = store.record_of(text, use)
    if told is not None:
        return _like(use or store.index(model), told, kinds, k, lang)
    found: list[Hit] = []
    for kind in kinds:
        found += _asked(text, k, Filters(kind), lang, model, use, LIKE).results
    best = sorted(found, key=lambda hit: (-hit.score, hit.id))[:k]
    return tuple(hit._replace(rank=place) for place, hit in enumerate(best, 1))


def _like(chosen: Index, told: Mapping[str, Any], kinds: Sequence[str], k: int, lang: str) -> tuple[Hit, ...]:
    """Entries near the vector of this one that share words of its title, its symptom and its operators."""
    row = chosen.db.execute(
        "SELECT n, length, vec FROM vector JOIN entry USING(n) WHERE id = ?", (told["id"],)
    ).fetchone()
    if row is None:  # another index than the one it was read from
        return ()
    own, length, vec = row
    vector = [code / (length or 1.0) for code in array("b", vec)]
    words = " ".join((told["title"]["en"], told["symptom"]["en"], *told["operators"]))
    asked = query.read(chosen.db, chosen.size, words)
    allowed = {n for kind in kinds for n in Filters(kind).rows(chosen.db) or ()} - {own}
    return tuple(_hits(chosen, asked, rank(chosen, vector, asked, k, allowed, LIKE), lang))


@in_turn
def nearness(
    text: str, *, kinds: Sequence[str] = KINDS, k: int = 10, use: Index | None = None
) -> dict[str, float]:
    """Scores of the entries that `similar` finds, by id and best first, without what it tells of each."""
    words = _sayable(text)
    chosen = use or store.index()
    try:
        return _nearness(chosen, words, kinds, k)
    except sqlite3.DatabaseError:
        if use is not None:
            raise
        return _nearness(store.rebuilt(), words, kinds, k)


def _nearness(chosen: Index, words: str, kinds: Sequence[str], k: int) -> dict[str, float]:
    asked, vector = query.read(chosen.db, chosen.size, words), chosen.embedder.embed(words)
    found: list[tuple[float, str]] = []
    for kind in kinds:
        names = chosen.names.get(kind, {})
        ranked = rank(chosen, vector, asked, max(k, _LOOKED_AT), set(names), LIKE)[:k]
        found += [(-round(item.score, 4), names[item.n]) for item in ranked]
    return {name: -score for score, name in sorted(found)[:k]}


class _Scored(NamedTuple):
    score: float
    cosine: float
    coverage: float
    n: int


def _search(chosen: Index, text: str, k: int, wanted: Filters, lang: str, weight: float) -> SearchResult:
    allowed = wanted.rows(chosen.db)
    asked = query.read(chosen.db, chosen.size, text)
    ranked = rank(chosen, chosen.embedder.embed(text), asked, max(k, _LOOKED_AT), allowed, weight)
    hits = tuple(_hits(chosen, asked, ranked[:k], lang))
    poor = not fits(asked, ranked)
    return SearchResult(text, poor, hits, _near_terms(chosen, asked, ranked) if poor else ())


def rank(
    chosen: Index,
    vector: Sequence[float],
    asked: query.Query,
    k: int,
    allowed: set[int] | None = None,
    weight: float = WORDS,
) -> list[_Scored]:
    """The `k` best entries by the fused score; `vector` is the query's, `weight` that of the words."""
    coverage = _coverage(chosen, asked, allowed)
    near = _nearest(chosen, vector, allowed)
    found = [
        _Scored(
            (cosine + prior + weight * coverage.get(n, 0.0)) / (1 + weight), cosine, coverage.get(n, 0.0), n
        )
        for n, cosine, prior in _cosines(chosen, vector, sorted({*near, *coverage}))
    ]
    return heapq.nsmallest(k, found, key=lambda item: (-item.score, item.n))


def fits(asked: query.Query, ranked: Sequence[_Scored]) -> bool:
    """Whether the knowledge base answers the query at all.

    Looks at the nearest meaning and the words of the best entry, how much of the query occurs anywhere, and whether
    words of the field are in it. Weights and limit were chosen on tests/benchmarks/offtopic.txt against the questions
    of the benchmarks (`tools/eval_search.py` prints the rates).
    """
    if not ranked:
        return False
    nearest = max(item.cosine for item in ranked[:_LOOKED_AT])
    told = nearest + 0.5 * ranked[0].coverage + 0.6 * asked.known + 0.2 * min(asked.field, 2)
    return told > _FITTING


def _nearest(chosen: Index, vector: Sequence[float], allowed: set[int] | None) -> list[int]:
    """Entries whose bit code differs least from the query's."""
    rows: Sequence[int] = range(1, chosen.size + 1) if allowed is None else sorted(allowed)
    count = _wide(chosen.size, NEAR)
    if len(rows) <= count:
        return list(rows)
    return chosen.nearest(vector, count) if allowed is None else chosen.nearest_of(rows, vector, count)


def _cosines(
    chosen: Index, vector: Sequence[float], rows: Sequence[int]
) -> Iterator[tuple[int, float, float]]:
    """Number, cosine and prior of these entries."""
    for start in range(0, len(rows), _CHUNK):
        chunk = rows[start : start + _CHUNK]
        marks = ",".join("?" * len(chunk))
        sql = f"SELECT n, length, vec, prior FROM vector WHERE n IN ({marks})"  # noqa: S608
        found = chosen.db.execute(sql, chunk).fetchall()
        cosines = chosen.cosines(vector, [(length, vec) for _, length, vec, _ in found])
        for (n, _, _, prior), cosine in zip(found, cosines, strict=True):
            yield n, cosine, prior


def _wide(size: int, count: int) -> int:
    return count if size < LARGE else 3 * count


def _coverage(chosen: Index, asked: query.Query, allowed: set[int] | None) -> dict[int, float]:
    """BM25 of the entries that hold words of the query, as a share of what could be reached (at most 1)."""
    found: dict[int, float] = {}
    read = {*asked.own, *asked.also} if chosen.size < LARGE else _rare_enough(asked)
    for own, weight in ((asked.own, 1.0), (tuple(asked.also), query.ALSO)):
        words = [word for word in own if word in read]
        if not words or not asked.reachable:
            continue
        limit = _wide(chosen.size, FOUND) if allowed is None else None
        for n, score in chosen.with_words(words, COLUMNS, limit):
            if allowed is None or n in allowed:
                found[n] = found.get(n, 0.0) + weight * score
    return {n: min(1.0, score / (_PER_IDF * asked.reachable)) for n, score in found.items()}


def _rare_enough(asked: query.Query) -> set[str]:
    """Terms of the query that are looked up: the rarest until `POSTINGS` entries hold them, at least one.

    Reading every occurrence of `performance` in 100 000 entries takes longer than all the rest and tells nothing.
    """
    total = 0
    found: set[str] = set()
    for term in sorted((*asked.own, *asked.also), key=lambda term: asked.counts.get(term, 0)):
        before, total = total, total + asked.counts.get(term, 0)
        if before and total > POSTINGS:
            break
        found.add(term)
    return found


def _hits(chosen: Index, asked: query.Query, ranked: Sequence[_Scored], lang: str) -> Iterator[Hit]:
    matched = _matched(chosen, asked, [item.n for item in ranked])
    for place, item in enumerate(ranked, 1):
        (record,) = chosen.db.execute("SELECT json FROM entry WHERE n = ?", (item.n,)).fetchone()
        told = json.loads(record)
        words = matched.get(item.n, [])
        parts = {
            "meaning": round(item.cosine, 4),
            "words": round(item.coverage, 4),
            "matched": asked.said(words),
            "also": {word: asked.also[word] for word in words if word in asked.also},
        }
        summary = _in(told["remedy"], lang) or _in(told["symptom"], lang)
        yield Hit(
            place,
            told["id"],
            told["kind"],
            _in(told["title"], lang),
            round(item.score, 4),
            _why(parts),
            summary,
            tuple(told["sources"]),
            parts,
        )


def _in(texts: Mapping[str, str], lang: str) -> str:
    return texts.get(lang) or texts["en"]


def _why(parts: Mapping[str, Any]) -> str:
    """One line: words found, words found by another name, nearness of meaning."""
    said = []
    if parts["matched"]:
        said.append(f"has {', '.join(parts['matched'][:6])}")
    names: dict[str, list[str]] = {}
    for term, word in parts["also"].items():
        names.setdefault(word, []).append(term)
    said += [f"has {', '.join(found[:3])} for {word}" for word, found in list(names.items())[:3]]
    said.append(f"meaning {parts['meaning']:.2f}")
    return "; ".join(said)


def _matched(chosen: Index, asked: query.Query, rows: Sequence[int]) -> dict[int, list[str]]:
    """Which terms of the query each of these entries holds."""
    found: dict[int, list[str]] = {}
    if rows:
        for n, word in chosen.holding((*asked.own, *asked.also), rows):
            found.setdefault(n, []).append(word)
    return found


def _near_terms(chosen: Index, asked: query.Query, ranked: Sequence[_Scored]) -> tuple[str, ...]:
    """What to ask instead: what unknown words may have meant, then the families of the nearest entries."""
    repaired = [term for term, word in asked.also.items() if word in asked.unknown]
    nearest = sorted(ranked, key=lambda item: -item.cosine)[:5]
    families = []
    for item in nearest:
        (record,) = chosen.db.execute("SELECT json FROM entry WHERE n = ?", (item.n,)).fetchone()
        families.append(json.loads(record)["family"])
    return tuple(dict.fromkeys(name for name in (*repaired, *families) if name))[:5]
