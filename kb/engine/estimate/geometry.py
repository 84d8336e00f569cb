"""How a kernel walks over its tensors: pieces that lie together in memory, rows, and products behind convolutions.

Everything is read off the shapes; axes and permutations are inferred from input against output, because profiler
exports do not hold attributes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from kb.engine.estimate.spec import OpSpec, elements, layout
from kb.model import Tensor

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Product:
    """A (batched) matrix product: `batch` times (m x k) by (k x n).

    `together` groups of a convolution stand in one product, zeros between them.
    """

    batch: int
    m: int
    n: int
    k: int
    together: int = 1

    @property
    def operations(self) -> float:
        """Operations that count, a multiply-add counting 2; those with the zeros between groups do not."""
        return 2.0 * self.batch * self.m * self.n * self.k / self.together


def broadcast_shape(shapes: Sequence[Shape]) -> Shape:
    """Shape of an elementwise result; where dimensions do not fit the larger one is taken."""
    rank = max(map(len, shapes), default=0)
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    return tuple(max(dims) for dims in zip(*padded, strict=True))


def uniform_block(out: Shape, inputs: Sequence[Shape]) -> int:
    """Elements of the innermost block of `out` over which every input either runs along or stands still.

    The whole tensor when nothing is broadcast. A kernel handles such a block with whole vector instructions.
    """
    rank = len(out)
    block, first = 1, None
    for axis in range(rank - 1, -1, -1):
        if out[axis] == 1:
            continue
        follows = tuple(_dim(shape, axis - rank) == out[axis] for shape in inputs)
        if first is None:
            first = follows
        if follows != first:
            break
        block *= out[axis]
    return block


def _dim(shape: Shape, axis: int) -> int:
    return shape[axis] if -axis <= len(shape) else 1


def common_tail(a: Shape, b: Shape) -> int:
    """Elements that lie together both in `a` and in `b` when one is a part of the other (slice, concat, pad, tile)."""
    left, right = _squeezed(a), _squeezed(b)
    run = 1
    while left and right and left[-1] == right[-1]:
        run *= left.pop()
        right.pop()
    return run * min(left[-1], right[-1]) if left and right else run


def _squeezed(shape: Shape) -> list[int]:
    """Without leading ones, which hold no order."""
    found = list(shape)
    while len(found) > 1 and found[0] == 1:
        found.pop(0)
    return found


def whole_tail(a: Shape, b: Shape) -> int:
    """Elements of the trailing dimensions that both shapes share; 1 when the last ones differ."""
    run = 1
    for left, right in zip(reversed(a), reversed(b), strict=False):
        if left != right:
            break
        run *= left
    return run


@dataclass(frozen=True, slots=True)
class Reduction:
    """Axes of a reduction in three stretches: `kept` x `summed` x `tail`, then `inner` elements that are summed last.

    `tail` is what lies innermost and stays (1 when the innermost axis is summed); `inner` is 1 when it stays.
    """

    kept: int
    summed: int
    tail: int
    inner: int


def reduction_of(source: Shape, result: Shape) -> Reduction:
    """Which axes were summed, from input against output; where that is ambiguous the inner axes are taken as kept."""
    mask = _kept_axes(source, result)
    axes = list(zip(source, mask, strict=True))
    tail = inner = 1
    if axes and axes[-1][1]:
        while axes and axes[-1][1]:
            tail *= axes.pop()[0]
    else:
        while axes and not axes[-1][1]:
            inner *= axes.pop()[0]
    kept = math.prod(size for size, stays in axes if stays)
    summed = math.prod(size for size, stays in axes if not stays)
    return Reduction(kept, summed, tail, inner)


def _kept_axes(source: Shape, result: Shape) -> list[bool]:
    if len(source) == len(result):
        return [a == b for a, b in zip(source, result, strict=True)]
    wanted = [size for size in result if size != 1]
    mask = []
    for size in reversed(source):
        stays = size == 1 or (bool(wanted) and wanted[-1] == size)
        if stays and size != 1:
            wanted.pop()
        mask.append(stays)
    return mask[::-1]


def as_matrix(tensor: Tensor) -> tuple[int, int, int]:
    """(rows, columns, elements that lie together) of a tensor worked on along its last axis.

    In FRACTAL_NZ a row is scattered: 16 (or C0) elements lie together.
    """
    shape = tensor.shape or (1,)
    if layout(tensor) == "FRACTAL_NZ" and len(shape) >= 4:
        columns, rows, rows0, columns0 = shape[-4:]
        return math.prod(shape[:-4]) * rows * rows0, columns * columns0, columns0
    return math.prod(shape[:-1]), shape[-1], shape[-1]


def matrix_product(spec: OpSpec) -> Product | None:
    """The product behind a MatMul call, None when the shapes do not fit one.

    Sizes come from the element counts of A, B and C, so that transposes and blocked layouts do not matter:
    A = b M K, B = b K N, C = b M N give K = sqrt(A B / (C b)). Without an output, K is the size that both share.
    """
    given = [tensor for tensor in spec.present_inputs if len(tensor.shape or ()) > 1]
    if len(given) < 2:
        return None
    a, b = given[0], given[1]
    out = next((tensor for tensor in spec.present_outputs if tensor.shape), None)
    if out is None:
        return _without_output(a, b)
    result, inner = out.shape or (), 4 if layout(out) == "FRACTAL_NZ" else 2
    batch = math.prod(result[:-inner]) if len(b.shape or ()) == len(result) > inner else 1
    counts = (elements(a), elements(b), elements(out))
    if min(*counts, batch) <= 0:
        return None
    k = math.sqrt(counts[0] * counts[1] / (counts[2] * batch))
    product = Product(batch, round(counts[0] / (batch * k)), round(counts[1] / (batch * k)), round(k))
    return product if min(product.m, product.n, product.k) > 0 else None


def _without_output(a: Tensor, b: Tensor) -> Product | None:
    left, right = a.shape or (), b.shape or ()
    if layout(a).startswith("FRACTAL") or elements(a) * elements(b) == 0:
        return None
    if layout(b).startswith("FRACTAL"):  # a weight in blocks: K is the last axis of A
        k = left[-1]
        wide = elements(b) // k
        return Product(1, elements(a) // k, wide, k) if wide * k == elements(b) else None
    batch = math.prod(left[:-2]) if len(right) > 2 else 1
    rows = math.prod(left[:-2]) if len(right) == 2 else 1
    for high, shared in ((left[-2], left[-1]), (left[-1], left[-2])):
        if shared in right[-2:]:
            return Product(batch, high * rows, right[-1] if shared == right[-2] else right[-2], shared)
    return None
