"""An open search index: what a search asks of it, from a file by SQLite; a team's database answers the same."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from kb.errors import KnowledgeError
from kb.knowledge import nearest as near
from kb.knowledge.embed import sign_bits
from kb.knowledge.freshness import FORMAT
from kb.postgres.protocol import Connection

if TYPE_CHECKING:
    from kb.knowledge.embed import Encoder
    from kb.model import Entry


class Index:
    """An open index, read only, with the model that made it."""

    def __init__(self, db: Connection, embedder: Encoder, where: str) -> None:
        """Read what every search needs.

        Raises:
            KnowledgeError: another model or another version of `kb` made this index.
            sqlite3.Error, ValueError, KeyError: the file is damaged or no index.
        """
        meta = {key: json.loads(value) for key, value in db.execute("SELECT key, value FROM meta")}
        if meta["format"] != FORMAT or meta["model_version"] != embedder.version:
            raise KnowledgeError(
                f"the index was made with model {meta['model']} {meta['model_version']}, format {meta['format']}, and "
                f"this is {embedder.name} {embedder.version}, format {FORMAT}: their vectors must not be mixed",
                where=where,
                now="make it again with `kb index`",
            )
        self.db = db
        self.meta = meta
        self.embedder = embedder
        self.where = where
        self.size: int = meta["entries"]
        self.fingerprint: str = meta["fingerprint"]
        self.left_out: list[str] = meta["left_out"]
        factor, offset = meta["scale"]
        self._scale: tuple[float, float] = (factor, offset)
        self._codes: list[int] = []
        self._matrix: near.Matrix | None = None
        self._asked = 0
        self._names: dict[str, dict[int, str]] = {}
        self.known: dict[str, Entry] = {}  # entries that were made already

    @property
    def codes(self) -> list[int]:
        """The bit codes of all vectors, in the order of the entries."""
        if not self._codes and self.size:
            raw = self._raw()
            width = len(raw) // self.size
            self._codes = [int.from_bytes(raw[i : i + width], "big") for i in range(0, len(raw), width)]
        return self._codes

    def nearest(self, vector: Sequence[float], count: int) -> list[int]:
        """Entries whose code differs least from the vector's; with numpy for the later queries of a large index."""
        asked = int.from_bytes(sign_bits(vector), "big")
        self._asked += 1
        if self.size >= near.LARGE and self._asked == near.PATIENT:
            with suppress(ImportError):  # without numpy it goes on as before
                self._matrix = near.Matrix(self._raw(), self.size)
        matrix = self._matrix
        found = near.nearest(self.codes, asked, count) if matrix is None else matrix.nearest(asked, count)
        return [place + 1 for place in found]

    def nearest_of(self, rows: Sequence[int], vector: Sequence[float], count: int) -> list[int]:
        """The same among these entries."""
        asked = int.from_bytes(sign_bits(vector), "big")
        return [rows[place] for place in near.nearest([self.codes[n - 1] for n in rows], asked, count)]

    def with_words(
        self, words: Sequence[str], weights: tuple[float, float, float], limit: int | None
    ) -> Iterable[tuple[int, float]]:
        """BM25 of the entries that hold any of these words, the best first; `weights` of title, users' words, the rest."""
        match = " OR ".join(f'"{word}"' for word in words)
        columns = ", ".join(map(str, weights))
        sql = f"SELECT rowid, bm25(fts, {columns}) FROM fts WHERE fts MATCH ? ORDER BY 2 LIMIT ?"  # noqa: S608
        for n, score in self.db.execute(sql, (match, -1 if limit is None else limit)):
            yield n, -score

    def holding(self, words: Sequence[str], rows: Sequence[int]) -> Iterator[tuple[int, str]]:
        """Which of these entries hold which of the words, word by word."""
        sql = f"SELECT rowid FROM fts WHERE fts MATCH ? AND rowid IN ({','.join('?' * len(rows))})"  # noqa: S608
        for word in words:
            yield from ((n, word) for (n,) in self.db.execute(sql, (f'"{word}"', *rows)))

    def current(self) -> bool:
        """Whether it is still what it was when it was opened; a file is."""
        return True

    @property
    def names(self) -> dict[str, dict[int, str]]:
        """Ids of the entries by kind and number."""
        if not self._names:
            for n, name, kind in self.db.execute("SELECT n, id, kind FROM entry"):
                self._names.setdefault(kind, {})[n] = name
        return self._names

    def cosines(self, vector: Sequence[float], codes: near.Codes) -> list[float]:
        """Cosine of a unit vector with int8 codes, brought to the scale of the built-in model."""
        matrix = self._matrix
        found = near.cosines(vector, codes) if matrix is None else matrix.cosines(vector, codes)
        factor, offset = self._scale
        return found if (factor, offset) == (1.0, 0.0) else [factor * cosine + offset for cosine in found]

    def _raw(self) -> bytes:
        (raw,) = self.db.execute("SELECT bits FROM codes").fetchone()
        return bytes(raw)
