"""Kernels that only move data: slices, concatenations, transposes, layout changes, gathers, scatters, fills."""

from __future__ import annotations

import math

from kb.addition import plain_sum
from kb.engine.estimate.geometry import common_tail, whole_tail
from kb.engine.estimate.load import (
    BLOCK_BYTES,
    VECTOR_BYTES,
    Load,
    blocks_by_size,
    busiest,
    largest,
    total_bytes,
    vector_terms,
)
from kb.engine.estimate.spec import OpSpec, elements, layout, nbytes, size_of
from kb.targets import Target

NARROW_BYTES = 64  # rows up to this are read whole and sorted out on chip
ONE_BLOCK_BYTES = 65536  # most that a single block was seen to clear
BURST_BYTES = 64  # least that a read at a random place costs
PLAIN = ("ND", "NCHW", "NHWC", "NCDHW", "HWCN", "NCL", "")


def part(spec: OpSpec, target: Target) -> Load:
    """Slice, split, concat, pad, tile: pieces that lie together in the smaller and in the larger tensor."""
    tensors = (*spec.present_inputs, *spec.present_outputs)
    whole = largest(tensors)
    out = plain_sum(map(nbytes, spec.present_outputs))
    into = plain_sum(nbytes(tensor) for tensor in spec.present_inputs if tensor.dtype == whole.dtype)
    moved = (min(out, into) if out and into else max(out, into)) + out
    parts = [t for t in tensors if t is not whole and t.dtype == whole.dtype and t.shape] or [whole]
    pieces = single = 0.0
    for tensor in parts:
        run = common_tail(tensor.shape or (), whole.shape or ())
        many = max(1.0, elements(tensor) / max(run, 1))
        pieces += many
        if run * size_of(tensor) % BLOCK_BYTES and many > 1:  # of a long piece only the last block is ragged
            single += min(elements(tensor), many * BLOCK_BYTES / size_of(tensor))
    blocks = spec.blocks or blocks_by_size(spec.present_outputs or spec.present_inputs, target)
    share = busiest(blocks, target)
    narrow = single > 0 and (whole.shape or (1,))[-1] * size_of(whole) <= NARROW_BYTES
    terms = vector_terms(moved + (nbytes(whole) if narrow else 0.0), blocks, target)
    terms["vector"] = moved / VECTOR_BYTES * share
    terms["piece"] = pieces * share
    terms["scalar"] = single * share
    return Load(terms, "narrow" if narrow else "ragged" if single else "")


def transpose(spec: OpSpec, target: Target) -> Load:
    """Axes swapped: rows move whole when the last axis stays, element by element when it does not."""
    source = largest(spec.present_inputs)
    result = largest(spec.present_outputs or spec.present_inputs)
    before, after = source.shape or (1,), result.shape or (1,)
    hidden = before == after
    kept = before[-1] if hidden else whole_tail(before, after)
    blocks = spec.blocks or blocks_by_size((source, result), target)
    share = busiest(blocks, target)
    terms = vector_terms(nbytes(source) + nbytes(result), blocks, target)
    terms["vector"] = nbytes(source) / VECTOR_BYTES * share
    if kept > 1:
        terms["piece"] = elements(source) / kept * share
        assumed = ("permutation not in the shapes: the last axis is taken to stay",) if hidden else ()
        return Load(terms, "rows", assumed=assumed)
    terms["scalar"] = elements(source) * share
    return Load(terms, "last axis")


def conversion(spec: OpSpec, target: Target) -> Load:
    """TransData: between plain and blocked layouts."""
    source = largest(spec.present_inputs)
    result = largest(spec.present_outputs or spec.present_inputs)
    plain = source if layout(source) in PLAIN else result
    shape = plain.shape or (1,)
    run = math.prod(shape[-2:]) if layout(plain) in ("NCHW", "NCDHW", "HWCN") else shape[-1]
    blocks = spec.blocks or blocks_by_size((source, result), target)
    share = busiest(blocks, target)
    terms = vector_terms(nbytes(source) + nbytes(result), blocks, target)
    terms["vector"] = max(nbytes(source), nbytes(result)) / VECTOR_BYTES * share
    terms["piece"] = elements(plain) / max(run, 1) * share
    if run * size_of(source) % BLOCK_BYTES:
        terms["scalar"] = elements(plain) * share
        return Load(terms, "ragged")
    return Load(terms)


def gather(spec: OpSpec, target: Target) -> Load:
    """Rows picked by index from the first input: each is read by itself."""
    table = next((tensor for tensor in spec.present_inputs if tensor.shape), largest(()))
    result = largest(spec.present_outputs)
    row = whole_tail((table.shape or ())[1:], result.shape or ())
    pieces = max(1.0, elements(result) / max(row, 1))
    blocks = spec.blocks or blocks_by_size(spec.present_outputs, target)
    moved = pieces * max(row * size_of(table), BURST_BYTES) + nbytes(result)
    terms = vector_terms(moved, blocks, target)
    terms["piece"] = pieces * busiest(blocks, target)
    return Load(terms, "ragged" if row * size_of(table) % BLOCK_BYTES else "")


def scatter(spec: OpSpec, target: Target) -> Load:
    """Rows written by index; the tensor written to stays in place."""
    result = largest(spec.present_outputs or spec.present_inputs)
    updates = max((t for t in spec.present_inputs if t.shape != result.shape), key=nbytes, default=result)
    row = whole_tail((updates.shape or ())[1:], result.shape or ())
    pieces = max(1.0, elements(updates) / max(row, 1))
    blocks = spec.blocks or blocks_by_size((updates,), target)
    terms = vector_terms(2 * nbytes(updates), blocks, target)
    terms["piece"] = pieces * busiest(blocks, target)
    return Load(terms, "ragged" if row * size_of(updates) % BLOCK_BYTES else "")


def fill(spec: OpSpec, target: Target) -> Load:
    """Tensors written, and as far as they are inputs read, once. A tensor updated in place is not moved."""
    kept = {t.shape for t in spec.present_inputs} & {t.shape for t in spec.present_outputs}
    caches = {shape for shape in kept if shape and len(shape) >= 4 and len(spec.present_inputs) > 2}
    moved = total_bytes(spec) - plain_sum(
        nbytes(t) for t in (*spec.present_inputs, *spec.present_outputs) if t.shape in caches
    )
    blocks = spec.blocks or blocks_by_size((*spec.present_inputs, *spec.present_outputs), target)
    terms = vector_terms(moved, blocks, target)
    terms["vector"] = moved / VECTOR_BYTES * busiest(blocks, target)
    return Load(terms)


def clear(spec: OpSpec, target: Target) -> Load:
    """Memory set to zero before a kernel that adds into it.

    Next to a feature map only small sums are cleared, not the map that the profiler lists: seen as a single block.
    """
    tensors = (*spec.present_inputs, *spec.present_outputs)
    beside_map = layout(largest(tensors)) == "NC1HWC0"
    blocks = spec.blocks or (1 if beside_map else blocks_by_size(tensors, target))
    moved = total_bytes(spec) if blocks > 1 else min(total_bytes(spec), ONE_BLOCK_BYTES)
    terms = vector_terms(moved, blocks, target)
    terms["vector"] = moved / VECTOR_BYTES * busiest(blocks, target)
    return Load(
        terms, assumed=("only sums beside the map are cleared",) if beside_map and not spec.blocks else ()
    )
