"""How good search is: nDCG@10, success@k and MRR over questions with known answers, whole and in its parts.

The three ways are "words" (FTS5 with glossary and other names), "meaning" (the model alone) and "fused" (as shipped).
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from kb.errors import SourceError
from kb.knowledge import embed, query, store
from kb.knowledge.reading import Index
from kb.knowledge.search import rank
from kb.textfile import read_text

WAYS = ("words", "meaning", "fused")
DEPTH = 100


class Question(NamedTuple):
    """A query, its language, groups it is reported in, and the grades of the right entries (2 the answer, 1 related)."""

    text: str
    lang: str
    groups: tuple[str, ...]
    grades: Mapping[str, int]


class Scores(NamedTuple):
    """Means over the questions of one group."""

    questions: int
    ndcg10: float
    success1: float
    success5: float
    success10: float
    mrr: float


def questions(path: Path) -> list[Question]:
    """A table with the columns query, lang, expected (ids divided by ";", all grade 2).

    Groups are the language, the half, and where there is a column `type` or `answer_type`, that.
    "held-out" is the half that nobody tunes on: the first byte of the query's SHA-256 is odd.

    Raises:
        SourceError: unreadable, or a column is missing.
    """
    found = []
    for row in _rows(path, ("query", "lang", "expected")):
        grades = {name.strip(): 2 for name in row["expected"].split(";") if name.strip()}
        half = "held-out" if hashlib.sha256(row["query"].encode()).digest()[0] & 1 else "tuned-on"
        if grades:
            kind = row.get("type") or row.get("answer_type") or ""
            groups = (row["lang"], half, *((f"type {kind}",) if kind else ()))
            found.append(Question(row["query"], row["lang"], groups, grades))
    return found


def benchmark(folder: Path) -> list[Question]:
    """The trilingual benchmark: queries.tsv (qid, lang, type, text) and qrels.tsv (qid, pid, rel)."""
    grades: dict[str, dict[str, int]] = {}
    for row in _rows(folder / "qrels.tsv", ("qid", "pid", "rel")):
        grades.setdefault(row["qid"], {})[row["pid"]] = int(row["rel"])
    rows = _rows(folder / "queries.tsv", ("qid", "lang", "type", "text"))
    return [Question(r["text"], r["lang"], (r["lang"], f"type {r['type']}"), grades[r["qid"]]) for r in rows]


def benchmark_index(folder: Path, encoder: embed.Encoder | None = None) -> Index:
    """The passages of that benchmark as entries, in memory: passages.tsv (id, title, body), titles_i18n.tsv.

    With the built-in model unless another is given.
    """
    from kb.model import Entry, Text3

    other = {r["pid"]: r for r in _rows(folder / "titles_i18n.tsv", ("pid", "title_zh", "title_ja"))}
    entries = [
        Entry(
            id=row["id"],
            kind="recipe",
            state="draft",
            title=Text3(row["title"], other[row["id"]]["title_zh"], other[row["id"]]["title_ja"]),
            symptom=Text3(row["body"]),
            remedy=Text3(""),
            family="",
        )
        for row in _rows(folder / "passages.tsv", ("id", "title", "body"))
    ]
    return store.in_memory(entries, encoder or embed.Embedder(embed.shipped_model()))


def run(index: Index, asked: Iterable[Question]) -> dict[str, dict[str, Scores]]:
    """Scores by way, then by group ("all" first)."""
    lists: dict[str, dict[str, list[Scores]]] = {way: {"all": []} for way in WAYS}
    names = dict(index.db.execute("SELECT n, id FROM entry"))
    for question in asked:
        for way, ranked in _ways(index, question.text).items():
            one = score([names[n] for n in ranked], question.grades)
            for group in ("all", *question.groups):
                lists[way].setdefault(group, []).append(one)
    return {
        way: {group: _mean(groups[group]) for group in sorted(groups, key=_place)}
        for way, groups in lists.items()
    }


def _place(group: str) -> tuple[int, str]:
    """All first, then languages, types, halves."""
    orders = {"all": 0, "en": 1, "zh": 2, "ja": 3, "tuned-on": 9, "held-out": 9}
    return orders.get(group, 5), group


def unreached(index: Index, asked: Iterable[Question], k: int) -> list[str]:
    """Ids of the entries that no question has among its first `k` answers, by id."""
    names = dict(index.db.execute("SELECT n, id FROM entry"))
    seen = {names[n] for question in asked for n in _ways(index, question.text)["fused"][:k]}
    return sorted(set(names.values()) - seen)


def below(
    results: Mapping[str, Mapping[str, Scores]], floor: Mapping[str, float]
) -> dict[str, tuple[float, float]]:
    """Figures under their floor, or not there at all (0): (found, least) by name, such as `fused.zh.ndcg10`."""
    worse = {}
    for name, least in floor.items():
        way, group, figure = name.split(".")
        scores = results.get(way, {}).get(group)
        found = getattr(scores, figure, 0.0) if scores else 0.0
        if found < least:
            worse[name] = (found, least)
    return worse


def read_floor(path: Path) -> dict[str, float]:
    """Least figures by name, from a JSON object.

    Raises:
        SourceError: it is none.
    """
    try:
        told = json.loads(read_text(path))
        found = {name: float(least) for name, least in told.items()}
    except (ValueError, AttributeError, TypeError) as fault:
        raise SourceError(f"no floor: {fault}", where=str(path), now=_FLOOR) from fault
    wrong = [
        name
        for name in found
        if len(parts := name.split(".")) != 3 or parts[0] not in WAYS or parts[2] not in Scores._fields
    ]
    if wrong:
        raise SourceError(f"no figure {wrong[0]!r}", where=str(path), now=_FLOOR)
    return found


_FLOOR = 'a JSON object such as {"fused.all.ndcg10": 0.5}: way, group and figure, and the least value'


def score(ranked: Sequence[str], grades: Mapping[str, int]) -> Scores:
    """Scores of one ranking. Gain 2^grade - 1, discount log2(place + 1); success and MRR count grade 2."""
    gained = _discounted([grades.get(name, 0) for name in ranked[:10]])
    best = _discounted(sorted(grades.values(), reverse=True)[:10])
    place = next((i for i, name in enumerate(ranked, 1) if grades.get(name) == 2), math.inf)
    return Scores(1, gained / best, float(place <= 1), float(place <= 5), float(place <= 10), 1 / place)


def table(results: Mapping[str, Mapping[str, Scores]]) -> str:
    """The scores as an aligned table, per cent."""
    head = f"{'way':<8} {'group':<15} {'n':>4} {'nDCG@10':>8} {'s@1':>6} {'s@5':>6} {'s@10':>6} {'MRR':>6}"
    lines = [head]
    for way, groups in results.items():
        for group, s in groups.items():
            figures = f"{s.ndcg10:8.1%} {s.success1:6.1%} {s.success5:6.1%} {s.success10:6.1%} {s.mrr:6.1%}"
            lines.append(f"{way:<8} {group:<15} {s.questions:>4} {figures}")
    return "\n".join(lines)


def _ways(index: Index, text: str) -> dict[str, list[int]]:
    asked = query.read(index.db, index.size, text)
    ranked = rank(index, index.embedder.embed(text), asked, index.size)
    ways: dict[str, Callable[[int], float]] = {
        "words": lambda i: ranked[i].coverage,
        "meaning": lambda i: ranked[i].cosine,
        "fused": lambda i: ranked[i].score,
    }
    orders = {
        way: sorted(range(len(ranked)), key=lambda i: (-of(i), ranked[i].n)) for way, of in ways.items()
    }
    orders["words"] = [i for i in orders["words"] if ranked[i].coverage > 0]
    return {way: [ranked[i].n for i in order[:DEPTH]] for way, order in orders.items()}


def _discounted(grades: Sequence[int]) -> float:
    return math.fsum((2.0**grade - 1) / math.log2(place + 1) for place, grade in enumerate(grades, 1))


def _mean(ones: Sequence[Scores]) -> Scores:
    means = [math.fsum(column) / len(ones) for column in zip(*ones, strict=True)]
    return Scores(len(ones), *means[1:])


def _rows(path: Path, columns: Sequence[str]) -> list[dict[str, str]]:
    lines = io.StringIO(read_text(path), newline="")
    try:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    except csv.Error as fault:
        raise SourceError(f"no table: {fault}", where=str(path), now="give a TSV file") from fault
    missing = [name for name in columns if not rows or name not in rows[0]]
    if missing:
        raise SourceError(
            f"no column {', '.join(missing)}", where=f"{path}:1", now=f"the header needs {', '.join(columns)}"
        )
    return rows
