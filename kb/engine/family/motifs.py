"""Patterns of several layers that tell families apart: squeeze-excite, attention, windows, decoder skips, tails."""

from __future__ import annotations

import math
from collections import Counter

from kb.engine.family.sizes import CAMERAS
from kb.engine.family.tokens import token
from kb.engine.family.wiring import Wiring
from kb.graph.types import Model, Node, Shape

_ACTIVE = frozenset({"Relu", "LeakyRelu", "PRelu", "Sigmoid", "HardSigmoid", "HardSwish", "Clip", "Mul", "Add", "BatchNormalization", "Tanh", "Elu", "InstanceNormalization", "Erf", "Div", "Pad", "Slice", "Reshape", "Transpose", "Squeeze", "Unsqueeze", "Softmax"})  # fmt: skip
_VIEW = frozenset({"Reshape", "Transpose", "Squeeze", "Unsqueeze", "Flatten", "Slice", "Expand"})
_SOFT = frozenset(
    {
        "Mul",
        "Div",
        "Add",
        "Where",
        "Sub",
        "Reshape",
        "Transpose",
        "Unsqueeze",
        "Squeeze",
        "Clip",
        "Expand",
        "Slice",
        "Tanh",
        "Concat",
    }
)


def motifs(model: Model, wiring: Wiring) -> dict[str, float]:
    """Named counts and yes/no (0 or 1) readings of one graph."""
    found: dict[str, float] = {}
    found.update(_attention(wiring))
    found.update(_decoder(wiring))
    found["squeeze_excite"] = _squeeze_excite(wiring)
    found["windows"] = sum(1 for n in wiring.inputs_of("Transpose") if n.integers("perm") in _WINDOW)
    found["pixel_shuffle"] = sum(1 for n in wiring.inputs_of("Transpose") if n.integers("perm") in _SHUFFLE)
    found["channel_shuffle"] = sum(
        1 for n in wiring.inputs_of("Transpose") if n.integers("perm") == (0, 2, 1, 3, 4)
    )
    found["rotary"] = _rotary(wiring)
    found.update(_concats(wiring))
    found.update(_ends(model, wiring))
    found.update(_scales(wiring, model))
    return found


_WINDOW = {(0, 1, 3, 2, 4, 5), (0, 1, 3, 2, 4)}
_SHUFFLE = {(0, 1, 4, 2, 5, 3), (0, 3, 4, 1, 5, 2)}


def _attention(wiring: Wiring) -> dict[str, float]:
    """Softmax between two products of activations; masked ones add or select in between; cross ones mix sources."""
    blocks = masked = 0
    for node in wiring.inputs_of("Softmax"):
        names = wiring.data_inputs(node)
        before = wiring.back(names[0], _SOFT, 8) if names else None
        after = _ahead(wiring, node, ("MatMul", "Einsum"), 6)
        if before is not None and before.type in ("MatMul", "Einsum", "Gemm") and after:
            blocks += 1
            step = wiring.maker(names[0])
            masked += step is not None and step.type in ("Add", "Where")
    fused = sum(1 for node in wiring.nodes if token(wiring, node) == "attention")
    return {"attention": blocks + fused, "masked_attention": masked}


def _ahead(wiring: Wiring, node: Node, wanted: tuple[str, ...], steps: int) -> bool:
    front = [node]
    for _ in range(steps):
        front = [reader for one in front for reader in wiring.readers(one)][:16]
        if any(one.type in wanted for one in front):
            return True
        front = [one for one in front if one.type in _SOFT or one.type in _VIEW or one.type == "Dropout"]
    return False


def _decoder(wiring: Wiring) -> dict[str, float]:
    """Upsampled maps that meet a skip: by concatenation (U-Net, YOLO neck) or addition (feature pyramid)."""
    joined = added = 0
    for node in wiring.inputs_of("Resize Upsample ConvTranspose"):
        front = [node]
        for _ in range(5):
            readers = [reader for one in front for reader in wiring.readers(one)][:8]
            if any(one.type == "Concat" for one in readers):
                joined += 1
                break
            if any(one.type == "Add" and len(wiring.data_inputs(one)) > 1 for one in readers):
                added += 1
                break
            front = [
                one
                for one in readers
                if one.type in _ACTIVE or one.type in ("Conv", "Sub", "Sqrt", "ReduceMean")
            ]
    return {"up_concat": joined, "up_add": added}


def _squeeze_excite(wiring: Wiring) -> float:
    """Pooled to one value a channel, through layers, to a gate that multiplies."""
    total = 0
    for node in wiring.nodes:
        if token(wiring, node) != "gap":
            continue
        here, layers = node, 0
        for _ in range(12):
            readers = wiring.readers(here)
            if not readers:
                break
            layers += readers[0].type in ("Conv", "Gemm", "MatMul")
            if (
                layers
                and any(r.type == "Mul" and len(wiring.data_inputs(r)) > 1 for r in readers)
                and here.type
                in (
                    "Sigmoid",
                    "HardSigmoid",
                    "Clip",
                    "Div",
                    "Mul",
                    "Reshape",
                    "Unsqueeze",
                    "Expand",
                    "Softmax",
                )
            ):
                total += 1
                break
            here = readers[0]
    return total


def _rotary(wiring: Wiring) -> float:
    """Halves of a head swapped with a sign: Neg joined with its other half."""
    return sum(
        1
        for node in wiring.inputs_of("Neg")
        if any(reader.type in ("Concat", "Unsqueeze") for reader in wiring.readers(node))
    )


def _concats(wiring: Wiring) -> dict[str, float]:
    """Concatenations of two, of more (Inception, CSP), and of what was concatenated before (dense blocks)."""
    wide = dense = 0
    for node in wiring.inputs_of("Concat"):
        names = wiring.data_inputs(node)
        wide += len(names) >= 4
        makers = [wiring.back(name, frozenset({"Relu", "BatchNormalization"}), 2) for name in names]
        dense += any(maker is not None and maker.type == "Concat" for maker in makers)
    return {"wide_concat": wide, "dense_concat": dense}


def _ends(model: Model, wiring: Wiring) -> dict[str, float]:
    found: dict[str, float] = {}
    inputs = [value for value in model.graph.inputs if value.name]
    ranks = [len(value.shape) for value in inputs if value.shape is not None]
    integer = [value for value in inputs if value.dtype in ("int64", "int32")]
    first = next(
        (value for value in inputs if value.shape is not None and value.dtype not in ("int64", "int32")), None
    )
    found["in_ids"] = float(bool(integer) and len(integer) == len(inputs))
    found["in_mixed"] = float(bool(integer) and len(integer) < len(inputs))
    found["in_count"] = min(len(inputs), 6) / 6
    for rank, name in ((3, "in_rank3"), (4, "in_rank4"), (5, "in_rank5")):
        found[name] = float(rank in ranks)
    shape: Shape = first.shape if first is not None and first.shape is not None else ()
    found["in_image"] = float(not integer and len(shape) == 4 and (shape[1] in (1, 3) or shape[3] in (1, 3)))
    found["in_cameras"] = float(len(shape) == 4 and shape[1] == 3 and shape[0] in CAMERAS)
    found["in_latent"] = float(len(shape) == 4 and shape[1] in (4, 8, 9, 16, 32))
    found["in_wide"] = float(len(shape) == 4 and _wide(shape))
    found["in_wave"] = float(len(shape) in (2, 3) and isinstance(shape[-1], int) and shape[-1] >= 4000)
    found.update(_outputs(model, wiring, found["in_image"] > 0))
    return found


def _wide(shape: Shape) -> bool:
    height, width = shape[2], shape[3]
    return (
        isinstance(height, int)
        and height in (32, 48, 64)
        and (not isinstance(width, int) or width >= 2 * height)
    )


def _boxes(shape: Shape) -> bool:
    """Whether a result can be a list of candidate boxes: many rows of a few numbers."""
    sizes = sorted(dim for dim in shape[1:] if isinstance(dim, int))
    return len(shape) == 3 and len(sizes) == 2 and sizes[0] >= 4 and sizes[0] <= 400 and sizes[1] >= 500


def _outputs(model: Model, wiring: Wiring, image: bool) -> dict[str, float]:
    found: dict[str, float] = {}
    outputs = model.graph.outputs
    shapes = [shape for value in outputs if (shape := wiring.of(value.name).shape or value.shape) is not None]
    ranks = Counter(len(shape) for shape in shapes)
    found["out_count"] = min(len(outputs), 8) / 8
    for rank in (2, 3, 4, 5):
        found[f"out_rank{rank}"] = float(ranks[rank] > 0)
    makers = [wiring.back(value.name, _VIEW, 4) for value in outputs]
    for kind in ("Softmax", "Sigmoid", "Tanh", "Concat", "NonMaxSuppression"):
        found[f"out_{kind.lower()}"] = float(
            any(maker is not None and maker.type == kind for maker in makers)
        )
    found["out_softmax"] = max(
        found["out_softmax"], float(any(m is not None and m.type == "LogSoftmax" for m in makers))
    )
    found["out_linear"] = float(any(m is not None and _is_linear(wiring, m) for m in makers))
    found["out_norm"] = float(
        any(m is not None and m.type in ("LayerNormalization", "RMSNormalization") for m in makers)
    )
    found["out_unit"] = float(
        any(m is not None and m.type in ("Div", "LpNormalization") and _unit(wiring, m) for m in makers)
    )
    found["out_scalar"] = float(any(len(shape) <= 2 and shape[-1:] == (1,) for shape in shapes if shape))
    found["out_many_boxes"] = float(image and any(_boxes(shape) for shape in shapes))
    words = [shape[-1] for shape in shapes if len(shape) == 3 and isinstance(shape[-1], int)]
    found["out_vocabulary"] = float(
        any(isinstance(w, int) and w >= 900 for w in words) and found["out_linear"] > 0
    )
    return found


def _unit(wiring: Wiring, node: Node) -> bool:
    """Division by the length of the vector: the tail of an embedding model."""
    makers = [
        wiring.back(name, frozenset({"Expand", "Clip", "Max", "Add", "Sqrt"}), 4)
        for name in wiring.data_inputs(node)[1:]
    ]
    return node.type == "LpNormalization" or any(
        m is not None and m.type in ("ReduceL2", "ReduceSum", "ReduceSumSquare") for m in makers
    )


def _is_linear(wiring: Wiring, node: Node) -> bool:
    if node.type == "Add":
        before = [maker for name in wiring.data_inputs(node) if (maker := wiring.maker(name)) is not None]
        return len(before) == 1 and before[0].type in ("MatMul", "Gemm")
    return node.type in ("Gemm", "MatMul") and len(wiring.data_inputs(node)) == 1


_POOLED = -math.inf  # the scale of what was pooled to one value a channel


def _scales(wiring: Wiring, model: Model) -> dict[str, float]:
    """How far maps shrink and grow: log2 of the size against the input, followed through strides and resizes.

    Works with unknown sizes too, since only strides, scales and blocks are counted.
    """
    scale: dict[str, float] = {}
    deepest = highest = 0.0
    for node in wiring.nodes:
        names = wiring.data_inputs(node)
        known = [scale[name] for name in names if name in scale]
        here = (
            max(known, default=0.0) if node.type in ("Concat", "Add", "Mul") else (known[0] if known else 0.0)
        )
        here = _POOLED if token(wiring, node) == "gap" else here + _step(wiring, node)
        if here == _POOLED and node.type in ("Resize", "Upsample"):
            continue  # one value spread over a map says nothing about the map's size
        if here != _POOLED:
            deepest, highest = min(deepest, here), max(highest, here)
        for name in node.outputs:
            scale[name] = here
    ends = [
        scale[name]
        for value in model.graph.outputs
        if (name := wiring.alias.get(value.name, value.name)) in scale
    ]
    maps = [scale.get(v.name, 0.0) for v in model.graph.outputs if (wiring.of(v.name).rank or 0) >= 4]
    return {
        "deepest": min(-deepest, 6.0) / 6,
        "out_grown": float(bool(maps) and max(maps) > 0.4),
        "out_same": float(bool(maps) and -0.4 <= max(maps) <= 0.4),
        "out_quarter": float(bool(maps) and -3.2 <= max(maps) < -0.4),
        "out_coarse": float(bool(maps) and max(maps) < -3.2),
        "out_scales": min(len({round(end) for end in ends if end != _POOLED}), 6) / 6,
        "grown": min(highest, 8.0) / 8,
    }


def _step(wiring: Wiring, node: Node) -> float:
    if node.type in ("Conv", "MaxPool", "AveragePool"):
        strides = node.integers("strides")
        return -math.log2(max(strides[-1], 1)) if strides else 0.0
    if node.type == "ConvTranspose":
        strides = node.integers("strides")
        return math.log2(max(strides[-1], 1)) if strides else 0.0
    if node.type == "DepthToSpace":
        return math.log2(max(node.integer("blocksize", 1), 1))
    if node.type in ("Resize", "Upsample"):
        return _resized(wiring, node)
    return 0.0


def _resized(wiring: Wiring, node: Node) -> float:
    before, after = wiring.input(node, 0).shape, wiring.of(node.outputs[0]).shape
    if (
        before
        and after
        and isinstance(before[-1], int)
        and isinstance(after[-1], int)
        and before[-1]
        and after[-1]
    ):
        return math.log2(after[-1] / before[-1])
    for name in node.inputs[1:3]:
        values = wiring.of(name).values
        last = values[-1] if values and len(values) > 2 else None
        if isinstance(last, (int, float)) and 0 < last < math.inf:
            return math.log2(last)
    return 1.0
