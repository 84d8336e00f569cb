"""Vector kernels: elementwise, casts, reductions, norms, softmax, pooling, quantisation, optimisers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from kb.engine.estimate.geometry import Shape, as_matrix, broadcast_shape, reduction_of, uniform_block
from kb.engine.estimate.load import (
    BLOCK_BYTES,
    VECTOR_BYTES,
    Load,
    blocks_by_size,
    busiest,
    clock,
    largest,
    total_bytes,
    vector_cores,
    vector_terms,
)
from kb.engine.estimate.spec import OpSpec, elements, layout, nbytes, size_of
from kb.model import Tensor
from kb.targets import Target


def elementwise(spec: OpSpec, target: Target) -> Load:
    """Every output element from the inputs at the same place; broadcasts are handled block by block."""
    inputs = spec.present_inputs
    tensors = (*inputs, *spec.present_outputs)
    biggest = largest(tensors)
    given = [t.shape for t in spec.present_outputs[:1]]
    out = given[0] if given else broadcast_shape([t.shape or () for t in inputs])
    blocks = spec.blocks or blocks_by_size(tensors, target)
    share = busiest(blocks, target)
    shapes = [t.shape for t in inputs if t.shape and elements(t) > 1]
    block = uniform_block(out or (), shapes)
    pieces = math.prod(out or ()) / max(block, 1) if len(shapes) > 1 else 1.0
    terms = vector_terms(total_bytes(spec), blocks, target)
    terms["vector"] = max(elements(biggest), 1) * size_of(biggest) * share / VECTOR_BYTES
    if pieces > 1:
        terms["piece"] = pieces * share
        return Load(terms, "broadcast, ragged" if block * size_of(biggest) % BLOCK_BYTES else "broadcast")
    if biggest.dtype.lower().endswith("int64"):
        terms["scalar"] = elements(biggest) * share
        return Load(terms, "int64")
    return Load(terms)


def rows(spec: OpSpec, target: Target) -> Load:
    """Row by row along the last axis: norms over features, softmax, dynamic quantisation."""
    first = largest(spec.present_inputs or spec.present_outputs)
    count, columns, together = as_matrix(first)
    blocks = spec.blocks or max(1, min(vector_cores(target), count))
    share = busiest(blocks, target)
    terms = vector_terms(total_bytes(spec), blocks, target)
    terms["vector"] = count * math.ceil(columns * size_of(first) / VECTOR_BYTES) * share
    terms["piece"] = count * share
    if together < columns:
        terms["scalar"] = count * columns / max(together, 1) * share
        return Load(terms, "blocked")
    return Load(terms, "ragged" if columns * size_of(first) % BLOCK_BYTES else "")


def channels(spec: OpSpec, target: Target) -> Load:
    """Statistics a channel over batch and space, in NC1HWC0: split over the batch, one piece a channel block."""
    first = largest(spec.present_inputs or spec.present_outputs)
    shape = first.shape or ()
    if layout(first) != "NC1HWC0" or len(shape) != 5:
        return rows(spec, target)
    blocks = spec.blocks or max(1, min(vector_cores(target), shape[0]))
    share = busiest(blocks, target)
    terms = vector_terms(total_bytes(spec), blocks, target)
    terms["vector"] = nbytes(first) * share / VECTOR_BYTES
    terms["piece"] = shape[0] * shape[1] * share
    return Load(terms)


def reduction(spec: OpSpec, target: Target) -> Load:
    """Sums, maxima and the like over some axes, inferred from input against output."""
    first = largest(spec.present_inputs)
    result = largest(spec.present_outputs)
    if elements(result) >= elements(first) > 1:
        return elementwise(spec, target)
    blocks = spec.blocks or blocks_by_size(spec.present_inputs, target)
    share = busiest(blocks, target)
    terms = vector_terms(total_bytes(spec), blocks, target)
    terms["vector"] = nbytes(first) * share / VECTOR_BYTES
    if elements(result) <= 1:
        assumed = () if spec.present_outputs else ("no output shape: reduced to one value",)
        return Load(terms, "to one value", assumed=assumed)
    axes = reduction_of(first.shape or (), result.shape or ())
    run = axes.inner if axes.inner > 1 else axes.tail
    ragged = ", ragged" if run * size_of(first) % BLOCK_BYTES else ""
    if axes.inner > 1 or axes.kept > 1:
        terms["piece"] = axes.kept * axes.summed * share
    else:  # no outer axis to split: the columns are split over the cores, and each core walks all rows
        terms["piece"] = axes.summed / clock(target)
    return Load(terms, ("last axis" if axes.inner > 1 else "outer axis") + ragged)


def pool(spec: OpSpec, target: Target) -> Load:
    """Pooling and its gradient over windows in NC1HWC0, row by row of the larger map."""
    tensors = (*spec.present_inputs, *spec.present_outputs)
    maps = [shape for t in tensors if (shape := t.shape) and len(shape) == 5 and not _is_mask(t)]
    if not maps:
        return elementwise(spec, target)
    batch, groups, height, width, _ = max(maps, key=math.prod)
    fine = min((shape[2] * shape[3] for shape in maps if shape[:2] == (batch, groups)), default=1)
    window = _window(tensors, maps)
    blocks = spec.blocks or max(1, min(vector_cores(target), batch * groups))
    share = busiest(blocks, target)
    terms = vector_terms(total_bytes(spec), blocks, target)
    terms["vector"] = batch * groups * fine * window * BLOCK_BYTES * share / VECTOR_BYTES
    terms["piece"] = batch * groups * height * share
    terms["scalar"] = batch * groups * window * share
    return Load(terms, "overlapping" if fine == height * width and window > 1 else "")


def _is_mask(tensor: Tensor) -> bool:
    return "INT16" in tensor.dtype.upper()


def _window(tensors: tuple[Tensor, ...], maps: Sequence[Shape]) -> int:
    """Elements of the window: from the argmax mask or the filter where one is given, else from the sizes of the maps."""
    said = [shape[2] for t in tensors if _is_mask(t) and (shape := t.shape) and len(shape) == 5]
    said += [shape[1] * shape[2] for t in tensors if (shape := t.shape) and len(shape) == 6]
    areas = [shape[2] * shape[3] for shape in maps]
    return max(said) if said else max(1, round(max(areas) / max(min(areas), 1)))
