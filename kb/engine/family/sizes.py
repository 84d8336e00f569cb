"""What the shapes of operators tell about a network: how far maps shrink, how large results are, what goes in.

The same readings from a graph and from a profile with shapes (op_summary, kernel_details), so that both can be compared
with one table. Without shapes there are no readings.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kb import operators
from kb.engine.family.tokens import token
from kb.engine.family.wiring import Wiring
from kb.graph.types import Shape
from kb.model import Operator, Tensor

PREFIX = "size:"
CAMERAS = (5, 6, 7)  # pictures of a car at once; batches are powers of two
_KINDS = {
    "conv1": "conv", "conv3": "conv", "conv5": "conv", "conv_strip": "conv", "patchify": "conv", "gconv": "conv",
    "conv1d": "conv", "dw": "conv", "dw7": "conv", "conv3d": "conv", "tconv": "up", "resize": "up", "shuffle": "up",
    "linear": "product", "rnn": "rnn",
}  # fmt: skip
_TYPES = {
    "Conv2D": "conv", "DepthwiseConv2D": "conv", "Conv3D": "conv", "Conv2DTranspose": "up", "Deconvolution": "up",
    "ResizeBilinear": "up", "ResizeNearestNeighbor": "up", "Resize": "up", "DepthToSpace": "up", "MatMul": "product",
    "FullyConnection": "product", "BatchMatMul": "product", "DynamicRNN": "rnn", "TransData": "plain",
}  # fmt: skip
Sizes = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Sized:
    """One operator with its first input, weight and first output, as plain NCHW (or matrix) sizes; empty: unknown."""

    kind: str
    data: Sizes
    weight: Sizes
    out: Sizes


def of_graph(wiring: Wiring) -> Iterator[Sized]:
    """The operators of a graph that shapes tell something about."""
    for node in wiring.nodes:
        kind = _KINDS.get(token(wiring, node))
        if kind:
            names = [*node.inputs, "", ""]
            yield Sized(
                kind, *(_numbers(wiring.of(name).shape) for name in (names[0], names[1], node.outputs[0]))
            )


def of_profile(found: Iterable[Operator]) -> Iterator[Sized]:
    """The same of a profile; a conversion from NCHW shows the sizes that its blocks hide."""
    for operator in found:
        kind = _TYPES.get(operators.canonical(operator.type or ""))
        if kind == "plain" and not (operator.inputs and operator.inputs[0].format == "NCHW"):
            continue
        if kind and operator.inputs and operator.outputs:
            weight = operator.inputs[1] if len(operator.inputs) > 1 else Tensor(None)
            yield Sized(
                kind, *(_plain(tensor) for tensor in (operator.inputs[0], weight, operator.outputs[0]))
            )


def readings(found: Iterable[Sized]) -> dict[str, float]:
    """Yes/no and ratio readings, named `size:...`; empty when no operator has shapes."""
    all_ = [item for item in found if item.data and item.out]
    if not all_:
        return {}
    plain = [item for item in all_ if item.kind == "plain" and len(item.data) == 4]
    all_ = [item for item in all_ if item.kind != "plain"]
    maps = [item for item in all_ if item.kind == "conv" and len(item.data) >= 4]
    widths = [item.data[-1] for item in maps if item.data[-1] > 1]
    largest = max(widths, default=0)
    up = max((item.out[-1] for item in all_ if item.kind == "up" and len(item.out) >= 4), default=0)
    seen = [*plain, *maps]  # of equal sizes the plain one counts, whose channels are not filled up
    first = max(seen, key=lambda item: math.prod(item.data[2:]), default=None) if maps else None
    products = [item for item in all_ if item.kind == "product" and len(item.weight) >= 2]
    values = {
        "deepest": min(math.log2(largest / min(widths)), 6) / 6 if widths else 0.0,
        "picture": float(any(item.data[1] in (1, 3) for item in seen)),
        "cameras": float(any(item.data[1] == 3 and item.data[0] in CAMERAS for item in seen)),
        "latent": float(first is not None and first.data[1] in (4, 8, 9, 16, 32)),
        "wide": float(first is not None and first.data[-2] > 1 and first.data[-1] >= 2 * first.data[-2]),
        "wave": float(any(item.kind == "conv" and item.data[-1] >= 4000 for item in all_)),
        "frames": float(any(item.kind in ("rnn", "conv") and len(item.data) == 3 for item in all_)),
        "up_grown": float(bool(largest) and up > 1.2 * largest),
        "up_full": float(bool(largest) and 0.8 * largest <= up <= 1.2 * largest),
        "up_part": float(bool(largest) and 0 < up < 0.8 * largest),
        "vocabulary": float(any(item.out[-1] >= 900 and math.prod(item.out[:-1]) > 1 for item in products)),
        "head": float(any(math.prod(item.out[:-1]) == 1 and item.out[-1] >= 2 for item in products)),
        "known": 1.0,
    }
    return {f"{PREFIX}{name}": round(value, 4) for name, value in values.items() if value}


def _numbers(shape: Shape | None) -> Sizes:
    found = tuple(dim for dim in shape or () if isinstance(dim, int))
    return found if shape and len(found) == len(shape) and all(found) else ()


def _plain(tensor: Tensor) -> Sizes:
    """Sizes as NCHW or matrix: blocks joined again (filled up to whole ones), NHWC turned, fractal filters left out."""
    shape = tensor.shape or ()
    if tensor.format == "NC1HWC0" and len(shape) == 5:
        return (shape[0], shape[1] * shape[4], shape[2], shape[3])
    if tensor.format == "NHWC" and len(shape) == 4:
        return (shape[0], shape[3], shape[1], shape[2])
    if tensor.format == "FRACTAL_NZ" and len(shape) >= 4:
        columns, rows = shape[-4:-2]  # a single block of rows holds one as well as sixteen: taken as one
        return (*shape[:-4], rows * shape[-2] if rows > 1 else 1, columns * shape[-1])
    if tensor.format.startswith("FRACTAL"):
        return ()
    return shape if all(dim > 0 for dim in shape) else ()
