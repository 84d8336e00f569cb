"""The search index in a team's database: the same entries, vectors and terms; ranking stays where it is.

A `TeamIndex` answers what `Index` answers. Vectors and words of a candidate are judged by the same code; only how the
candidates are found differs. Words: the formula of FTS5's BM25 over the same occurrences. Meaning: below `LARGE` entries
the same bit codes, compared here; from there on pgvector's HNSW index.

Schema `kb_knowledge`: the tables of `kb.knowledge.index` under their names, without FTS5's, and
    vector(..., embedding)                  the int8 codes as halfvec
    posting(stem, n, title, words, body, size)  how often a stem occurs in each part of an entry; terms of the entry
    stem(stem, df)                          in how many entries it occurs
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from kb.errors import SourceError
from kb.knowledge import own, stems
from kb.knowledge.nearest import LARGE
from kb.knowledge.reading import Index
from kb.postgres.address import Address
from kb.postgres.session import Session

if TYPE_CHECKING:
    from kb.knowledge.embed import Encoder

SCHEMA = "kb_knowledge"
MOST_LOOKED_AT = 1000  # what pgvector allows for hnsw.ef_search
LOOKED_AT_OF = (
    1000  # entries for each that a search looks at, where these are more than it asks for (docs/team.md)
)
_BM25 = """
select n, sum(idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * size / ?))) as score
from (select p.n, p.size, ? * p.title + ? * p.words + ? * p.body as tf,
             greatest(ln((? - s.df + 0.5) / (s.df + 0.5)), 1e-6)::double precision as idf
      from unnest(?::text[]) as asked(stem) join stem s using (stem) join posting p using (stem)) as one
group by n order by score desc, n limit ?"""


class TeamIndex(Index):
    """An open index in a database of a server, read only."""

    def __init__(self, session: Session, embedder: Encoder) -> None:
        """Read what every search needs.

        Raises:
            KnowledgeError: another model or another version of `kb` made this index.
            SourceError: the server does not answer.
        """
        super().__init__(session, embedder, str(session.place))
        self.session = session
        self._stemmer = stems.Stemmer()
        (tokens,) = session.execute("select value from meta where key = 'tokens'").fetchone()
        self._mean_size = max(1.0, int(tokens) / max(1, self.size))
        if self.size >= LARGE:
            session.execute("set hnsw.iterative_scan = strict_order")

    def nearest(self, vector: Sequence[float], count: int) -> list[int]:
        """Entries near the vector."""
        if self.size < LARGE:
            return super().nearest(vector, count)
        self._look_at(count)
        return self._by_distance("", (), vector, count)

    def nearest_of(self, rows: Sequence[int], vector: Sequence[float], count: int) -> list[int]:
        """The same among these entries."""
        if self.size < LARGE:
            return super().nearest_of(rows, vector, count)
        self._look_at(count)
        return self._by_distance("where n = any(?)", (list(rows),), vector, count)

    def with_words(
        self, words: Sequence[str], weights: tuple[float, float, float], limit: int | None
    ) -> Iterable[tuple[int, float]]:
        """BM25 as FTS5 computes it."""
        asked = [stem for stem in self._stemmer.stems(words) if stem]
        values = (self._mean_size, *weights, self.size, asked, limit)
        return [(n, score) for n, score in self.session.execute(_BM25, values)]

    def holding(self, words: Sequence[str], rows: Sequence[int]) -> Iterator[tuple[int, str]]:
        """Which of these entries hold which of the words, word by word."""
        asked = self._stemmer.stems(words)
        query = "select stem, n from posting where stem = any(?) and n = any(?) order by n"
        held: dict[str, list[int]] = {}
        for stem, n in self.session.execute(query, (asked, list(rows))):
            held.setdefault(stem, []).append(n)
        for word, stem in zip(words, asked, strict=True):
            yield from ((n, word) for n in held.get(stem, ()))

    def current(self) -> bool:
        """Whether the connection stands and nobody has published since."""
        if self.session.connection.closed:
            return False
        try:
            row = self.session.execute("select value from meta where key = 'published'").fetchone()
        except SourceError:
            return False
        return bool(row) and json.loads(row[0]) == self.meta.get("published")

    def _look_at(self, count: int) -> None:
        self.session.execute(f"set hnsw.ef_search = {looked_at(count, self.size)}")

    def _by_distance(
        self, where: str, values: Sequence[object], vector: Sequence[float], count: int
    ) -> list[int]:
        asked = "[" + ",".join(f"{value:.6g}" for value in vector) + "]"
        query = f"select n from vector {where} order by embedding <=> ?::halfvec limit ?"  # noqa: S608 - texts above
        return [n for (n,) in self.session.execute(query, (*values, asked, count))]


def looked_at(count: int, size: int) -> int:
    """What hnsw.ef_search is to be where `count` of `size` entries are asked for: among more the same effort finds less."""
    return min(MOST_LOOKED_AT, max(count, size // LOOKED_AT_OF, 40))


def opened(place: Address, embedder: Encoder) -> TeamIndex | None:
    """The index of that database; None, and a word on stderr, where it holds no knowledge.

    Raises:
        SourceError: there is no connection, or the role may not read it.
        KnowledgeError: another model or another version of `kb` made it.
    """
    session = Session(place)
    try:
        session.search_in(SCHEMA)
        if not session.execute("select to_regclass('kb_knowledge.meta') is not null").fetchone()[0]:
            session.close()
            print(
                f"kb: {place} holds no knowledge (`kb db publish` puts it there): the installed one is used",
                file=sys.stderr,
            )
            return None
        if own.folders():
            print(
                "kb: the team's knowledge is used; entries of your own are in it once they are published",
                file=sys.stderr,
            )
        return TeamIndex(session, embedder)
    except BaseException:
        session.close()
        raise
