"""Time of an operator from its shapes, without a device.

time = sum of constant x term: the terms say what a call has to do on the chip (`load`), the constants how long that
takes (`table`, fitted by class on published timings). The range is the spread of calls that were left out of the fit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from kb import operators, targets
from kb.addition import plain_sum
from kb.engine.estimate import table
from kb.engine.estimate.classes import Placed, place
from kb.engine.estimate.load import NoLoad, memory_rate, total_bytes
from kb.engine.estimate.scales import Scale, Scales, doubts, shipped_scales
from kb.engine.estimate.spec import OpSpec, from_operator
from kb.model import Operator
from kb.targets import Target
from kb.units import us

__all__ = ["Estimate", "NotEstimated", "OpSpec", "estimate", "from_operator"]

_AI_CPU_US, _AI_CPU_BYTES = 180.0, 1e3  # us a call (two measured kernels took 136 and 238), bytes a us
_BOUNDS = {
    "launch": "launch", "block": "launch", "memory": "memory", "cached": "memory", "traffic": "memory", "conflict": "memory",
    "vector": "vector", "piece": "small pieces", "scalar": "small pieces", "cube": "cube",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Estimate:
    """Microseconds of one call: likely, and a range that about six calls in seven fall into.

    `bound` is what most of the time goes to: launch, memory, vector, small pieces, cube or ai_cpu. `basis` names the
    constants used and what was assumed. `walk` is the class whose calibration holds for it, `error` the median factor
    error on timings left out of the fit; `operations` what the cube has to do, None for other kernels. `roofline_us` is the
    larger of the cube at peak and all bytes at the memory's peak; `doubt` says where the estimate is known to be weak.
    """

    low_us: float
    mid_us: float
    high_us: float
    bound: str
    basis: str
    walk: str = ""
    error: float | None = None
    operations: float | None = None
    roofline_us: float | None = None
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class NotEstimated:
    """Why no time can be given."""

    reason: str


def estimate(
    op: OpSpec | Operator,
    target: Target | str,
    constants: table.Table | None = None,
    scales: Scales | None = None,
) -> Estimate | NotEstimated:
    """Device time of one call on a chip. A family or group name stands for its typical chip.

    `constants` are those shipped, or fitted elsewhere; `scales` those of the user's calibration, class by class. Classes
    without one keep the scales that come with kb for the chip's family.

    Raises:
        UsageError: unknown chip.
    """
    spec = op if isinstance(op, OpSpec) else from_operator(op)
    chip = targets.typical(target) if isinstance(target, str) else target
    if is_ai_cpu(spec):
        return _ai_cpu(spec)
    try:
        placed = place(spec, chip)
        found = (constants or table.shipped_table()).find(chip.family, placed.keys, call=spec.call)
        if found is None:
            return NotEstimated(f"no constants for chips of the family {chip.family}")
        scale = (scales or {}).get(placed.walk) or shipped_scales().get(chip.family, {}).get(placed.walk)
        return _doubted(_with(placed, *found, chip, scale), spec, chip)
    except NoLoad as reason:
        return NotEstimated(str(reason))


def is_ai_cpu(spec: OpSpec) -> bool:
    """Whether the call is said to run on AI CPU."""
    return spec.core.upper().replace(" ", "_") in ("AI_CPU", "AICPU")


def _with(
    placed: Placed, used: table.Constants, source: table.Source, chip: Target, scale: Scale | None
) -> Estimate:
    parts = used.parts(placed.load.terms)
    if scale is not None:
        parts = {name: value * scale.of(name) for name, value in parts.items()}
    floor = floor_us(placed, chip)
    mid = max(plain_sum(parts.values()), floor)
    below, above = used.low / source.widen, used.high * source.widen
    if scale is not None and scale.low is not None and scale.high is not None:
        below, above = scale.low, scale.high
    low, high = min(mid, max(mid * below, floor)), mid * above
    bounds: dict[str, float] = {}
    for name, value in parts.items():
        bounds[_BOUNDS[name]] = bounds.get(_BOUNDS[name], 0.0) + value
    bound = max(bounds, key=lambda name: bounds[name])
    error = f"median error x{used.error:.2f}" if used.error else "no measured error"
    counted = f"{used.rows} timings" if used.rows else "assumed"
    said = [f'class "{used.name}" of {used.family} ({counted}, {error}; {used.source}) on {chip.id}']
    said.append(f"{us(bounds[bound])} of it {bound}")
    remarks = (source.remark, scale.said if scale is not None else "", *placed.load.assumed)
    said += [text for text in remarks if text]
    terms = placed.load.terms
    roofline = max(placed.load.floor_us, terms.get("memory", 0.0) + terms.get("cached", 0.0))
    return Estimate(
        low, mid, high, bound, "; ".join(said), placed.walk, used.error, placed.load.operations, roofline
    )


def _doubted(found: Estimate, spec: OpSpec, chip: Target) -> Estimate:
    """The estimate with the range and the words of what is known to be weak about it."""
    factor, text = doubts().get((chip.family, operators.canonical(spec.type)), (1.0, ""))
    if not text:
        return found
    return replace(
        found,
        low_us=min(found.low_us, found.mid_us / factor),
        high_us=max(found.high_us, found.mid_us * factor),
        basis=f"{found.basis}; {text}",
        doubt=text,
    )


def floor_us(placed: Placed, chip: Target) -> float:
    """No kernel doing this work is faster: cube at peak, and every byte at the rate of the L2 cache.

    The L2 rate and not that of the memory, because what was just written is often still there.
    """
    terms = placed.load.terms
    near = max(chip.l2_gbps_high or chip.l2_gbps or 0.0, 4 * memory_rate(chip) / 1e3)
    moved = (terms.get("memory", 0.0) + terms.get("cached", 0.0)) * memory_rate(chip)
    return max(placed.load.floor_us, moved / (near * 1e3))


def _ai_cpu(spec: OpSpec) -> Estimate:
    mid = _AI_CPU_US + total_bytes(spec) / _AI_CPU_BYTES
    basis = "AI CPU kernel: 180 us + bytes at 1 GB/s, an assumption from two measured kernels"
    return Estimate(mid / 3, mid, mid * 3, "ai_cpu", basis)
