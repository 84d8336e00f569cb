"""Sizes of a model's inputs: as the user gives them, as the file fixes them, else assumed and said."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from kb.errors import UsageError
from kb.graph.types import Dim, Graph, Model, Shape, Value

PICTURE, SEQUENCE, FRAMES = 224, 128, 16000  # sizes taken where a model leaves them open
MAX_ELEMENTS, MAX_RANK = 1 << 40, 8
_GIVEN = re.compile(
    r"\s*(?P<name>[^:]*?)\s*:\s*[\[(]?\s*(?P<dims>\d{1,12}(?:\s*[,x]\s*\d{1,12})*)\s*[\])]?\s*"
)


def parse_shapes(texts: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """`images:1,3,640,640` to a shape by input name; several may stand in one text behind semicolons, as for ATC.

    Raises:
        UsageError: not of that form, or a size that no tensor has.
    """
    found: dict[str, tuple[int, ...]] = {}
    for part in (part for text in texts for part in text.split(";")):
        match = _GIVEN.fullmatch(part)
        dims = tuple(int(dim) for dim in re.split(r"[,x]", match["dims"])) if match else ()
        if match and dims and math.prod(dims) > MAX_ELEMENTS:
            raise UsageError(
                f"larger than any tensor: {part.strip()[:80]!r}",
                where="--input-shape",
                now=f"write NAME:1,3,640,640 with at most {MAX_ELEMENTS} elements",
            )
        if not match or not match["name"] or len(dims) > MAX_RANK or not 0 < math.prod(dims) <= MAX_ELEMENTS:
            raise UsageError(
                f"not an input shape: {part.strip()[:80]!r}",
                where="--input-shape",
                now="write NAME:1,3,640,640 with sizes above 0",
            )
        found[match["name"]] = dims
    return found


def bind(model: Model, given: Mapping[str, tuple[int, ...]]) -> tuple[Model, tuple[str, ...]]:
    """The model with every input size a number, and one sentence for each size that had to be assumed.

    A symbol keeps one value throughout: where one input's size is given, others of the same symbol follow.

    Raises:
        UsageError: a name that is no input, or a shape of another rank than the file's.
    """
    known = {value.name: value for value in model.graph.inputs}
    symbols: dict[str, int] = {}
    for name, dims in given.items():
        value = known.get(name)
        if value is None:
            raise UsageError(
                f"no input is called {name!r}",
                where="--input-shape",
                now=f"inputs of this model: {', '.join(list(known)[:8]) or 'none'}",
            )
        if value.shape is not None and len(value.shape) != len(dims):
            raise UsageError(
                f"{name} has {len(value.shape)} axes, {len(dims)} were given",
                where="--input-shape",
                now=f"its shape in the file: {_words(value.shape)}",
            )
        for dim, size in zip(value.shape or (), dims, strict=False):
            if isinstance(dim, str):
                symbols.setdefault(dim, size)
    assumed: list[str] = []
    inputs = tuple(_bound(value, given.get(value.name), symbols, assumed) for value in model.graph.inputs)
    values = {name: _filled(value, symbols) for name, value in model.graph.values.items()}
    outputs = tuple(_filled(value, symbols) for value in model.graph.outputs)
    graph: Graph = replace(model.graph, inputs=inputs, values=values, outputs=outputs)
    return replace(model, graph=graph), tuple(assumed)


def _bound(value: Value, given: tuple[int, ...] | None, symbols: dict[str, int], assumed: list[str]) -> Value:
    if given is not None:
        return replace(value, shape=given)
    shape = value.shape
    if shape is None or all(isinstance(dim, int) and dim > 0 for dim in shape):
        return value
    sizes = []
    for axis, dim in enumerate(shape):
        size = symbols.get(dim) if isinstance(dim, str) else dim or None
        if size is None:
            size = _guess(shape, axis, value.dtype)
            if isinstance(dim, str):
                symbols[dim] = size
        sizes.append(size)
    assumed.append(
        f"input {value.name[:60]} is {_words(shape)} in the file and taken as {_words(tuple(sizes))}: "
        f"give --input-shape {value.name[:60]}:... for another size"
    )
    return replace(value, shape=tuple(sizes))


def _guess(shape: Shape, axis: int, dtype: str) -> int:
    """A size for an open axis: batch 1, three channels, the usual edge of a picture, length of a text or a sound."""
    if axis == 0:
        return 1
    if len(shape) >= 4:
        if axis == 1:
            return 3
        return PICTURE
    if len(shape) == 3 and axis == 1 and dtype.startswith("float"):
        return SEQUENCE
    return FRAMES if dtype.startswith("float") and len(shape) == 2 else SEQUENCE


def _filled(value: Value, symbols: Mapping[str, int]) -> Value:
    """An annotated value with symbols replaced by their sizes; what is not certain becomes unknown."""
    if value.shape is None:
        return value
    dims: list[Dim] = [symbols.get(dim) if isinstance(dim, str) else dim for dim in value.shape]
    return replace(value, shape=tuple(dims))


def _words(shape: Shape) -> str:
    return "x".join("?" if dim is None else str(dim)[:24] for dim in shape) or "a scalar"
