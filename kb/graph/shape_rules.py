"""What each ONNX operator makes of its inputs' shapes, types and small values. One function a kind of operator.

Source: the operator schemas of ONNX. A rule may raise on a malformed node; `shapes` then calls its outputs unknown.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from kb.graph.shapes import UNKNOWN, Element, Known, Rule, axes_of, broadcast, dim_of, integers, product
from kb.graph.types import Constant, Dim, Node, Shape

_CAST = {
    1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 8: "string", 9: "bool",
    10: "float16", 11: "float64", 12: "uint32", 13: "uint64", 16: "bfloat16",
}  # fmt: skip


def _same(_node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    first = ins[0]
    return [Known(first.dtype, first.shape), Known("bool", first.shape)]


def _identity(_node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    return [ins[0]]


def _boolean(node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    values = _calculated(node.type, ins) if node.type == "Equal" else None
    return [Known("bool", broadcast([known.shape for known in ins]), values)]


def _normalized(_node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    return [Known(ins[0].dtype, ins[0].shape)]


def _cast(node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    dtype = _CAST.get(node.integer("to"), "")
    values = ins[0].values
    if values is not None and dtype.startswith(("int", "uint")):
        values = tuple(int(value) if isinstance(value, float) and math.isfinite(value) else value for value in values)
    return [Known(dtype, ins[0].shape, values)]


def _elementwise(node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    dtype = next((known.dtype for known in ins if known.dtype), "")
    shape = broadcast([known.shape for known in ins])
    values = _calculated(node.type, ins) if dtype.startswith("int") or node.type in ("Mul", "Div") else None
    return [Known(dtype, shape, values)]


def _calculated(kind: str, ins: list[Known]) -> tuple[Element, ...] | None:
    if len(ins) != 2 or ins[0].values is None or ins[1].values is None:
        return None
    left, right = ins[0].values, ins[1].values
    if len(left) != len(right):
        if len(right) == 1:
            right = right * len(left)
        elif len(left) == 1:
            left = left * len(right)
        else:
            return None
    return tuple(_one(kind, a, b) for a, b in zip(left, right, strict=True))


def _one(kind: str, a: Element, b: Element) -> Element:
    if isinstance(a, str) or isinstance(b, str) or a is None or b is None:
        neutral = 1 if kind in ("Mul", "Div") else 0 if kind in ("Add", "Sub") else None
        if kind == "Equal":
            return _surely_different(a, b)
        return a if neutral is not None and b == neutral and not isinstance(b, str) else None
    if kind == "Div":
        if b == 0:
            return None
        return int(a / b) if isinstance(a, int) and isinstance(b, int) and abs(a) < 1 << 53 else a / b
    table = {"Add": a + b, "Sub": a - b, "Mul": a * b, "Max": max(a, b), "Min": min(a, b), "Equal": a == b, "Mod": a % b if b else None}
    return table.get(kind)


def _surely_different(a: Element, b: Element) -> Element:
    """A symbol is a size, so it is no negative number; two equal symbols are equal; nothing else is certain."""
    if isinstance(a, str) and isinstance(b, str):
        return True if a == b else None
    number = b if isinstance(a, str) else a if isinstance(b, str) else None
    return False if isinstance(number, (int, float)) and number < 0 else None


def _where(_node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    shape = broadcast([known.shape for known in ins])
    values: tuple[Element, ...] | None = None
    choice, yes, no = (known.values for known in ins[:3])
    if choice is not None and yes is not None and no is not None and len(choice) == len(yes) == len(no):
        pairs = zip(choice, yes, no, strict=True)
        values = tuple(a if c is True or c == 1 else b if c is not None else None for c, a, b in pairs)
    return [Known(ins[1].dtype or ins[2].dtype, shape, values)]


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
    merged: list[Dim] = [next((s[i] for s in shapes if isinstance(s[i], int)), shapes[0][i]) for i in range(len(shapes[0]))]
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
    return [Known(ins[0].dtype, (*shape[:axis], parts[i] if i < len(parts) else None, *shape[axis + 1 :])) for i in range(count)]


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
        return [Known(data.dtype, tuple(None if i in where or not where else dim for i, dim in enumerate(shape)))]
    values = data.values
    for i, axis in enumerate(where):
        step = steps[i] if steps else 1
        size = shape[axis]
        if isinstance(size, int):
            shape[axis] = len(range(*slice(starts[i], ends[i], step).indices(size))) if step > 0 else _backwards(starts[i], ends[i], step, size)
        elif not (starts[i] == 0 and ends[i] >= 1 << 31 and step == 1):
            shape[axis] = None
        values = _cut(values, data.shape, slice(starts[i], _past(ends[i], step), step)) if axis == 0 and len(where) == 1 else None
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
        shape.append(data.shape[i] if copied and data.shape is not None else None if copied else dim_of(value))
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
    axes = axes_of(node, ins, 1, rank) or []
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
    return [Known(ins[0].dtype, tuple(d if n == 1 else d * n if isinstance(d, int) and isinstance(n, int) else None for d, n in pairs))]


def _pad(node: Node, ins: list[Known], opset: int) -> Sequence[Known]:
    shape = ins[0].shape
    pads = list(node.integers("pads") or ()) if opset and opset < 11 else integers(ins[1])
    if shape is None or pads is None or (len(ins) > 3 and node.inputs[3]):
        return [Known(ins[0].dtype, None if shape is None else (None,) * len(shape))]
    rank = len(shape)
    return [Known(ins[0].dtype, tuple(d + pads[i] + pads[i + rank] if isinstance(d, int) else None for i, d in enumerate(shape)))]


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
    return [Known(ins[0].dtype, tuple(math.floor(d * s) if isinstance(d, int) and isinstance(s, (int, float)) else d if s == 1 else None for d, s in pairs))]


def _depth_to_space(node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    shape, block = ins[0].shape, node.integer("blocksize", 1)
    if shape is None:
        return [Known(ins[0].dtype)]
    batch, depth, *rest = shape
    if node.type == "DepthToSpace":
        channels = depth // (block * block) if isinstance(depth, int) else None
        return [Known(ins[0].dtype, (batch, channels, *(d * block if isinstance(d, int) else None for d in rest)))]
    channels = depth * block * block if isinstance(depth, int) else None
    return [Known(ins[0].dtype, (batch, channels, *(d // block if isinstance(d, int) else None for d in rest)))]


def _shape(node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    shape = ins[0].shape
    if shape is None:
        return [Known("int64", (None,))]
    end = node.attributes.get("end")
    part = shape[node.integer("start") : end if isinstance(end, int) else None]
    return [Known("int64", (len(part),), part)]


def _size(_node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    total = None if ins[0].shape is None else product(ins[0].shape)
    return [Known("int64", (), None if total is None else (total,))]


def _constant(node: Node, _ins: list[Known], _opset: int) -> Sequence[Known]:
    for key in ("value", "value_int", "value_ints", "value_float", "value_floats"):
        value = node.attributes.get(key)
        if isinstance(value, Constant):
            return [Known(value.dtype, value.shape, value.values)]
        if isinstance(value, (int, float)):
            return [Known("int64" if isinstance(value, int) else "float32", (), (value,))]
        if isinstance(value, tuple):
            dtype = "int64" if key == "value_ints" else "float32"
            return [Known(dtype, (len(value),), value)]
    return [UNKNOWN]


def _constant_of_shape(node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    fill = node.attributes.get("value")
    dtype = fill.dtype if isinstance(fill, Constant) else "float32"
    element: Element = fill.values[0] if isinstance(fill, Constant) and fill.values else 0
    if ins[0].values is None:
        return [Known(dtype)]
    shape = tuple(dim_of(value) for value in ins[0].values)
    count = product(shape)
    return [Known(dtype, shape, (element,) * count if count is not None and count <= 64 else None)]


def _range(_node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    ends = [(integers(known) or [None])[0] for known in ins]
    start, limit, step = ends
    if start is None or limit is None or not step:
        return [Known(ins[0].dtype, (None,))]
    found = range(start, limit, step)
    return [Known(ins[0].dtype, (len(found),), tuple(found) if len(found) <= 64 else None)]


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


def _table(rule: Rule, names: str) -> dict[str, Rule]:
    return dict.fromkeys(names.split(), rule)


RULES: dict[str, Rule] = {
    **_table(
        _same,
        "Abs Acos Acosh Asin Asinh Atan Atanh Ceil Celu Clip Cos Cosh CumSum Dropout Elu Erf Exp Floor Gelu HardSigmoid"
        " HardSwish Hardmax LeakyRelu Log LogSoftmax LpNormalization LRN MeanVarianceNormalization Mish Neg PRelu"
        " Reciprocal Relu ReverseSequence Round ScatterElements ScatterND Scatter Selu Shrink Sigmoid Sign Sin Sinh Softmax"
        " Softplus Softsign Sqrt Tan Tanh ThresholdedRelu Trilu EyeLike RandomNormalLike RandomUniformLike",
    ),
    **_table(_normalized, "BatchNormalization GroupNormalization InstanceNormalization LayerNormalization RMSNormalization"),
    **_table(_identity, "Identity"),
    **_table(_boolean, "And Equal Greater GreaterOrEqual IsInf IsNaN Less LessOrEqual Not Or Xor"),
    **_table(_elementwise, "Add BitShift BitwiseAnd BitwiseOr BitwiseXor Div Max Mean Min Mod Mul Pow Sub Sum"),
    **_table(_pool, "AveragePool LpPool MaxPool"),
    **_table(_global_pool, "GlobalAveragePool GlobalLpPool GlobalMaxPool"),
    **_table(
        _reduce,
        "ArgMax ArgMin ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum"
        " ReduceSumSquare",
    ),
    **_table(_recurrent, "GRU LSTM RNN"),
    **_table(_resize, "Resize Upsample"),
    **_table(_depth_to_space, "DepthToSpace SpaceToDepth"),
    "Cast": _cast, "Concat": _concat, "Constant": _constant, "ConstantOfShape": _constant_of_shape, "Conv": _conv,
    "ConvTranspose": _conv_transpose, "DequantizeLinear": _dequantize, "Einsum": _einsum, "Expand": _expand,
    "Flatten": _flatten, "Gather": _gather, "GatherElements": _like_indices, "GatherND": _gather_nd, "Gemm": _gemm,
    "GridSample": _grid_sample, "MatMul": _matmul, "NonMaxSuppression": _boxes, "NonZero": _non_zero,
    "OneHot": _one_hot, "Pad": _pad, "QuantizeLinear": _quantize, "Range": _range, "Reshape": _reshape,
    "RoiAlign": _roi_align, "Shape": _shape, "Size": _size, "Slice": _slice, "Split": _split, "Squeeze": _squeeze,
    "Tile": _tile, "TopK": _top_k, "Transpose": _transpose, "Unsqueeze": _unsqueeze, "Where": _where,
}  # fmt: skip
