"""What layers make of their inputs: convolutions, pools, products, reductions, recurrent layers, detection operators."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from kb.graph.known import Known, Rule, axes_of, broadcast, integers, table
from kb.graph.types import Dim, Node, Shape


def _sliding(node: Node, size: Dim, axis: int, kernel: int) -> Dim:
    """Length of one spatial axis after a window (convolution or pooling)."""
    if not isinstance(size, int):
        return None
    strides, pads, dilations = node.integers("strides"), node.integers("pads"), node.integers("dilations")
    stride = strides[axis] if strides else 1
    reach = (dilations[axis] if dilations else 1) * (kernel - 1) + 1
    mode = node.text("auto_pad", "NOTSET")
    if mode.startswith("SAME"):
        return -(-size // stride)
    padded = size if mode == "VALID" or not pads else size + pads[axis] + pads[axis + len(pads) // 2]
    if node.integer("ceil_mode"):
        return -(-(padded - reach) // stride) + 1
    return (padded - reach) // stride + 1


def _conv(node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    data, weight = ins[0], ins[1]
    kernel = node.integers("kernel_shape") or _numbers(weight.shape, 2)
    if data.shape is None or weight.shape is None or kernel is None:
        return [Known(data.dtype)]
    spatial = [_sliding(node, size, i, kernel[i]) for i, size in enumerate(data.shape[2:])]
    return [Known(data.dtype, (data.shape[0], weight.shape[0], *spatial))]


def _conv_transpose(node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    data, weight = ins[0], ins[1]
    kernel = node.integers("kernel_shape") or _numbers(weight.shape, 2)
    if data.shape is None or weight.shape is None or kernel is None or len(weight.shape) < 2:
        return [Known(data.dtype)]
    count = len(data.shape) - 2
    strides = node.integers("strides") or (1,) * count
    pads = node.integers("pads") or (0,) * 2 * count
    extra = node.integers("output_padding") or (0,) * count
    dilations = node.integers("dilations") or (1,) * count
    wanted = node.integers("output_shape")
    spatial: list[Dim] = []
    for i, size in enumerate(data.shape[2:]):
        if wanted:
            spatial.append(wanted[i - count])
        elif not isinstance(size, int):
            spatial.append(None)
        elif node.text("auto_pad", "NOTSET").startswith("SAME"):
            spatial.append(size * strides[i])
        else:
            reach = dilations[i] * (kernel[i] - 1) + 1
            spatial.append(strides[i] * (size - 1) + extra[i] + reach - pads[i] - pads[i + count])
    channels = weight.shape[1]
    out = channels * node.integer("group", 1) if isinstance(channels, int) else None
    return [Known(data.dtype, (data.shape[0], out, *spatial))]


def _pool(node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    data, kernel = ins[0], node.integers("kernel_shape")
    if data.shape is None or kernel is None:
        return [Known(data.dtype)]
    spatial = [_sliding(node, size, i, kernel[i]) for i, size in enumerate(data.shape[2:])]
    shape = (*data.shape[:2], *spatial)
    return [Known(data.dtype, shape), Known("int64", shape)]


def _global_pool(_node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    shape = ins[0].shape
    return [Known(ins[0].dtype, None if shape is None else (*shape[:2], *(1 for _ in shape[2:])))]


def _gemm(node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    left, right = ins[0].shape, ins[1].shape
    if left is None or right is None:
        return [Known(ins[0].dtype)]
    rows = left[1] if node.integer("transA") else left[0]
    columns = right[0] if node.integer("transB") else right[1]
    return [Known(ins[0].dtype, (rows, columns))]


def _matmul(_node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    left, right = ins[0].shape, ins[1].shape
    if not left or not right:
        return [Known(ins[0].dtype)]
    batch = broadcast([left[:-2], right[:-2]])
    tail = ((left[-2],) if len(left) > 1 else ()) + ((right[-1],) if len(right) > 1 else ())
    return [Known(ins[0].dtype, None if batch is None else (*batch, *tail))]


def _einsum(node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    equation = node.text("equation").replace(" ", "")
    left, arrow, right = equation.partition("->")
    sizes: dict[str, Dim] = {}
    for term, known in zip(left.split(","), ins, strict=True):
        if known.shape is None or "." in term or len(term) != len(known.shape):
            return [Known(ins[0].dtype)]
        sizes.update(zip(term, known.shape, strict=True))
    return [Known(ins[0].dtype, tuple(sizes[letter] for letter in right) if arrow else None)]


def _reduce(node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    data = ins[0]
    dtype = "int64" if node.type.startswith("Arg") else data.dtype
    if data.shape is None:
        return [Known(dtype)]
    rank = len(data.shape)
    keep = node.integer("keepdims", 1)
    axes = [node.integer("axis") % rank] if node.type.startswith("Arg") else axes_of(node, ins, 1, rank)
    if axes is None:
        return [Known(dtype, (None,) * rank if keep else None)]
    if not axes:
        if node.integer("noop_with_empty_axes"):
            return [replace(data, values=None)]
        axes = list(range(rank))
    shape = tuple(1 if i in axes else dim for i, dim in enumerate(data.shape) if keep or i not in axes)
    values = None
    listed = integers(data)
    if node.type == "ReduceProd" and listed is not None and rank == 1:
        values = (math.prod(listed),)
    return [Known(dtype, shape, values)]


def _top_k(node: Node, ins: list[Known], opset: int) -> Sequence[Known]:
    shape = ins[0].shape
    if shape is None:
        return [Known(ins[0].dtype), Known("int64")]
    count = [node.integer("k")] if opset and opset < 10 else integers(ins[1])
    axis = node.integer("axis", -1) % len(shape)
    out = (*shape[:axis], count[0] if count else None, *shape[axis + 1 :])
    return [Known(ins[0].dtype, out), Known("int64", out)]


def _one_hot(node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    shape, depth = ins[0].shape, integers(ins[1])
    if shape is None:
        return [Known(ins[2].dtype)]
    axis = node.integer("axis", -1)
    axis = axis + len(shape) + 1 if axis < 0 else axis
    return [Known(ins[2].dtype, (*shape[:axis], depth[0] if depth else None, *shape[axis:]))]


def _recurrent(node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    data = ins[0].shape
    hidden: Dim = node.integer("hidden_size") or None
    ways = 2 if node.text("direction") == "bidirectional" else 1
    if data is None or len(data) != 3:
        return [Known(ins[0].dtype)] * 3
    steps, batch = (data[1], data[0]) if node.integer("layout") else (data[0], data[1])
    state = Known(ins[0].dtype, (ways, batch, hidden))
    return [Known(ins[0].dtype, (steps, ways, batch, hidden)), state, state]


def _roi_align(node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    data, rois = ins[0].shape, ins[1].shape
    size = (node.integer("output_height", 1), node.integer("output_width", 1))
    return [Known(ins[0].dtype, (rois[0] if rois else None, data[1] if data else None, *size))]


def _grid_sample(_node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    data, grid = ins[0].shape, ins[1].shape
    return [Known(ins[0].dtype, None if data is None or grid is None else (*data[:2], *grid[1:-1]))]


def _non_zero(_node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    return [Known("int64", (ins[0].rank, None))]


def _boxes(_node: Node, _ins: list[Known], _opset: int) -> Sequence[Known]:
    return [Known("int64", (None, 3))]


def _quantize(_node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    dtype = ins[2].dtype if len(ins) > 2 else "uint8"
    return [Known(dtype, ins[0].shape)]


def _dequantize(_node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    return [Known(ins[1].dtype, ins[0].shape)]


def _numbers(shape: Shape | None, start: int) -> tuple[int, ...] | None:
    found = tuple(dim for dim in (shape or ())[start:] if isinstance(dim, int))
    return found if shape is not None and len(found) == len(shape) - start else None


RULES: dict[str, Rule] = {
    **table(_pool, "AveragePool LpPool MaxPool"),
    **table(_global_pool, "GlobalAveragePool GlobalLpPool GlobalMaxPool"),
    **table(
        _reduce,
        "ArgMax ArgMin ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum"
        " ReduceSumSquare",
    ),
    **table(_recurrent, "GRU LSTM RNN"),
    "Conv": _conv, "ConvTranspose": _conv_transpose, "DequantizeLinear": _dequantize, "Einsum": _einsum, "Gemm": _gemm,
    "GridSample": _grid_sample, "MatMul": _matmul, "NonMaxSuppression": _boxes, "NonZero": _non_zero, "OneHot": _one_hot,
    "QuantizeLinear": _quantize, "RoiAlign": _roi_align, "TopK": _top_k,
}  # fmt: skip
