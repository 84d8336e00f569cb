"""Which operators are walked over how, and which cannot be estimated and why."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from kb import operators
from kb.engine.estimate import cube, moves, vector
from kb.engine.estimate.geometry import Product, broadcast_shape, matrix_product
from kb.engine.estimate.load import Load, NoLoad, largest
from kb.engine.estimate.spec import OpSpec, elements
from kb.engine.estimate.unfold import convolution_product
from kb.engine.metrics.work import dtype_bytes
from kb.model import Tensor
from kb.targets import Target
from kb.vocabulary.work_patterns import PRODUCTS

Outputs = Callable[[OpSpec], Tensor | None]


@dataclass(frozen=True, slots=True)
class Walk:
    """A way to walk over the data: its name (the coarse class of constants), terms, and outputs where none are given."""

    name: str
    kind: str  # "vector" or "cube": the constants that stand in for a class without its own
    load: Callable[[OpSpec, Target], Load]
    outputs: Outputs


def _as_largest(spec: OpSpec) -> Tensor | None:
    return largest(spec.present_inputs)


def _broadcast(spec: OpSpec) -> Tensor | None:
    shaped = [t for t in spec.present_inputs if t.shape is not None]
    shape = broadcast_shape([t.shape or () for t in shaped])
    return Tensor(shape, largest(shaped).dtype)


def _unknown(_: OpSpec) -> Tensor | None:
    raise NoLoad("the output shape is needed for this operator")


def _nothing(_: OpSpec) -> Tensor | None:
    return None


def _joined(spec: OpSpec) -> Tensor | None:
    parts = [t for t in spec.present_inputs if t.shape and t.dtype == spec.present_inputs[0].dtype]
    first = parts[0].shape if parts else None
    if not first:
        raise NoLoad("the output shape is needed for this operator")
    row = math.prod(first[1:])
    return Tensor((sum(map(elements, parts)) // max(row, 1), *first[1:]), parts[0].dtype)


def _picked(spec: OpSpec) -> Tensor | None:
    table = next((t for t in spec.present_inputs if t.shape), largest(()))
    index = next((t for t in spec.present_inputs[1:] if "INT" in t.dtype.upper() and t.shape), None)
    if index is None or index.shape is None or not table.shape:
        raise NoLoad("the output shape is needed for this operator")
    shape = index.shape if len(index.shape) == len(table.shape) else (*index.shape, *table.shape[1:])
    return Tensor(shape, table.dtype)


def _of_product(product: Product | None, spec: OpSpec) -> Tensor | None:
    if product is None:
        return None
    return Tensor((product.batch, product.m, product.n), largest(spec.present_inputs).dtype)


def _product(spec: OpSpec) -> Tensor | None:
    return _of_product(matrix_product(spec), spec)


def _map(spec: OpSpec) -> Tensor | None:
    return _of_product(convolution_product(spec), spec)


_ELEMENTWISE = Walk("elementwise", "vector", vector.elementwise, _broadcast)
_ROWS = Walk("rows", "vector", vector.rows, _as_largest)
_CHANNELS = Walk("channels", "vector", vector.channels, _as_largest)
_REDUCE = Walk("reduce", "vector", vector.reduction, _nothing)
_POOL = Walk("pool", "vector", vector.pool, _as_largest)
_PART = Walk("part", "vector", moves.part, _unknown)
_TRANSPOSE = Walk("transpose", "vector", moves.transpose, _as_largest)
_FORMAT = Walk("format", "vector", moves.conversion, _as_largest)
_GATHER = Walk("gather", "vector", moves.gather, _picked)
_SCATTER = Walk("scatter", "vector", moves.scatter, _nothing)
_FILL = Walk("fill", "vector", moves.fill, _nothing)
_CLEAR = Walk("clear", "vector", moves.clear, _nothing)
_MATMUL = Walk("product", "cube", cube.matmul, _product)
_GROUPED = Walk("product", "cube", cube.grouped, _nothing)
_CONV = Walk("convolution", "cube", cube.convolution, _map)
_DEPTHWISE = Walk("depthwise", "cube", cube.convolution, _as_largest)
_CONV_DX = Walk("gradient_input", "cube", cube.gradient_input, _unknown)
_CONV_DW = Walk("gradient_filter", "cube", cube.gradient_filter, _unknown)
_ATTENTION = Walk("attention", "cube", cube.attention, _as_largest)

_BY_PATTERN: dict[str, Walk] = {
    **dict.fromkeys(
        (
            "elementwise", "elementwise_binary", "elementwise_nary", "elementwise_grad", "elementwise_transcendental",
            "elementwise_gated", "cast", "logical", "compare", "select", "optimizer", "dropout", "rope", "foreach", "resize",
        ),
        _ELEMENTWISE,
    ),
    **dict.fromkeys(("softmax", "fused_norm", "norm_grad", "quant", "moe", "loss", "sort"), _ROWS),
    **dict.fromkeys(("reduce", "reduce_index"), _REDUCE),
    **dict.fromkeys(("pool", "pool_resize", "pool_grad"), _POOL),
    **dict.fromkeys(("fill_copy", "status", "kv_cache", "random_engine"), _FILL),
    **dict.fromkeys(PRODUCTS, _MATMUL),
    "norm": _CHANNELS, "copy": _PART, "transpose": _TRANSPOSE, "format": _FORMAT, "gather": _GATHER, "scatter": _SCATTER,
    "grouped_matmul": _GROUPED, "conv2d": _CONV, "conv2d_dx": _CONV_DX, "conv2d_dw": _CONV_DW, "attention": _ATTENTION,
}  # fmt: skip

# Types whose pattern in the operator tables names what they compute, not how they walk over the data.
_BY_TYPE: dict[str, tuple[str, Walk]] = {
    **dict.fromkeys(("LogSoftmax", "LogSoftmaxGrad", "ConfusionSoftmaxGrad"), ("softmax", _ROWS)),
    **dict.fromkeys(("SigmoidCrossEntropyWithLogits", "SigmoidCrossEntropyWithLogitsGrad"), ("elementwise", _ELEMENTWISE)),
    **dict.fromkeys(("ResizeNearestNeighbor", "ResizeNearestNeighborGrad"), ("resize", _ELEMENTWISE)),
    **dict.fromkeys(("BNInfer", "BNInference"), ("elementwise", _ELEMENTWISE)),
    "AtomicAddrClean": ("clear", _CLEAR),
    "DepthwiseConv2D": ("depthwise", _DEPTHWISE), "Conv3D": ("conv3d", _CONV), "Conv2DBackpropInput": ("conv2d_dx", _CONV_DX), "FusedDbnDw": ("conv2d_dw", _CONV_DW),
    "MHA": ("attention", _ATTENTION), "GQA": ("attention", _ATTENTION),
}  # fmt: skip

_NOT_MODELLED = {
    "communication": "communication waits for other ranks; its time does not follow from shapes",
    "aicpu": "runs where the data decide how much there is to do",
}
_RECURRENT = re.compile(r"LSTM|GRU|(?<![A-Z])RNN")
_JOINED = frozenset({"Concat", "ConcatD", "Pack", "Stack"})


@dataclass(frozen=True, slots=True)
class Placed:
    """A call placed in the classes of the constants: `keys` from coarse to fine, the last one naming the operator."""

    load: Load
    keys: tuple[str, ...]
    walk: str


def place(spec: OpSpec, target: Target) -> Placed:
    """Terms and classes of a call.

    Raises:
        NoLoad: no class fits, or the shapes do not say enough; the text is the reason.
    """
    op_type = spec.type.partition("(")[
        0
    ]  # some tables put a kernel's origin behind its type: MatMul(catlass)
    plain = operators.canonical(op_type)
    pattern, walk = _walk_of(op_type, plain)
    if not spec.present_inputs and not spec.present_outputs:
        raise NoLoad("no shapes are given")
    assumed: tuple[str, ...] = ()
    if not spec.present_outputs:
        made = _joined(spec) if plain in _JOINED else walk.outputs(spec)
        if made is not None:
            spec, assumed = replace(spec, outputs=(made,)), ("output shape inferred from the inputs",)
    if any(t.shape and dtype_bytes(t.dtype) is None for t in spec.present_inputs):
        assumed += ("a dtype is missing or unknown: counted as 4 bytes an element",)
    load = walk.load(replace(spec, outputs=_completed(spec)), target)
    load = replace(load, assumed=assumed + load.assumed)
    name = op_type if op_type.startswith("FusionOp_") else plain
    return Placed(load, _keys(walk.kind, walk.name, pattern, name, load.variant), walk.name)


def _completed(spec: OpSpec) -> tuple[Tensor, ...]:
    """Outputs with dtype and layout where the table leaves them out: those of the largest input, if the blocks fit."""
    like = largest(spec.present_inputs)
    done = []
    for tensor in spec.outputs:
        shape, form = tensor.shape or (), tensor.format
        if not form and len(shape) == len(like.shape or ()) and shape[-1:] == (like.shape or ())[-1:]:
            form = like.format
        done.append(replace(tensor, dtype=tensor.dtype or like.dtype, format=form))
    return tuple(done)


def _keys(kind: str, walk: str, pattern: str, name: str, variant: str) -> tuple[str, ...]:
    ending = f": {variant}" if variant else ""
    return tuple(dict.fromkeys((f"any {kind}", walk, pattern, pattern + ending, name + ending)))


def _walk_of(op_type: str, plain: str) -> tuple[str, Walk]:
    if plain in _BY_TYPE:
        return _BY_TYPE[plain]
    pattern = operators.pattern(op_type)
    if pattern in _BY_PATTERN:
        return pattern, _BY_PATTERN[pattern]
    category = operators.category(op_type)
    if category in _NOT_MODELLED:
        raise NoLoad(_NOT_MODELLED[category])
    if _RECURRENT.search(op_type):
        raise NoLoad("a recurrent layer runs step after step and has no cost model: time it on the device")
    if pattern == "nms":
        raise NoLoad(
            "how many boxes are compared depends on the data: time it on the device with real inputs"
        )
    if pattern is None:
        raise NoLoad(f"unknown operator type {op_type[:80]}: what it computes is not known")
    raise NoLoad(f"no cost model for operators of the kind {pattern}")


def patterns() -> Sequence[str]:
    """Patterns of the operator tables that have a cost class."""
    return tuple(_BY_PATTERN)


def walks() -> frozenset[str]:
    """Names of all ways of walking over the data."""
    return frozenset(walk.name for walk in (*_BY_PATTERN.values(), *(walk for _, walk in _BY_TYPE.values())))
