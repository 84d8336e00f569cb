"""What the tensors' shapes say beside the work: totals, alignment of the innermost axis, elements a core gets."""

from __future__ import annotations

import math
from collections.abc import Iterator

from kb.engine.metrics.context import Context, Measured
from kb.engine.metrics.work import dtype_bytes, tensor_bytes
from kb.model import Measure, Operator

DEFINES: tuple[str, ...] = (
    "io_bytes", "l2_bytes", "elements", "elements_per_core", "inner_axis_rest_256", "inner_axis_rest_512",
)  # fmt: skip


def measure(op: Operator, context: Context) -> Iterator[Measured]:
    """Shape metrics of one kernel; nothing is said of tensors whose shape or dtype is unknown."""
    tensors = [tensor for tensor in (*op.inputs, *op.outputs) if tensor.shape is not None]
    sizes = [tensor_bytes(tensor) for tensor in tensors]
    if op.outputs and sizes and None not in sizes:
        total = sum(filter(None, sizes))
        yield "io_bytes", Measure(total, "B", "all inputs and outputs, shapes x dtypes", computed=True)
    l2 = context.over_targets(lambda target: target.l2_bytes, "B", "L2 of the chip")
    if l2 is not None:
        yield "l2_bytes", l2
    yield from _elements(op)
    yield from _inner_axis(op)


def _elements(op: Operator) -> Iterator[Measured]:
    if not op.outputs or op.outputs[0].shape is None:
        return
    count = math.prod(op.outputs[0].shape)
    yield "elements", Measure(count, "", "shape of the first output", computed=True)
    if op.block_dim:
        yield "elements_per_core", Measure(count / op.block_dim, "", "elements / Block Dim", computed=True)


def _inner_axis(op: Operator) -> Iterator[Measured]:
    first = next((tensor for tensor in op.inputs if tensor.shape), None)
    size = dtype_bytes(first.dtype) if first else None
    if first is None or not first.shape or size is None:
        return
    inner = first.shape[-1] * size
    for metric, line in (("inner_axis_rest_256", 256), ("inner_axis_rest_512", 512)):
        yield metric, Measure(inner % line, "B", f"last axis of the first input modulo {line}", computed=True)
