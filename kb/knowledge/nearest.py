"""Nearness of entries to a query, by bit codes and exactly: in plain Python, or by numpy in a process that goes on asking.

Both ways give the same entries in the same order.
"""

from __future__ import annotations

import heapq
import math
import re
from array import array
from collections.abc import Sequence
from typing import Any

LARGE = 5_000  # codes from which numpy is worth loading
PATIENT = 3  # queries after which a process is taken to go on asking
_ARROW = 1000.0  # length given to the query's vector, near that of int8 codes

Codes = Sequence[tuple[float, bytes]]  # length of the int8 codes, and the codes


def nearest(codes: Sequence[int], asked: int, count: int) -> list[int]:
    """Places of the `count` codes that differ least from `asked` in bits; of equal ones the first."""
    distances = list(map(int.bit_count, map(asked.__xor__, codes)))
    try:
        raw = bytes(distances)
    except ValueError:  # a code longer than 255 bits, and the opposite of the query
        return heapq.nsmallest(count, range(len(distances)), key=distances.__getitem__)
    limit, held = 0, raw.count(0)
    while held < count and limit < 255:
        limit += 1
        held += raw.count(limit)
    within = re.compile(b"[\\x00-" + (b"\\x%02x" % limit) + b"]")
    found = sorted((match.start() for match in within.finditer(raw)), key=raw.__getitem__)
    return found[:count]


def cosines(vector: Sequence[float], codes: Codes) -> list[float]:
    """Cosine of a unit vector with each of these; 0 where either is all zeros.

    It is taken from the distance of the two arrows, which `math.dist` computes in C: for arrows of lengths a and b at
    distance d it is (a^2 + b^2 - d^2) / 2ab.
    """
    asked = tuple(_ARROW * value for value in vector)
    length = math.hypot(*asked)
    found = []
    for own, vec in codes:
        if not (length and own):
            found.append(0.0)
            continue
        apart = math.dist(asked, array("b", vec))
        found.append((length * length + own * own - apart * apart) / (2 * length * own))
    return found


class Matrix:
    """All codes in one numpy array, 8 bytes a word."""

    def __init__(self, raw: bytes, size: int) -> None:
        """`raw`: the codes one after another, each of the same number of bytes.

        Raises:
            ImportError: there is no numpy, or one without `bitwise_count`.
        """
        import numpy as np
        from numpy import bitwise_count

        self._count: Any = bitwise_count
        width = len(raw) // size
        padded = np.zeros((size, -(-width // 8) * 8), np.uint8)
        padded[:, :width] = np.frombuffer(raw, np.uint8).reshape(size, width)
        self._words = [np.ascontiguousarray(column) for column in padded.view(np.uint64).T]
        self._width = width
        self._np: Any = np

    def nearest(self, asked: int, count: int) -> list[int]:
        """As the function `nearest`."""
        np = self._np
        code = np.zeros(8 * len(self._words), np.uint8)
        code[: self._width] = np.frombuffer(asked.to_bytes(self._width, "big"), np.uint8)
        distances = np.zeros(len(self._words[0]), np.uint16)
        for column, word in zip(self._words, code.view(np.uint64), strict=True):
            distances += self._count(column ^ word)
        limit = np.partition(distances, min(count, len(distances)) - 1)[min(count, len(distances)) - 1]
        found = np.flatnonzero(distances <= limit)
        return [int(n) for n in found[np.argsort(distances[found], kind="stable")][:count]]

    def cosines(self, vector: Sequence[float], codes: Codes) -> list[float]:
        """As the function `cosines`."""
        np = self._np
        if not codes:
            return []
        rows = np.frombuffer(b"".join(vec for _, vec in codes), np.int8).reshape(len(codes), -1)
        lengths = np.array([own or 1.0 for own, _ in codes])
        found: list[float] = ((rows.astype(np.float64) @ np.array(vector)) / lengths).tolist()
        return found
