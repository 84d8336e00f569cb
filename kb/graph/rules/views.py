"""What moving data makes of it: reshape, slice, gather, concatenate, pad, resize and their kin."""

from __future__ import annotations

import math
from collections.abc import Sequence

from kb.graph.known import Element, Known, Rule, axes_of, broadcast, dim_of, integers, product, table
from kb.graph.types import Dim, Node, Shape


def _concat(node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    shapes = [known.shape for known in ins if known.shape is not None]
    dtype = ins[0].dtype
    values: tuple[Element, ...] | None = None
    if all(known.values is not None and known.rank == 1 for known in ins):
        values = tuple(value for known in ins for value in known.values or ())
    if len(shapes) != len(ins):
        return [Known(dtype)]
    axis = node.integer("axis") % len(shapes[0])
    along = [shape[axis] for shape in shapes]
    numbers = [dim for dim in along if isinstance(dim, int)]
    merged: list[Dim] = [
        next((s[i] for s in shapes if isinstance(s[i], int)), shapes[0][i]) for i in range(len(shapes[0]))
    ]
    merged[axis] = sum(numbers) if len(numbers) == len(along) else None
    return [Known(dtype, tuple(merged), values)]


def _split(node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    shape = ins[0].shape
    count = len(node.outputs)
    if shape is None:
        return [Known(ins[0].dtype)] * count
    axis = node.integer("axis") % len(shape)
    parts = node.integers("split") or (tuple(integers(ins[1]) or ()) if len(ins) > 1 else ())
    size = shape[axis]
    if not parts and isinstance(size, int):
        part = -(-size // count)
        parts = tuple(min(part, size - i * part) for i in range(count))
    return [
        Known(ins[0].dtype, (*shape[:axis], parts[i] if i < len(parts) else None, *shape[axis + 1 :]))
        for i in range(count)
    ]


def _slice(node: Node, ins: list[Known], opset: int) -> Sequence[Known]:
    data = ins[0]
    if data.shape is None:
        return [Known(data.dtype)]
    if opset and opset < 10:
        lists: list[list[int] | None] = [list(node.integers(key) or ()) for key in ("starts", "ends")]
        axes, steps = node.integers("axes"), None
    else:
        lists = [integers(known) for known in ins[1:3]]
        axes = tuple(found) if len(ins) > 3 and node.inputs[3] and (found := integers(ins[3])) else None
        steps = integers(ins[4]) if len(ins) > 4 and node.inputs[4] else None
        if len(ins) > 3 and node.inputs[3] and axes is None:
            return [Known(data.dtype, (None,) * len(data.shape))]
    starts, ends = lists
    shape = list(data.shape)
    where = [axis % len(shape) for axis in (axes if axes is not None else range(len(starts or ends or ())))]
    if starts is None or ends is None:
        return [
            Known(data.dtype, tuple(None if i in where or not where else dim for i, dim in enumerate(shape)))
        ]
    values = data.values
    for i, axis in enumerate(where):
        step = steps[i] if steps else 1
        size = shape[axis]
        if isinstance(size, int):
            shape[axis] = (
                len(range(*slice(starts[i], ends[i], step).indices(size)))
                if step > 0
                else _backwards(starts[i], ends[i], step, size)
            )
        elif not (starts[i] == 0 and ends[i] >= 1 << 31 and step == 1):
            shape[axis] = None
        values = (
            _cut(values, data.shape, slice(starts[i], _past(ends[i], step), step))
            if axis == 0 and len(where) == 1
            else None
        )
    return [Known(data.dtype, tuple(shape), values)]


def _past(end: int, step: int) -> int | None:
    """ONNX writes "to the very beginning" of a backward slice as the smallest number; Python as None."""
    return None if step < 0 and end < -(1 << 31) else end


def _cut(values: tuple[Element, ...] | None, shape: Shape, part: slice) -> tuple[Element, ...] | None:
    """Elements of a slice along the first axis."""
    row = product(shape[1:])
    if values is None or not row or len(values) % row:
        return None
    rows = [values[i : i + row] for i in range(0, len(values), row)]
    return tuple(value for one in rows[part] for value in one)


def _backwards(start: int, end: int, step: int, size: int) -> int:
    """Length of a slice with a negative step, where ONNX clamps the end at -1."""
    first = min(start + size if start < 0 else start, size - 1)
    last = max(end + size if end < 0 else end, -1)
    return max(0, -(-(last - first) // step))


def _gather(node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    data, index = ins[0], ins[1]
    values: tuple[Element, ...] | None = None
    wanted = integers(index)
    if data.values is not None and data.rank == 1 and wanted is not None:
        values = tuple(data.values[i] for i in wanted)
    if data.shape is None or index.shape is None:
        return [Known(data.dtype, None, values)]
    axis = node.integer("axis") % len(data.shape)
    return [Known(data.dtype, (*data.shape[:axis], *index.shape, *data.shape[axis + 1 :]), values)]


def _like_indices(_node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    return [Known(ins[0].dtype, ins[1].shape)]


def _gather_nd(node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    data, index = ins[0].shape, ins[1].shape
    if data is None or not index or not isinstance(index[-1], int):
        return [Known(ins[0].dtype)]
    return [Known(ins[0].dtype, (*index[:-1], *data[node.integer("batch_dims") + index[-1] :]))]


def _reshape(node: Node, ins: list[Known], opset: int) -> Sequence[Known]:
    data = ins[0]
    target: tuple[Element, ...] | None = node.integers("shape") if opset and opset < 5 else ins[1].values
    if target is None:
        rank = ins[1].shape[0] if len(ins) > 1 and ins[1].shape else None
        return [Known(data.dtype, (None,) * rank if isinstance(rank, int) and rank <= 32 else None)]
    shape: list[Dim] = []
    for i, value in enumerate(target):
        copied = value == 0 and not node.integer("allowzero") and not isinstance(value, str)
        shape.append(
            data.shape[i] if copied and data.shape is not None else None if copied else dim_of(value)
        )
    open_at = [i for i, value in enumerate(target) if value == -1]
    if len(open_at) == 1 and data.shape is not None:
        shape[open_at[0]] = _rest(data.shape, shape, open_at[0])
    return [Known(data.dtype, tuple(shape), data.values)]


def _rest(before: Shape, after: list[Dim], at: int) -> Dim:
    """The dimension that -1 stands for; symbols that occur on both sides cancel."""
    left, right = list(before), [dim for i, dim in enumerate(after) if i != at]
    for dim in list(right):
        if isinstance(dim, str) and dim in left:
            left.remove(dim)
            right.remove(dim)
    have, taken = product(left), product(right)
    if have is None and len([dim for dim in left if not isinstance(dim, int)]) == 1:
        numbers = product(dim for dim in left if isinstance(dim, int))
        return next(dim for dim in left if not isinstance(dim, int)) if numbers == taken else None
    return have // taken if have is not None and taken else None


def _flatten(node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    shape = ins[0].shape
    if shape is None:
        return [Known(ins[0].dtype, (None, None))]
    axis = node.integer("axis", 1)
    axis = axis + len(shape) if axis < 0 else axis
    head = shape[0] if axis == 1 and shape else product(shape[:axis])
    return [Known(ins[0].dtype, (head, product(shape[axis:])))]


def _squeeze(node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    data = ins[0]
    axes = None if data.shape is None else axes_of(node, ins, 1, len(data.shape))
    if data.shape is None or axes is None:
        return [Known(data.dtype, None, data.values)]
    if not axes and any(not isinstance(dim, int) for dim in data.shape):
        return [Known(data.dtype, None, data.values)]
    gone = axes or [i for i, dim in enumerate(data.shape) if dim == 1]
    return [Known(data.dtype, tuple(dim for i, dim in enumerate(data.shape) if i not in gone), data.values)]


def _unsqueeze(node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    data = ins[0]
    count = len(node.integers("axes") or (integers(ins[1]) if len(ins) > 1 else None) or ())
    if data.shape is None or not count:
        return [Known(data.dtype, None, data.values)]
    rank = len(data.shape) + count
    axes = set(axes_of(node, ins, 1, rank) or [])
    if len(axes) != count:
        raise ValueError("an axis is named twice")
    rest = iter(data.shape)
    return [Known(data.dtype, tuple(1 if i in axes else next(rest) for i in range(rank)), data.values)]


def _transpose(node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    shape = ins[0].shape
    if shape is None:
        return [Known(ins[0].dtype)]
    order = node.integers("perm") or tuple(reversed(range(len(shape))))
    values, columns = ins[0].values, shape[-1] if shape else None
    if values is not None and isinstance(columns, int) and columns and len(shape) == 2 and order == (1, 0):
        values = tuple(value for i in range(columns) for value in values[i::columns])
    elif order != tuple(range(len(shape))):
        values = None
    return [Known(ins[0].dtype, tuple(shape[i] for i in order), values)]


def _expand(_node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    target = ins[1].values
    shape = None if target is None else broadcast([ins[0].shape, tuple(dim_of(value) for value in target)])
    return [Known(ins[0].dtype, shape)]


def _tile(_node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    shape, times = ins[0].shape, ins[1].values
    if shape is None or times is None:
        return [Known(ins[0].dtype, None if shape is None else (None,) * len(shape))]
    pairs = zip(shape, times, strict=True)
    return [
        Known(
            ins[0].dtype,
            tuple(
                d if n == 1 else d * n if isinstance(d, int) and isinstance(n, int) else None
                for d, n in pairs
            ),
        )
    ]


def _pad(node: Node, ins: list[Known], opset: int) -> Sequence[Known]:
    shape = ins[0].shape
    pads = list(node.integers("pads") or ()) if opset and opset < 11 else integers(ins[1])
    if shape is None or pads is None or (len(ins) > 3 and node.inputs[3]):
        return [Known(ins[0].dtype, None if shape is None else (None,) * len(shape))]
    rank = len(shape)
    return [
        Known(
            ins[0].dtype,
            tuple(d + pads[i] + pads[i + rank] if isinstance(d, int) else None for i, d in enumerate(shape)),
        )
    ]


def _resize(node: Node, ins: list[Known], opset: int) -> Sequence[Known]:
    shape = ins[0].shape
    if shape is None:
        return [Known(ins[0].dtype)]
    sizes = ins[3].values if len(ins) > 3 and node.inputs[3] else None
    if sizes is not None and len(sizes) == len(shape):
        return [Known(ins[0].dtype, tuple(dim_of(value) for value in sizes))]
    position = 1 if node.type == "Upsample" or opset == 10 else 2
    given: tuple[Element, ...] | None = ins[position].values if len(ins) > position else None
    if node.type == "Upsample" and opset < 9:
        listed = node.attributes.get("scales")
        given = listed if isinstance(listed, tuple) else None
    if given is None or len(given) != len(shape):
        return [Known(ins[0].dtype, (*shape[:2], *(None for _ in shape[2:])))]
    pairs = zip(shape, given, strict=True)
    return [
        Known(
            ins[0].dtype,
            tuple(
                math.floor(d * s)
                if isinstance(d, int) and isinstance(s, (int, float))
                else d
                if s == 1
                else None
                for d, s in pairs
            ),
        )
    ]


def _depth_to_space(node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    shape, block = ins[0].shape, node.integer("blocksize", 1)
    if shape is None:
        return [Known(ins[0].dtype)]
    batch, depth, *rest = shape
    if node.type == "DepthToSpace":
        channels = depth // (block * block) if isinstance(depth, int) else None
        return [
            Known(ins[0].dtype, (batch, channels, *(d * block if isinstance(d, int) else None for d in rest)))
        ]
    channels = depth * block * block if isinstance(depth, int) else None
    return [
        Known(ins[0].dtype, (batch, channels, *(d // block if isinstance(d, int) else None for d in rest)))
    ]


RULES: dict[str, Rule] = {
    **table(_resize, "Resize Upsample"),
    **table(_depth_to_space, "DepthToSpace SpaceToDepth"),
    "Concat": _concat, "Expand": _expand, "Flatten": _flatten, "Gather": _gather, "GatherElements": _like_indices,
    "GatherND": _gather_nd, "Pad": _pad, "Reshape": _reshape, "Slice": _slice, "Split": _split, "Squeeze": _squeeze,
    "Tile": _tile, "Transpose": _transpose, "Unsqueeze": _unsqueeze,
}  # fmt: skip
