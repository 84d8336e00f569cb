"""What the tensors' shapes say beside the work: totals, alignment of the innermost axis, elements a core gets."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from kb.addition import plain_sum
from kb.engine.metrics.context import Context, Reading
from kb.engine.metrics.work import dtype_bytes, product_shape, tensor_bytes
from kb.model import Measure, Operator, Tensor
from kb.vocabulary.work_patterns import PRODUCTS

DEFINES: tuple[str, ...] = (
    "io_bytes", "l2_bytes", "elements", "elements_per_core", "inner_axis_rest_256", "inner_axis_rest_512",
    "operand_rest_512", "product_tiles", "smaller_operand_bytes",
    "product_depth", "product_width", "row_bytes", "row_count",
)  # fmt: skip


BASE_BLOCK = (128, 256)  # M x N of the base block that the developer guide recommends for 16-bit products
LINE = 512  # bytes; rows of a product's operands are copied fast when they are whole lines of this size


def measure(op: Operator, context: Context, pattern: str = "") -> Iterator[Reading]:
    """Shape metrics of one kernel; nothing is said of tensors whose shape or dtype is unknown."""
    tensors = [tensor for tensor in (*op.inputs, *op.outputs) if tensor.shape is not None]
    sizes = [tensor_bytes(tensor) for tensor in tensors]
    if op.outputs and sizes and None not in sizes:
        total = plain_sum(filter(None, sizes))
        yield "io_bytes", Measure(total, "B", "all inputs and outputs, shapes x dtypes", computed=True)
    l2 = context.over_targets(lambda target: target.l2_bytes, "B", "L2 of the chip")
    if l2 is not None:
        yield "l2_bytes", l2
    yield from _elements(op)
    yield from _rows(tensors)
    product = pattern.startswith(PRODUCTS)
    yield from _inner_axis(op, product)
    if product:
        yield from _operands(op)
        yield from _tiles(op)


def _rows(tensors: Sequence[Tensor]) -> Iterator[Reading]:
    """Rows of the largest tensor of two axes or more; blocked formats have none that lie as they are written."""
    plain = [
        (size, tensor)
        for tensor in tensors
        if tensor.shape and len(tensor.shape) > 1 and tensor.format in ("ND", "", "NCHW", "NHWC", "NCL")
        and (size := tensor_bytes(tensor)) is not None
    ]  # fmt: skip
    largest = max(plain, key=lambda item: item[0], default=None)
    if largest is None or not largest[1].shape or not largest[1].shape[-1]:
        return
    rows = math.prod(largest[1].shape[:-1])
    if rows > 0:
        yield "row_bytes", Measure(largest[0] / rows, "B", "last axis of the largest tensor", computed=True)
        yield "row_count", Measure(rows, "", "rows of the largest tensor", computed=True)


def _elements(op: Operator) -> Iterator[Reading]:
    if not op.outputs or op.outputs[0].shape is None:
        return
    count = math.prod(op.outputs[0].shape)
    yield "elements", Measure(count, "", "shape of the first output", computed=True)
    if op.block_dim:
        yield "elements_per_core", Measure(count / op.block_dim, "", "elements / Block Dim", computed=True)


def _inner_axis(op: Operator, product: bool) -> Iterator[Reading]:
    """Rest of the first input's rows; of the worse of the two operands of a product."""
    if product:
        for metric, line in (("inner_axis_rest_256", 256), ("inner_axis_rest_512", 512)):
            rests = [rest for item in op.inputs[:2] if (rest := _row_rest(item, line)) is not None]
            if rests:
                how = f"last axis of the product's operands modulo {line}, the larger"
                yield metric, Measure(max(rests), "B", how, computed=True)
        return
    first = next((tensor for tensor in op.inputs if tensor.shape), None)
    size = dtype_bytes(first.dtype) if first else None
    if first is None or not first.shape or size is None:
        return
    inner = first.shape[-1] * size
    for metric, line in (("inner_axis_rest_256", 256), ("inner_axis_rest_512", 512)):
        yield metric, Measure(inner % line, "B", f"last axis of the first input modulo {line}", computed=True)


def _operands(op: Operator) -> Iterator[Reading]:
    """The worse of the two operands' rows; blocked formats have no rows, and a single row is one copy."""
    rests = [rest for item in op.inputs[:2] if (rest := _row_rest(item)) is not None]
    if rests:
        how = f"last axis of the product's operands modulo {LINE}, the larger"
        yield "operand_rest_512", Measure(max(rests), "B", how, computed=True)
        return
    # without tensors, the stated N and K: rows of B and of A as they lie untransposed, in a 2-byte type
    stated = [op.counters[name].value for name in ("matmul_n", "matmul_k") if name in op.counters]
    if len(stated) == 2 and not op.inputs:
        how = f"stated N and K, 2 bytes an element, modulo {LINE}, the larger"
        yield "operand_rest_512", Measure(max(size * 2 % LINE for size in stated), "B", how, computed=True)


def _row_rest(item: Tensor, line: int = LINE) -> float | None:
    size = dtype_bytes(item.dtype)
    if not item.shape or len(item.shape) < 2 or size is None or item.format not in ("ND", "", "NCHW"):
        return None
    return item.shape[-1] * size % line if item.shape[-2] > 1 else 0.0


def _tiles(op: Operator) -> Iterator[Reading]:
    """How many base blocks the result has, and the size of the operand that might stay in L1."""
    shape = product_shape(op)
    if shape is not None:
        batch, m, n, k = shape
        count = batch * math.ceil(m / BASE_BLOCK[0]) * math.ceil(n / BASE_BLOCK[1])
        how = f"blocks of {BASE_BLOCK[0]} x {BASE_BLOCK[1]} in the result"
        yield "product_tiles", Measure(count, "", how, computed=True)
        yield "product_depth", Measure(k / max(m, n), "1x", "K / larger of M and N", computed=True)
        yield "product_width", Measure(n / max(m, k), "1x", "N / larger of M and K", computed=True)
    sizes = [tensor_bytes(item) for item in op.inputs[:2] if item.shape]
    known = [size for size in sizes if size is not None]
    if len(known) == 2:
        yield (
            "smaller_operand_bytes",
            Measure(min(known), "B", "the smaller of A and B, shape x dtype", computed=True),
        )
