"""Codes of thousands of texts at a time: what `embed.quantise` gives for each, by numpy and to the last bit.

Every step rounds as in plain Python: whole numbers below 2**53 are exact, one division and one product round alike, and
the two lengths are left to Python. Loaded by large builds only.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np

_BIAS = 128
_ROWS = 500  # texts at a time, a few MB


def codes(sums: Iterable[bytes], dimensions: int) -> Iterator[tuple[float, bytes]]:
    """Length of the int8 codes and the codes, for each row of `Embedder.sums`; zeros where nothing is known."""
    rows = iter(sums)
    while held := list(islice(rows, _ROWS)):
        lanes = np.frombuffer(b"".join(held), np.uint64).reshape(len(held), dimensions + 1).astype(np.int64)
        values = lanes[:, :-1] - _BIAS * lanes[:, -1:]
        yield from map(_one, values, _lengths(values))


def _lengths(values: np.ndarray) -> list[float]:
    """Length of each row, from its exact sum of squares."""
    highest = int(np.abs(values).max())
    if highest * highest * values.shape[1] < 1 << 63:
        return [total**0.5 for total in (values * values).sum(axis=1).tolist()]
    return [sum(value * value for value in row) ** 0.5 for row in values.tolist()]


def _one(values: np.ndarray, length: float) -> tuple[float, bytes]:
    if not length:
        return 0.0, bytes(len(values))
    unit = values / length
    found = np.rint(unit * 127 / np.abs(unit).max()).astype(np.int8)
    return math.hypot(*found.tolist()), found.tobytes()
