"""Elementwise operators, constants and shapes, with the small values that shapes are computed from."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from kb.graph.known import UNKNOWN, Element, Known, Rule, broadcast, dim_of, integers, product, table
from kb.graph.types import Constant, Node, Scalar
from kb.vocabulary.dtypes import of_onnx


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
    dtype = of_onnx(node.integer("to"))
    values = ins[0].values
    if values is not None and dtype.startswith(("int", "uint")):
        values = tuple(
            int(value) if isinstance(value, float) and math.isfinite(value) else value for value in values
        )
    return [Known(dtype, ins[0].shape, values)]


def _elementwise(node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    dtype = next((known.dtype for known in ins if known.dtype), "")
    shape = broadcast([known.shape for known in ins])
    return [Known(dtype, shape, _calculated(node.type, ins))]


def _rounded(node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    """Ceil, Floor and Neg, whose values matter where exporters compute paddings."""
    how: Callable[[int | float], int | float] = {"Ceil": math.ceil, "Floor": math.floor}.get(
        node.type, lambda x: -x
    )
    values = ins[0].values
    if values is not None:
        values = tuple(how(v) if isinstance(v, (int, float)) and math.isfinite(v) else None for v in values)
    return [Known(ins[0].dtype, ins[0].shape, values)]


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
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return _number(kind, a, b)
    if kind == "Equal":
        return _surely_different(a, b)
    neutral = 1 if kind in ("Mul", "Div") else 0 if kind in ("Add", "Sub") else None
    return a if neutral is not None and b == neutral else None


def _number(kind: str, a: Scalar, b: Scalar) -> Element:
    if kind in ("Div", "Mod") and b == 0:
        return None
    if kind == "Div":
        whole = isinstance(a, int) and isinstance(b, int) and abs(a) < 1 << 53
        return math.trunc(a / b) if whole else a / b
    if kind == "Mod":
        return a % b
    table = {"Add": a + b, "Sub": a - b, "Mul": a * b, "Max": max(a, b), "Min": min(a, b), "Equal": a == b}
    return table.get(kind)


def _surely_different(a: Element, b: Element) -> Element:
    """A symbol is a size, so it is no negative number; two equal symbols are equal; nothing else is certain."""
    if isinstance(a, str) and isinstance(b, str):
        return True if a == b else None
    number = b if isinstance(a, str) else a if isinstance(b, str) else None
    return False if isinstance(number, (int, float)) and number < 0 else None


def _clip(_node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    values = ins[0].values
    for i, kind in ((1, "Max"), (2, "Min")):
        bound = ins[i].values if len(ins) > i else None
        if values is None or (bound is None and len(ins) > i and ins[i] != UNKNOWN):
            return [Known(ins[0].dtype, ins[0].shape)]
        if bound:
            values = tuple(_one(kind, value, bound[0]) for value in values)
    return [Known(ins[0].dtype, ins[0].shape, values)]


def _where(_node: Node, ins: list[Known], _opset: int) -> Sequence[Known]:
    shape = broadcast([known.shape for known in ins])
    values: tuple[Element, ...] | None = None
    choice, yes, no = (known.values for known in ins[:3])
    if choice is not None and yes is not None and no is not None and len(choice) == len(yes) == len(no):
        pairs = zip(choice, yes, no, strict=True)
        values = tuple(a if c is True or c == 1 else b if c is not None else None for c, a, b in pairs)
    return [Known(ins[1].dtype or ins[2].dtype, shape, values)]


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
    ends = [number for known in ins for number in (integers(known) or [])[:1]]
    if len(ends) != 3 or not ends[2]:
        return [Known(ins[0].dtype, (None,))]
    start, limit, step = ends
    found = range(start, limit, step)
    return [Known(ins[0].dtype, (len(found),), tuple(found) if len(found) <= 64 else None)]


RULES: dict[str, Rule] = {
    **table(
        _same,
        "Abs Acos Acosh Asin Asinh Atan Atanh Celu Cos Cosh CumSum Dropout Elu Erf Exp Gelu HardSigmoid HardSwish Hardmax"
        " LeakyRelu Log LogSoftmax LpNormalization LRN MeanVarianceNormalization Mish PRelu Reciprocal Relu ReverseSequence"
        " Round ScatterElements ScatterND Scatter Selu Shrink Sigmoid Sign Sin Sinh Softmax Softplus Softsign Sqrt Tan Tanh"
        " ThresholdedRelu Trilu EyeLike RandomNormalLike RandomUniformLike",
    ),
    **table(
        _normalized,
        "BatchNormalization GroupNormalization InstanceNormalization LayerNormalization RMSNormalization",
    ),
    **table(_boolean, "And Equal Greater GreaterOrEqual IsInf IsNaN Less LessOrEqual Not Or Xor"),
    **table(_elementwise, "Add BitShift BitwiseAnd BitwiseOr BitwiseXor Div Max Mean Min Mod Mul Pow Sub Sum"),
    **table(_rounded, "Ceil Floor Neg"),
    "Cast": _cast, "Clip": _clip, "Constant": _constant, "ConstantOfShape": _constant_of_shape, "Identity": _identity,
    "Range": _range, "Shape": _shape, "Size": _size, "Where": _where,
}  # fmt: skip
