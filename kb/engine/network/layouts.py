"""In which layout each value lies on the device, and the conversions (TransData) between layouts.

Convolutions and pools work on NC1HWC0 (channels in blocks of 16, of 32 for int8) on every chip but the 950; products
work on FRACTAL_NZ (blocks of 16 x 16) on chips whose cores hold cube and vector. Seen in the public traces of both kinds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from kb.engine.metrics.work import dtype_bytes
from kb.engine.network.types import Call
from kb.graph.known import Known
from kb.model import Tensor
from kb.vocabulary.dtypes import dtype_of

PLAIN, BLOCKED, FRACTAL = "ND", "NC1HWC0", "FRACTAL_NZ"
BLOCK = 16


def device_dtype(dtype: str, *, half: bool) -> str:
    """The dtype on the device as profilers write it; `half` is a conversion that forces float16."""
    if half and dtype in ("float32", "float64"):
        return "FLOAT16"
    known = dtype_of(dtype)
    return known.device if known and known.device else dtype.upper()


def sizes(known: Known) -> tuple[int, ...] | None:
    """The shape when every size is known."""
    found = tuple(dim for dim in known.shape or () if isinstance(dim, int))
    return None if known.shape is None or len(found) != len(known.shape) else found


def tensor(shape: tuple[int, ...] | None, dtype: str, layout: str = PLAIN) -> Tensor:
    """A tensor of logical sizes as it lies in a layout."""
    if shape is None:
        return Tensor(None)
    if layout == BLOCKED and len(shape) == 4:
        block = 32 if dtype_bytes(dtype) == 1 else BLOCK
        batch, channels, height, width = shape
        return Tensor((batch, math.ceil(channels / block), height, width, block), dtype, BLOCKED)
    if layout == FRACTAL and len(shape) >= 2:
        rows, columns = (math.ceil(size / BLOCK) for size in shape[-2:])
        return Tensor((*shape[:-2], columns, rows, BLOCK, BLOCK), dtype, FRACTAL)
    return Tensor(shape, dtype, "NCHW" if len(shape) == 4 else PLAIN)


@dataclass(slots=True)
class Layouts:
    """Where each value lies; asked for another layout, it adds the conversion once."""

    calls: list[Call]
    at: dict[str, list[str]] = field(default_factory=dict)

    def of(self, name: str) -> str:
        """The layout that a value was made in; inputs of the network are plain."""
        return self.at.get(name, [PLAIN])[0]

    def made(self, name: str, layout: str) -> None:
        """Note the layout that a value was made in."""
        self.at[name] = [layout]

    def bring(self, name: str, shape: tuple[int, ...] | None, dtype: str, layout: str) -> Tensor:
        """The value in a layout; conversions between the two blocked layouts go over the plain one."""
        found = self.at.setdefault(name, [PLAIN])
        if layout in found or shape is None or not _possible(shape, layout):
            return tensor(shape, dtype, layout if layout in found else found[0])
        for step in _steps(found, layout):
            source, result = (tensor(shape, dtype, where) for where in (step[0], step[1]))
            self.calls.append(Call("TransData", f"TransData_{name[:60]}", (source,), (result,)))
            found.append(step[1])
        return tensor(shape, dtype, layout)


def _steps(found: Sequence[str], layout: str) -> list[tuple[str, str]]:
    if PLAIN in found:
        return [(PLAIN, layout)]
    if layout == PLAIN:
        return [(found[0], PLAIN)]
    return [(found[0], PLAIN), (PLAIN, layout)]


def _possible(shape: tuple[int, ...], layout: str) -> bool:
    return (
        layout == PLAIN or (layout == BLOCKED and len(shape) == 4) or (layout == FRACTAL and len(shape) >= 2)
    )
