"""op_info of the MindSpore profiler: inputs and outputs of an operator as JSON in a cell."""

from __future__ import annotations

import json
import re
from functools import lru_cache

from kb.engine.readers.tensors import MOST_AXES, MOST_TENSORS
from kb.engine.readers.words import clean
from kb.model import Tensor

Tensors = tuple[Tensor, ...]


@lru_cache(maxsize=1024)
def tensors_of(cell: str) -> tuple[Tensors, Tensors]:
    """(inputs, outputs) in the order of their numbers; empty for a damaged cell."""
    try:
        data = json.loads(cell)
    except (ValueError, RecursionError):
        return (), ()
    found: dict[str, dict[int, Tensor]] = {"input": {}, "output": {}}
    for name, about in data.items() if isinstance(data, dict) else ():
        side, _, place = name.rpartition("_")
        if side in found and place.isdecimal() and int(place[:6]) < MOST_TENSORS and isinstance(about, dict):
            found[side][int(place[:6])] = _tensor(about)
    inputs, outputs = (
        tuple(tensor for _, tensor in sorted(found[side].items())) for side in ("input", "output")
    )
    return inputs, outputs


def _tensor(about: dict[str, object]) -> Tensor:
    dtype = clean(str(about.get("data_type", "")), 40).removeprefix("NUMBER_TYPE_")
    layout = clean(str(about.get("format", "")), 40)
    shape = about.get("shape")
    axes = shape.split(",") if isinstance(shape, str) and shape.strip() else shape
    if not isinstance(axes, list):
        return Tensor((), dtype, layout) if shape == "" else Tensor(None, dtype, layout)
    sizes = [_size(axis) for axis in axes[: MOST_AXES + 1]]
    if len(sizes) > MOST_AXES or None in sizes:
        return Tensor(None, dtype, layout)
    return Tensor(tuple(size for size in sizes if size is not None), dtype, layout)


def _size(axis: object) -> int | None:
    if isinstance(axis, int) and not isinstance(axis, bool):
        return axis if abs(axis) < 10**18 else None
    text = axis.strip() if isinstance(axis, str) else ""
    return int(text) if re.fullmatch(r"-?[0-9]{1,18}", text) else None
