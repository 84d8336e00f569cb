"""Synthetic launches: what a kernel near its roofline, or away from it, would show.

Times come from the engine's own floors (`kb.engine.metrics.floors`), so that a kernel called healthy is healthy by the
same arithmetic that judges it. Pipe shares follow from the floors: the pipe of the longer floor is busy nearly all the
time, the others in proportion, as in captures of kernels that were tuned.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from kb import operators
from kb.engine.metrics import floors
from kb.engine.metrics.context import Context
from kb.engine.metrics.work import tensor_bytes
from kb.model import Capture, Chip, CoreKind, Measure, Operator, Profile, Tensor
from kb.targets import Target

HEAD_US = 2.0  # scheduling and completion around the cores' work (cost model, section 2: vector 1.1 to 2 us)
REACH = 0.85  # part of the roofline that a tuned kernel reaches
BUSY = 0.93  # share of the longest pipe in such a kernel
# Vector instructions an element, by work pattern; estimates that only shape the vector share.
_VECTOR_WORK = {
    "norm": 6,
    "fused_norm": 7,
    "softmax": 8,
    "activation": 6,
    "elementwise_transcendental": 5,
    "reduce": 2,
}
# Attention near its limit: cube and vector side by side, scores passing through GM. Shares as large tuned kernels show.
_ATTENTION = {
    "aic_mac": 0.82, "aic_mte1": 0.55, "aic_mte2": 0.50, "aic_fixpipe": 0.42, "aic_scalar": 0.25,
    "aiv_vec": 0.64, "aiv_scalar": 0.22, "aiv_mte2": 0.34, "aiv_mte3": 0.26,
}  # fmt: skip
ATTENTION_REACH = 0.41  # of the floor, which counts the causal half: 0.82 of the cube for all of it


@dataclass(frozen=True, slots=True)
class Kernel:
    """One launch. `shares` maps pipes ("aic_mac", "aiv_vec", ...) to their share of the core's time."""

    type: str
    core: CoreKind
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    duration: float
    blocks: int = 0
    shares: Mapping[str, float] = field(default_factory=dict)
    gap: float = 0.6  # idle time before it, microseconds
    stream: str = "2"

    @property
    def core_time(self) -> float:
        """Time of the cores: the task's without its head, at least half of it."""
        return max(self.duration - HEAD_US, self.duration / 2)


def tensor(*shape: int, dtype: str = "FLOAT16", format: str = "ND") -> Tensor:
    """A tensor as exports name it."""
    return Tensor(shape, dtype, format)


def floors_of(kernel: Kernel, target: Target) -> tuple[float, float]:
    """(memory, compute) floor of a launch on a chip in microseconds; 0 where none can be computed."""
    unit = Measure(1.0, "us", "synthetic")
    op = Operator(
        kernel.type, kernel.type, kernel.core, 1, unit, 1.0, inputs=kernel.inputs, outputs=kernel.outputs
    )
    profile = Profile("synthetic", "synthetic", "operator", Capture("synthetic"), Chip(target.id), (op,))
    pattern = operators.pattern(kernel.type) or ""
    found = dict(floors.measure(op, Context(profile, (target,), None, None), pattern, {}))
    memory, compute = (found.get(name) for name in ("memory_floor_us", "compute_floor_us"))
    return (memory.value if memory else 0.0), (compute.value if compute else 0.0)


def healthy(
    kind: str,
    inputs: tuple[Tensor, ...],
    outputs: tuple[Tensor, ...],
    target: Target,
    *,
    core: CoreKind | None = None,
) -> Kernel:
    """A launch of this work at `REACH` of its roofline on all cores of the chip."""
    pattern = operators.pattern(kind) or ""
    side = core or _core(kind, pattern, target)
    kernel = Kernel(kind, side, inputs, outputs, 1.0, target.cores(side) or 0)
    memory, compute = floors_of(kernel, target)
    if pattern == "attention":
        return replace(kernel, duration=round(compute / ATTENTION_REACH + HEAD_US, 3), shares=_ATTENTION)
    if side == "vector" or (side == "fused" and not compute):
        return _vector(kernel, pattern, memory, target)
    floor = max(memory, compute)
    mac, mte2 = (BUSY * part / floor for part in (compute, memory))
    mte2 = max(mte2, 0.62 * mac)  # operands are read more than once, from L2
    shares = {
        "aic_mac": mac,
        "aic_mte2": mte2,
        "aic_mte1": 0.75 * mac,
        "aic_fixpipe": 0.09,
        "aic_scalar": 0.14,
    }
    return replace(kernel, duration=round(floor / REACH + HEAD_US, 3), shares=shares)


def _core(kind: str, pattern: str, target: Target) -> CoreKind:
    if target.fused:
        return "fused"
    if pattern.startswith("attention"):
        return "mix"
    return "cube" if operators.category(kind) == "cube" else "vector"


def _vector(kernel: Kernel, pattern: str, memory: float, target: Target) -> Kernel:
    """A vector kernel: the memory or, where there is much to compute, the vector unit sets the pace."""
    elements = max((_count(item) for item in (*kernel.inputs, *kernel.outputs)), default=0)
    rate = target.vector_ops("fp16") or 1.0
    work = elements * _VECTOR_WORK.get(pattern, 1) / rate * 1e6
    floor = max(memory, work)
    read, write = (sum(filter(None, map(tensor_bytes, side))) for side in (kernel.inputs, kernel.outputs))
    total = (read + write) or 1.0
    copies = BUSY * memory / floor if floor else 0.0
    mte2 = copies if read >= write / 4 else copies * read / total
    mte3 = min(copies, 1.6 * copies * write / total)
    prefix = "aic" if kernel.core == "fused" else "aiv"
    shares = {
        "vec": min(BUSY, BUSY * work / floor) if floor else 0.0,
        "mte2": mte2,
        "mte3": mte3,
        "scalar": 0.06,
    }
    return replace(
        kernel,
        duration=round(floor / REACH + HEAD_US, 3),
        shares={f"{prefix}_{pipe}": share for pipe, share in shares.items()},
    )


def _count(item: Tensor) -> int:
    count = 1
    for axis in item.shape or (0,):
        count *= axis
    return count


def alike(kind: str, twin: Kernel, inputs: tuple[Tensor, ...], outputs: tuple[Tensor, ...]) -> Kernel:
    """A launch that does as much work as `twin` (a convolution's gradients beside the convolution)."""
    return replace(twin, type=kind, inputs=inputs, outputs=outputs)


def collective(kind: str, payload: Tensor, duration: float, *, beside: bool = True) -> Kernel:
    """A collective; `beside` computation it starts with the kernel before it, on a stream of its own."""
    return Kernel(kind, "communication", (payload,), (payload,), duration, stream="61" if beside else "60")


def slower(
    kernel: Kernel, factor: float, shares: Mapping[str, float], *, blocks: int | None = None
) -> Kernel:
    """The same work at `factor` times the time, with the shares of what went wrong."""
    return replace(
        kernel,
        duration=round(kernel.duration * factor, 3),
        shares={**kernel.shares, **shares},
        blocks=kernel.blocks if blocks is None else blocks,
    )
