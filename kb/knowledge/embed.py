"""Text to vector with the shipped static model: the mean of its pieces' vectors, in plain Python and exact.

The table holds int8 codes with a whole-number weight a piece. All lanes of a vector are packed into one big integer,
64 bits a lane, so that adding a word is one addition: no numpy, the same bits on every machine. One lane more holds the
sum of the weights.
"""

from __future__ import annotations

import json
import math
import sqlite3
import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from operator import mul
from pathlib import Path
from typing import Protocol

from kb import shipped
from kb.errors import KnowledgeError
from kb.knowledge import tokenizer

FORMAT = 1
_BIAS = 128  # codes are stored as bytes 1..255, so that lanes never go below zero
_CHUNK = 900  # parameters of one SQL statement
_REMEMBERED = 100_000  # words kept while an index is built
_ASKED = 2_000  # words of questions kept, 2 KB each: a server is asked for months

_SIGNS = bytes(ord("1") if 0 < byte < 128 else ord("0") for byte in range(256))  # of int8 codes


class Encoder(Protocol):
    """A search model. `version` goes into every index; `apart`: the text of an entry has one language a line."""

    name: str
    version: str
    dimensions: int
    apart: bool

    def embed(self, text: str) -> list[float]:
        """The unit vector of a query; all zeros when nothing of it is known."""

    def embed_many(self, texts: Iterable[str]) -> Iterable[list[float]]:
        """Unit vectors of entries."""


class Embedder:
    """The static model of one file; `name` and `version` say which, and go into every index made with it."""

    apart = False  # all languages lie in one space, and one sum takes them together

    def __init__(self, path: Path) -> None:
        """Open the model file (read only).

        Raises:
            KnowledgeError: the file is missing, damaged or of another format.
        """
        try:
            self._db = sqlite3.connect(
                f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False
            )
            meta = {k: json.loads(v) for k, v in self._db.execute("SELECT key, value FROM meta")}
            lowest = self._db.execute("SELECT min(score) FROM vocab").fetchone()[0]
        except (sqlite3.Error, ValueError) as fault:
            raise KnowledgeError(
                f"search model unreadable: {fault}", where=str(path), now="install ascend-kb again"
            ) from fault
        if meta.get("format") != FORMAT:
            raise KnowledgeError(
                f"search model has format {meta.get('format')}, expected {FORMAT}",
                where=str(path),
                now="make it again with `make model`",
            )
        self.name: str = meta["name"]
        self.version: str = meta["version"]
        self.dimensions: int = meta["dimensions"]
        self._unknown = lowest - 10.0  # as in the reference tokenizer
        self._words: dict[str, int] = {}  # packed sums of weight * (code + 128), and of the weights
        self._whole: dict[str, tuple[float, int, bytes]] | None = None
        self._scores: dict[str, float] = {}

    def embed(self, text: str) -> list[float]:
        """The unit vector of a text; all zeros when no piece of it is known."""
        lanes = array("Q", self._sum(text))
        bias = _BIAS * lanes.pop()
        values = [lane - bias for lane in lanes]
        length = sum(map(mul, values, values)) ** 0.5
        return [value / length for value in values] if length else [0.0] * self.dimensions

    def embed_many(self, texts: Iterable[str]) -> Iterable[list[float]]:
        """Vectors of many texts; reads the whole table once (about 20 MB of memory)."""
        self._read_whole()
        return map(self.embed, texts)

    def sums(self, texts: Iterable[str]) -> Iterator[bytes]:
        """For each text, in 64 bits each as the machine orders them: the sums of weight * (code + 128) in every
        dimension, then the sum of the weights. `kb.knowledge.bulk` makes codes of them.
        """
        self._read_whole()
        return map(self._sum, texts)

    def split(self, text: str) -> list[str]:
        """The pieces of a text, as the reference tokenizer gives them."""
        found = tokenizer.words(text)
        scores = {piece: row[0] for piece, row in self._rows(tokenizer.candidates(found)).items()}
        return [piece for word in found for piece in tokenizer.split(word, scores, self._unknown)]

    def _read_whole(self) -> None:
        if self._whole is None:
            rows = self._db.execute("SELECT piece, score, weight, vec FROM vocab")
            self._whole = {piece: (score, weight, vec) for piece, score, weight, vec in rows}
            self._scores = {piece: row[0] for piece, row in self._whole.items()}

    def _sum(self, text: str) -> bytes:
        found = tokenizer.words(text)
        try:
            packed = sum(map(self._words.__getitem__, found))
        except KeyError:
            self._learn(found)
            packed = sum(map(self._words.__getitem__, found))
        return packed.to_bytes(8 * self.dimensions + 8, sys.byteorder)

    def _learn(self, found: Sequence[str]) -> None:
        new = set(found).difference(self._words)
        if len(self._words) > (_ASKED if self._whole is None else _REMEMBERED):
            self._words.clear()
            new = set(found)
        if self._whole is None:
            rows = self._rows(tokenizer.candidates(new))
            scores = {piece: row[0] for piece, row in rows.items()}
        else:
            rows, scores = self._whole, self._scores
        packed: dict[str, int] = {}
        for word in new:
            lanes = 0
            for piece in tokenizer.split(word, scores, self._unknown):
                if piece not in rows:
                    continue  # unknown: adds nothing
                _, weight, codes = rows[piece]
                if piece not in packed:
                    packed[piece] = weight * _pack(codes)
                lanes += packed[piece]
            self._words[word] = lanes

    def _rows(self, pieces: set[str]) -> dict[str, tuple[float, int, bytes]]:
        if self._whole is not None:
            return {piece: self._whole[piece] for piece in pieces if piece in self._whole}
        wanted = list(pieces)
        found = {}
        for start in range(0, len(wanted), _CHUNK):
            chunk = wanted[start : start + _CHUNK]
            marks = ",".join("?" * len(chunk))
            sql = f"SELECT piece, score, weight, vec FROM vocab WHERE piece IN ({marks})"  # noqa: S608
            for piece, score, weight, vec in self._db.execute(sql, chunk):
                found[piece] = (score, weight, vec)
        return found


def _pack(codes: bytes) -> int:
    return int.from_bytes(array("Q", iter(codes + b"\1")).tobytes(), sys.byteorder)


def quantise(vector: Sequence[float]) -> tuple[float, bytes]:
    """A vector as int8 codes, and the length of the codes (0 for all zeros): codes / length is the unit vector."""
    largest = max(map(abs, vector))
    if not largest:
        return 0.0, bytes(len(vector))
    codes = array("b", [round(value * 127 / largest) for value in vector])
    return math.hypot(*codes), codes.tobytes()


def sign_bits(vector: Iterable[float]) -> bytes:
    """One bit a dimension, the first the highest: set where the value is above zero."""
    digits = "".join("1" if value > 0 else "0" for value in vector)
    return int(digits, 2).to_bytes((len(digits) + 7) // 8, "big")


def code_bits(codes: bytes) -> bytes:
    """`sign_bits` of int8 codes."""
    return int(codes.translate(_SIGNS), 2).to_bytes((len(codes) + 7) // 8, "big")


def shipped_model() -> Path:
    """Path of the model that comes with `kb`."""
    return shipped.root() / "model" / "static.db"
