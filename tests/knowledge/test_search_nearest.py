"""The nearest codes and the cosines: the same in plain Python, by sorting all, and with numpy."""

from __future__ import annotations

import random
from importlib.util import find_spec

import pytest

from kb.knowledge import nearest

RNG = random.Random(5)


def _counts_bits() -> bool:
    """Whether there is a numpy that counts bits: 2.0 is the first."""
    return find_spec("numpy") is not None and hasattr(__import__("numpy"), "bitwise_count")


COUNTS_BITS = _counts_bits()


def _codes(bits: int, count: int) -> list[int]:
    return [RNG.getrandbits(bits) for _ in range(count)]


def _sorted(codes: list[int], asked: int, count: int) -> list[int]:
    return sorted(range(len(codes)), key=lambda i: ((codes[i] ^ asked).bit_count(), i))[:count]


@pytest.mark.parametrize("bits", [8, 64, 256, 384, 640])
@pytest.mark.parametrize("count", [1, 7, 300, 1000])
def test_the_nearest_are_those_of_a_full_sort(bits: int, count: int) -> None:
    codes = _codes(bits, 500)
    codes[100] = codes[3]
    asked = RNG.getrandbits(bits)
    expected = _sorted(codes, asked, count)
    assert nearest.nearest(codes, asked, count) == expected
    raw = b"".join(code.to_bytes(bits // 8, "big") for code in codes)
    if COUNTS_BITS:
        assert nearest.Matrix(raw, len(codes)).nearest(asked, count) == expected
    else:
        with pytest.raises(ImportError):  # what the search takes as: go on in plain Python
            nearest.Matrix(raw, len(codes))


def test_a_code_opposite_to_the_query_is_no_obstacle() -> None:
    codes = [0, (1 << 256) - 1, 5]
    assert nearest.nearest(codes, 0, 2) == [0, 2]
    assert nearest.nearest([], 0, 2) == []


def test_cosines_with_and_without_numpy() -> None:
    vector = [RNG.uniform(-1, 1) for _ in range(16)]
    length = sum(value * value for value in vector) ** 0.5
    vector = [value / length for value in vector]
    rows = [bytes(RNG.randrange(256) for _ in range(16)) for _ in range(20)] + [bytes(16)]
    signed = [[code - 256 if code > 127 else code for code in row] for row in rows]
    codes = [(sum(c * c for c in row) ** 0.5, raw) for row, raw in zip(signed, rows, strict=True)]
    plain = nearest.cosines(vector, codes)
    assert plain[-1] == 0.0
    own = [
        sum(v * c for v, c in zip(vector, row, strict=True)) / (size or 1)
        for row, (size, _) in zip(signed, codes, strict=True)
    ]
    assert plain == pytest.approx(own, abs=1e-9)
    if not COUNTS_BITS:
        return
    matrix = nearest.Matrix(b"".join(raw[:8] for raw in rows), len(rows))
    assert matrix.cosines(vector, codes) == pytest.approx(plain, abs=1e-9)
    assert matrix.cosines(vector, []) == []
