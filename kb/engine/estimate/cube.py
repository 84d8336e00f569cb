"""Cube kernels: products, convolutions and attention, as padded products spread in tiles over the cores."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from kb.engine.estimate.geometry import Product, matrix_product
from kb.engine.estimate.load import (
    TRAFFIC_BYTES,
    VECTOR_BYTES,
    Load,
    NoLoad,
    clock,
    memory_terms,
    total_bytes,
)
from kb.engine.estimate.spec import OpSpec, layout, size_of
from kb.engine.estimate.unfold import convolution_product, gradient_filter_product, gradient_input_product
from kb.model import Tensor
from kb.targets import Target

BLOCK = 16  # rows and columns of a cube block; 32 bytes along K
TILE_M, TILE_N = 128, 256  # tile of a core; 128 x 128 to 256 x 256 fit alike
FEW_ROWS = 32  # up to here a product streams its weights
CAMPING = 128  # blocks apart from which a power-of-two stride hits the same memory channels
MOST_CAMPING = 2048


def matmul(spec: OpSpec, target: Target) -> Load:
    """Matrix product, batched or not."""
    product = matrix_product(spec)
    if product is None:
        raise NoLoad("the shapes do not fit a matrix product")
    operands = [t for t in spec.present_inputs if t.shape and len(t.shape) > 1]
    return _load(product, spec, target, size_of(operands[0]), _power_of_two_stride(operands[:2]))


def grouped(spec: OpSpec, target: Target) -> Load:
    """Rows in groups, each with a weight of its own: all rows once through one weight, all weights read."""
    shapes = [shape for t in spec.present_inputs if (shape := t.shape) and len(shape) > 1]
    rows = next((shape for shape in shapes if len(shape) == 2), None)
    weight = next((shape for shape in shapes if len(shape) == 3), None)
    if rows is None or weight is None or rows[1] not in weight[1:]:
        raise NoLoad("the shapes do not show rows x K and groups x K x N")
    wide = weight[2] if weight[1] == rows[1] else weight[1]
    size = size_of(next(t for t in spec.present_inputs if t.shape == rows))
    return _load(Product(1, rows[0], wide, rows[1]), spec, target, size, 1)


def convolution(spec: OpSpec, target: Target) -> Load:
    """Convolution as the product of the unfolded input and the filter."""
    return _unfolded(convolution_product, spec, target)


def gradient_input(spec: OpSpec, target: Target) -> Load:
    """Gradient of a convolution by its input; a strided one is computed on the full map."""
    return _unfolded(gradient_input_product, spec, target)


def gradient_filter(spec: OpSpec, target: Target) -> Load:
    """Gradient of a convolution by its filter: the sum runs over batch and space."""
    return _unfolded(gradient_filter_product, spec, target)


def attention(spec: OpSpec, target: Target) -> Load:
    """Fused attention: 4 x queries x keys x hidden operations, half of them under a causal mask."""
    batch, heads, queries, keys, size = _attention_sizes(spec)
    causal = any(t.shape and t.shape[-2:] == (2048, 2048) for t in spec.present_inputs)
    causal = causal or "'is_causal': true" in spec.attributes.get("attrs", "")
    if causal and queries > 1:
        scores = batch * heads * queries * (keys - queries / 2.0 if keys >= queries else keys / 2.0)
    else:
        scores = float(batch * heads * queries * keys)
    element = size_of(spec.present_inputs[0])
    rate = cube_rate(target, element) * target.cube_cores * clock(target)
    terms = {"launch": 1.0, "block": float(target.cube_cores), **memory_terms(total_bytes(spec), target)}
    terms["cube"] = 4.0 * scores * size / rate
    terms["vector"] = scores * 4 / VECTOR_BYTES / max(1, target.vector_cores) / clock(target)
    tiles = batch * heads * math.ceil(queries / TILE_M)
    terms["piece"] = math.ceil(tiles / target.cube_cores) / clock(target)
    variant = "few rows" if queries <= FEW_ROWS else ""
    return Load(terms, variant, floor_us=terms["cube"], operations=4.0 * scores * size)


def cube_rate(target: Target, size: float) -> float:
    """Operations a cycle and core for elements of `size` bytes; float32 runs as float16 where the cube lacks it."""
    table = target.cube_ops_per_cycle
    half = table.get("fp16", 8192)
    if size >= 4:
        return table.get("fp32", half)
    if size > 1:
        return half
    return table.get("int8", half) if size == 1 else table.get("int4", table.get("int8", half))


def _unfolded(unfold: Callable[[OpSpec], Product | None], spec: OpSpec, target: Target) -> Load:
    product = unfold(spec)
    if product is None:
        raise NoLoad("input, filter and output shapes are needed in a layout that shows channels and space")
    size = min(size_of(t) for t in spec.present_inputs if t.shape and len(t.shape) >= 3)
    batch = next((shape[0] for t in spec.present_inputs if (shape := t.shape) and len(shape) == 5), 1)
    if target.fused and not spec.blocks and batch > 1:  # block dims of public traces: the batch
        spec = replace(spec, blocks=min(target.cube_cores, batch))
    return _load(product, spec, target, size, 1)


def _load(p: Product, spec: OpSpec, target: Target, size: float, stride: int) -> Load:
    rate = cube_rate(target, size) * clock(target)
    m, n, k = _pad(p.m, BLOCK), _pad(p.n, BLOCK), _pad(p.k, max(BLOCK // 2, int(32 / size)))
    cores = max(1, target.cube_cores)
    high, wide = math.ceil(m / TILE_M), math.ceil(n / TILE_N)
    blocks = spec.blocks or min(cores, p.batch * high * math.ceil(n / TILE_M))
    used = max(1, min(blocks, cores))
    again = p.batch * size * k * (m * (wide - 1) + n * (high - 1))
    terms = {"launch": 1.0, "block": float(used), **memory_terms(total_bytes(spec), target)}
    terms["cube"] = 2.0 * p.batch * m * n * k / (rate * used)
    terms["traffic"] = again / (TRAFFIC_BYTES * used * clock(target))
    terms["vector"] = p.batch * m * n * 4 / VECTOR_BYTES / used / clock(target)
    terms["piece"] = math.ceil(p.batch * high * wide / used) / clock(target)
    if stride >= CAMPING:
        terms["conflict"] = terms["traffic"] * math.sqrt(min(stride, MOST_CAMPING) / CAMPING)
    words = (["float32"] if size >= 4 else []) + (["few rows"] if m <= FEW_ROWS else [])
    return Load(terms, ", ".join(words), floor_us=p.operations / (rate * cores), operations=p.operations)


def _pad(value: int, to: int) -> int:
    return -(-value // to) * to


def _power_of_two_stride(operands: list[Tensor]) -> int:
    """Largest power of two that divides the number of block rows of a FRACTAL_NZ operand; 1 for plain layouts."""
    blocked = [
        shape for t in operands if (shape := t.shape) and len(shape) >= 4 and layout(t) == "FRACTAL_NZ"
    ]
    tallest = max((shape[-3] for shape in blocked), default=1)
    return tallest & -tallest


def _attention_sizes(spec: OpSpec) -> tuple[int, int, int, int, int]:
    """(batch, heads, queries, keys, size of a head) from query and key, in the layouts BNSD, BSND, TND, SBH and BSH.

    The sequence is the longer of the two middle axes of the key; in SBH and BSH the hidden size stands for one head,
    which leaves the number of operations right.
    """
    given = [shape for t in spec.present_inputs if (shape := t.shape) and len(shape) >= 3]
    if len(given) < 2 or len(given[0]) != len(given[1]):
        raise NoLoad("query and key of the same rank are needed")
    q, k = given[0], given[1]
    if len(q) == 4 and q[0] == k[0]:
        seq = 1 if k[1] > k[2] else 2
        return q[0], q[3 - seq], q[seq], k[seq], q[3]
    if len(q) == 3 and q[2] == k[2] and q[2] <= 256:
        return 1, q[1], q[0], k[0], q[2]
    if len(q) == 3 and sorted(q[:2])[0] == sorted(k[:2])[0]:
        return min(q[:2]), 1, max(q[:2]), max(k[:2]), q[2]
    raise NoLoad("the sequence length is not in the shapes (paged or packed cache)")
