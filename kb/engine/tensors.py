"""Tensors out of the words in which write-ups and people give sizes.

`M=768 N=2048 K=6144`, `8192 cubed half`, `[1024,256] x [256,640]`, `8192x8192 float32`, `8388608 elements`,
`B=24 N=5 S=9216 D=64`, `batch 32, dim 2048`. What is not said is not made up: a text without sizes gives no tensors, and an output is derived
only where the operator's class says what it is.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from kb.model import Tensor
from kb.vocabulary.dtypes import ASSUMED, DTYPES
from kb.vocabulary.work_patterns import PRODUCTS

LARGEST_AXIS = 2**31
MAX_ELEMENTS = 2**50
NAMED = re.compile(r"\b([A-Za-z][A-Za-z_]{0,7})\s*=\s*(\d{1,12})\b")
_CUBED = re.compile(r"\b(\d{1,9})\s*(?:cubed|\^3)")
_AXES = re.compile(
    r"(?<![\w.])(\d{1,10}(?:\s*[x×*]\s*\d{1,10})+)(?![\w.])|\[\s*(\d{1,10}(?:\s*,\s*\d{1,10})*)\s*\]"
)
_ELEMENTS = re.compile(r"\b(\d{1,12})\s+elements\b")
# Axes named in words: `batch 32, dim 2048`.
_WORDED = re.compile(
    r"\b(?:batch|rows?|tokens|seq|sequence|length|heads|channels|dim|hidden|width|height) (\d{1,9})\b",
    re.IGNORECASE,
)
# Those that prose names; `double` and `bool` are words of their own there.
_SAID = ("float16", "bfloat16", "float32", "int8", "int32", "int64")
_DTYPES = {word: dtype.name for dtype in DTYPES if dtype.name in _SAID for word in dtype.spellings}
# Classes whose result has the shape of their first input.
_SAME_SHAPE = (
    "elementwise",
    "activation",
    "softmax",
    "norm",
    "fused_norm",
    "logical",
    "compare",
    "scan",
    "rope",
    "dropout",
)


@dataclass(frozen=True, slots=True)
class Sizes:
    """What a text says of an operator's tensors; both empty when it says nothing."""

    inputs: tuple[Tensor, ...] = ()
    outputs: tuple[Tensor, ...] = ()


def read(text: str, pattern: str) -> Sizes:
    """The tensors of an operator of this work pattern, as far as `text` gives them."""
    named = {name.lower(): int(number) for name, number in NAMED.findall(text)}
    dtype = dtype_in(text)
    if pattern.startswith(PRODUCTS):
        found = _product(text, named, dtype)
    elif pattern.startswith("attention"):
        found = _attention(named, dtype)
    elif named:
        found = Sizes()
    else:
        found = Sizes(_plain(text, dtype))
    if any(not _sane(tensor) for tensor in (*found.inputs, *found.outputs)):
        return Sizes()
    return found if found.outputs else Sizes(found.inputs, outputs(found.inputs, pattern))


def outputs(inputs: tuple[Tensor, ...], pattern: str) -> tuple[Tensor, ...]:
    """The result of an operator whose class says that it has the shape of the first input."""
    return inputs[:1] if pattern.startswith(_SAME_SHAPE) else ()


def _product(text: str, named: dict[str, int], dtype: str) -> Sizes:
    if {"m", "n", "k"} <= named.keys():
        return _of(named["m"], named["n"], named["k"], dtype)
    cubed = _CUBED.search(text)
    if cubed:
        size = int(cubed[1])
        return _of(size, size, size, dtype)
    shapes = _shapes(text)
    if len(shapes) == 1 and len(shapes[0]) == 3 and len(set(shapes[0])) == 1:
        return _of(*shapes[0], dtype)
    if len(shapes) == 2 and all(len(shape) == 2 for shape in shapes) and shapes[0][1] == shapes[1][0]:
        (m, k), (_, n) = shapes
        return _of(m, n, k, dtype)
    return Sizes()


def _of(m: int, n: int, k: int, dtype: str) -> Sizes:
    a, b, c = (Tensor(shape, dtype, "ND") for shape in ((m, k), (k, n), (m, n)))
    return Sizes((a, b), (c,))


def _attention(named: dict[str, int], dtype: str) -> Sizes:
    if not {"b", "n", "s", "d"} <= named.keys():
        return Sizes()
    shape = (named["b"], named["n"], named["s"], named["d"])
    return Sizes((Tensor(shape, dtype, "ND"),) * 3, (Tensor(shape, dtype, "ND"),))


def _plain(text: str, dtype: str) -> tuple[Tensor, ...]:
    count = _ELEMENTS.search(text)
    if count:
        return (Tensor((int(count[1]),), dtype, "ND"),)
    found = _shapes(text)[:8]
    worded = tuple(int(number) for number in _WORDED.findall(text))
    if not found and len(worded) > 1:
        found = [
            (math.prod(worded),)
        ]  # how many elements at least; not which axes there are, nor in which order
    return tuple(Tensor(shape, dtype, "ND") for shape in found)


def _shapes(text: str) -> list[tuple[int, ...]]:
    return [
        tuple(int(number) for number in re.findall(r"\d+", by_x or by_comma))
        for by_x, by_comma in _AXES.findall(text)
    ]


def dtype_in(text: str) -> str:
    """The first dtype that a text names, `ASSUMED` when it names none."""
    words = re.findall(r"[a-z]+\d*", text.lower())
    return next((_DTYPES[word] for word in words if word in _DTYPES), ASSUMED.name)


def _sane(tensor: Tensor) -> bool:
    size = 1
    for axis in tensor.shape or ():
        if not 0 < axis <= LARGEST_AXIS:
            return False
        size *= axis
    return size <= MAX_ELEMENTS
