"""What an operator has to do, from its shapes: bytes that must move and operations, both as lower bounds.

Formulas: `data/operators/op_types.tsv` and the cost model's section 2. A class whose inputs are not wholly read
(slice, gather, KV caches) counts its outputs only, twice; an unknown class counts its outputs once. Never more than
what surely moves, so that a floor stays a floor.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from kb.addition import plain_sum
from kb.engine.metrics.context import Context, Reading
from kb.model import Measure, Operator, Tensor
from kb.vocabulary.dtypes import dtype_of
from kb.vocabulary.work_patterns import PRODUCTS

DEFINES: tuple[str, ...] = (
    "input_bytes", "output_bytes", "flops", "matmul_m", "matmul_n", "matmul_k", "inner_axis_bytes", "head_dim",
    "input_channels", "passes_over_data", "moved_bytes_share", "useful_cores",
)  # fmt: skip

# Classes whose listed inputs are larger than what one call reads.
_PARTIAL = (
    "copy",
    "gather",
    "scatter",
    "select",
    "kv_cache",
    "attention_decode",
    "attention_sparse",
    "dynamic",
    "moe",
    "none",
    "rearrange",
)
_WHOLE = (
    "elementwise", "norm", "fused_norm", "softmax", "reduce", "cast", "format", "transpose", "logical", "compare", "rope", "loss",
    "conv2d", "depthwise", "conv3d", "pool", "resize", "quant", "dropout", "optimizer", "foreach", "scan", "activation", "fill_copy", *PRODUCTS,
)  # fmt: skip
# Of the class fill_copy those that read nothing: the tensor that they are given tells them a shape.
_FILLS = frozenset(
    {
        "Eye",
        "Fill",
        "FillD",
        "LinSpace",
        "MemSet",
        "Ones",
        "OnesLike",
        "Range",
        "RangeD",
        "Zeros",
        "ZerosLike",
    }
)
LARGEST_HEAD = 256  # head sizes of the fused attention operators
RECOMMENDED_TRANSFER = 16 * 1024  # bytes; Ascend C guide: at least 16 KB a transfer


def dtype_bytes(dtype: str) -> float | None:
    """Bytes an element, None for a dtype that is not known; `DT_BF16` and `BFLOAT16` are the same."""
    known = dtype_of(dtype)
    return known.bytes if known else None


def tensor_bytes(tensor: Tensor) -> float | None:
    """Bytes of one tensor, None when shape or dtype is unknown; a scalar (empty shape) has one element."""
    size = dtype_bytes(tensor.dtype)
    return None if tensor.shape is None or size is None else math.prod(tensor.shape) * size


def must_move(op: Operator, pattern: str) -> float | None:
    """Bytes that one launch moves at least, None when nothing can be said."""
    outputs = [tensor_bytes(tensor) for tensor in op.outputs]
    out = plain_sum(filter(None, outputs)) if outputs and None not in outputs else None
    if out is None or pattern.startswith(
        "kv_cache"
    ):  # the cache is an output of which one call writes a few rows
        return None
    if op.type in _FILLS:
        return out
    if pattern.startswith(_PARTIAL):
        return 2 * out if pattern.startswith(("copy", "gather")) else out
    if pattern.startswith(_WHOLE):
        inputs = [tensor_bytes(tensor) for tensor in op.inputs if tensor.shape is not None]
        return out + plain_sum(filter(None, inputs))
    return out


def product_shape(op: Operator) -> tuple[int, int, int, int] | None:
    """(batch, M, N, K) of a product, None when the shapes do not say or do not fit.

    From element counts, so that transposes and blocked formats do not matter: A = bMK, B = bKN, C = bMN gives
    K = sqrt(A B / (C b)).
    """
    shaped = [tensor.shape for tensor in op.inputs if tensor.shape]
    if len(shaped) < 2 or not op.outputs or not op.outputs[0].shape:
        return None
    a, b, c = shaped[0], shaped[1], op.outputs[0].shape
    batch = (
        math.prod(c[:-2])
        if len(c) > 2 and len(b) == len(c) and not op.outputs[0].format.startswith("FRACTAL")
        else 1
    )
    counts = (math.prod(a), math.prod(b), math.prod(c))
    if min(*counts, batch) <= 0:
        return None
    k = math.sqrt(counts[0] * counts[1] / (counts[2] * batch))
    m, n = counts[0] / (batch * k), counts[1] / (batch * k)
    rounded = (batch, round(m), round(n), round(k))
    if (
        any(
            abs(exact - near) > 1e-6 * near + 1e-9 for exact, near in zip((m, n, k), rounded[1:], strict=True)
        )
        or 0 in rounded
    ):
        return None
    return rounded


def flops(op: Operator, pattern: str) -> float | None:
    """Operations of one launch (multiply-add counts 2), None where the shapes do not give them."""
    if pattern.startswith(PRODUCTS):
        shape = product_shape(op)
        return None if shape is None else 2.0 * math.prod(shape)
    if pattern in ("conv2d", "conv3d") and len(op.inputs) > 1 and op.outputs and op.outputs[0].shape:
        weight = op.inputs[1]
        if (
            weight.shape
            and len(weight.shape) in (4, 5)
            and weight.format in ("NCHW", "ND", "", "NCDHW")
            and weight.shape[0] > 0
        ):
            return 2.0 * math.prod(op.outputs[0].shape) * math.prod(weight.shape[1:])
    if pattern == "attention" and len(op.inputs) > 1:
        q, k = op.inputs[0].shape, op.inputs[1].shape
        if q and k and len(q) == 4 and len(k) == 4 and q[3] == k[3] and q[0] == k[0]:
            seq_q, seq_k, heads = (q[2], k[2], q[1]) if q[1] <= q[2] else (q[1], k[1], q[2])
            return 2.0 * q[0] * heads * seq_q * seq_k * q[3]  # the causal half of 4 B H Sq Skv D
    return None


def measure(op: Operator, context: Context, pattern: str) -> Iterator[Reading]:
    """Shape-derived metrics of one kernel, and what the counters moved in comparison."""
    for metric, tensors in (("input_bytes", op.inputs), ("output_bytes", op.outputs)):
        sizes = [tensor_bytes(tensor) for tensor in tensors if tensor.shape is not None]
        if sizes and None not in sizes:
            yield metric, Measure(plain_sum(filter(None, sizes)), "B", "shapes x dtypes", computed=True)
    work = flops(op, pattern)
    if work:
        yield "flops", Measure(work, "", f"2 x multiply-adds of {pattern} by shape", computed=True)
    if pattern.startswith(PRODUCTS):
        shape = product_shape(op)
        if shape is not None:
            for metric, size in zip(("matmul_m", "matmul_n", "matmul_k"), shape[1:], strict=True):
                yield metric, Measure(size, "", "element counts of A, B and C", computed=True)
    yield from _axes(op, pattern)
    yield from _against_counters(op, pattern)


def _axes(op: Operator, pattern: str) -> Iterator[Reading]:
    first = next((tensor for tensor in op.inputs if tensor.shape), None)
    if first is None or not first.shape:
        return
    size = dtype_bytes(first.dtype)
    if size is not None:
        yield (
            "inner_axis_bytes",
            Measure(first.shape[-1] * size, "B", "last axis of the first input", computed=True),
        )
    # Four axes are B, heads, S, D in some order; of three, a last one this small is D (packed), no heads x D.
    if pattern.startswith("attention") and (
        len(first.shape) == 4 or (len(first.shape) == 3 and first.shape[-1] <= LARGEST_HEAD)
    ):
        yield "head_dim", Measure(first.shape[-1], "", "last axis of the query", computed=True)
    channels = {"NCHW": 1, "": 1, "NHWC": 3}.get(first.format)
    if pattern.startswith("conv") and len(first.shape) == 4 and channels is not None:
        how = f"axis {channels} of the input ({first.format or 'NCHW'})"
        yield "input_channels", Measure(first.shape[channels], "", how, computed=True)


def _against_counters(op: Operator, pattern: str) -> Iterator[Reading]:
    read = moved_bytes(op, ("gm_to_ub_datas", "gm_to_l1_datas")) or moved_bytes(
        op, ("read_main_memory_datas",)
    )
    wrote = moved_bytes(op, ("ub_to_gm_datas", "l0c_to_gm_datas")) or moved_bytes(
        op, ("write_main_memory_datas",)
    )
    if read is None:
        return
    sizes = [tensor_bytes(tensor) for tensor in op.inputs if tensor.shape is not None]
    if sizes and None not in sizes and plain_sum(filter(None, sizes)) > 0:
        yield (
            "passes_over_data",
            Measure(
                read / plain_sum(filter(None, sizes)), "1x", "bytes read / bytes of the inputs", computed=True
            ),
        )
    needed = (
        must_move(op, pattern)
        if op.outputs
        else (plain_sum(filter(None, sizes)) if sizes and None not in sizes else None)
    )
    if needed:
        yield (
            "moved_bytes_share",
            Measure(
                (read + (wrote or 0.0)) / needed,
                "1",
                f"bytes moved / {needed:.0f} bytes of the stated tensors",
                computed=True,
            ),
        )
    cores = math.ceil(read / RECOMMENDED_TRANSFER)
    yield (
        "useful_cores",
        Measure(
            max(1, cores),
            "",
            "bytes read / 16 KiB, the transfer that the guide asks for at least",
            computed=True,
        ),
    )


def moved_bytes(op: Operator, columns: tuple[str, ...]) -> float | None:
    """Sum of volume columns (KiB) over the cores and the launch, in bytes; None where no column is there."""
    found = [row.values[column] for row in op.cores for column in columns if column in row.values]
    found += [op.counters[column].value for column in columns if column in op.counters]
    return plain_sum(found) * 1024 if found else None
