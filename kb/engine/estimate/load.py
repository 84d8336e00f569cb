"""The work of one call, split into terms that a chip spends time on; the constants say how long each takes.

A time is the sum of constant x term. Terms are zero or more, and none falls when a call is made twice as large:

- `launch`   1: head of every kernel
- `block`    blocks started, at most the cores
- `memory`   us at the peak of the memory, for bytes that cannot stay in the L2 cache
- `cached`   us at the peak of the memory, for bytes that may lie in L2
- `vector`   us of one 256-byte vector instruction a cycle, on the busiest core
- `piece`    us of one cycle for each piece of memory that is handled by itself, on the busiest core
- `scalar`   us of one cycle for each element that is handled by itself, on the busiest core
- `cube`     us at the cube peak of the cores used, sizes padded to whole blocks
- `traffic`  us at 128 bytes a cycle and core, for operands that other tiles read again
- `conflict` the same, for matrices whose blocks lie a power of two apart (FRACTAL_NZ)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kb.addition import plain_sum
from kb.engine.estimate.spec import OpSpec, elements, nbytes, size_of
from kb.model import Tensor
from kb.targets import Target

TERMS = ("launch", "block", "memory", "cached", "vector", "piece", "scalar", "cube", "traffic", "conflict")
VECTOR_BYTES = 256  # one vector instruction; Ascend C guide
BLOCK_BYTES = 32  # smallest unit of a move; Ascend C guide
TRAFFIC_BYTES = 128  # a cycle and core into L1; measured rates lie around it


@dataclass(frozen=True, slots=True)
class Load:
    """Terms of one call on one chip.

    `variant` tells apart calls of a class that need constants of their own ("broadcast", "last axis"). `floor_us` is
    the compute floor at peak, `operations` what the cube has to do without padding (a multiply-add counts 2), None for
    vector kernels. `assumed` lists what the shapes did not say.
    """

    terms: Mapping[str, float]
    variant: str = ""
    floor_us: float = 0.0
    assumed: tuple[str, ...] = ()
    operations: float | None = None


class NoLoad(Exception):
    """The shapes do not say what the call has to do; the text is the reason shown to the user."""


def blocks_by_size(tensors: Iterable[Tensor], target: Target) -> int:
    """Blocks of a kernel that splits its largest tensor evenly, by the smallest part given to a block.

    2 KiB on chips with one core for cube and vector, 4 KiB (2 KiB for elements under 4 bytes) on the others: seen in
    the block dims of public traces.
    """
    given = tuple(tensors)
    size = max((size_of(tensor) for tensor in given if tensor.shape), default=4.0)
    part = 2048 if target.fused or size < 4 else 4096
    return max(1, min(vector_cores(target), math.ceil(elements(largest(given)) * size / part)))


def busiest(blocks: int, target: Target) -> float:
    """Work of the busiest core as a part of the whole, times the microseconds of a cycle.

    `blocks` equal parts go to the vector cores in waves, so that the last wave may leave cores idle.
    """
    return math.ceil(blocks / vector_cores(target)) / blocks / clock(target)


def vector_cores(target: Target) -> int:
    """Cores that a vector kernel can be spread over."""
    return max(1, target.vector_cores)


def clock(target: Target) -> float:
    """Cycles in a microsecond; a chip without a stated clock is counted at 1 GHz."""
    return target.clock_mhz or 1000.0


def memory_rate(target: Target) -> float:
    """Bytes a microsecond at the peak of the memory; the planner's rate where no other is stated.

    Raises:
        NoLoad: no rate is stated for the chip.
    """
    rate = target.memory_gbps or target.memory_gbps_planner
    if not rate:
        raise NoLoad(f"no memory bandwidth is known for {target.id}")
    return rate * 1e3


def memory_terms(moved: float, target: Target) -> dict[str, float]:
    """Terms for bytes that pass between the memory and the cores once."""
    near = min(moved, float(target.l2_bytes or 0))
    return {"memory": (moved - near) / memory_rate(target), "cached": near / memory_rate(target)}


def vector_terms(moved: float, blocks: int, target: Target) -> dict[str, float]:
    """Terms of a vector kernel of `blocks` blocks that moves so many bytes."""
    return {"launch": 1.0, "block": float(min(blocks, vector_cores(target))), **memory_terms(moved, target)}


def largest(tensors: Iterable[Tensor]) -> Tensor:
    """The tensor with most elements; a single element where there is none."""
    return max(tensors, key=elements, default=Tensor((1,)))


def total_bytes(spec: OpSpec) -> float:
    """Bytes of all tensors given."""
    return plain_sum(map(nbytes, (*spec.present_inputs, *spec.present_outputs)))
