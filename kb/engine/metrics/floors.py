"""The roofline floor of a kernel: no kernel doing this work on this chip can be faster.

floor = max(bytes / memory bandwidth, operations / peak of the unit). Bytes come from the shapes (what must move) or,
without shapes, from the counters (what did move). With several candidate chips the range runs over them. Data that
still lies in L2 can arrive faster than the memory gives it, so a kernel below its memory floor is possible and is
reported as such, not as an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kb.addition import plain_sum
from kb.engine.metrics.context import Context, Reading
from kb.engine.metrics.work import flops, must_move
from kb.model import Measure, Operator
from kb.targets import Target
from kb.vocabulary.dtypes import dtype_of

DEFINES: tuple[str, ...] = (
    "gm_bandwidth_utilisation",
    "memory_floor_us",
    "compute_floor_us",
    "floor_us",
    "floor_ratio",
)


def measure(op: Operator, context: Context, pattern: str, found: Mapping[str, Measure]) -> Iterator[Reading]:
    """Peak-based metrics; nothing when no chip is known."""
    if "gm_bandwidth" in found:
        achieved = found["gm_bandwidth"].value
        use = context.over_targets(
            lambda target: achieved / target.memory_gbps if target.memory_gbps else None,
            "1",
            "gm_bandwidth / memory bandwidth of the chip",
        )
        if use is not None:
            yield "gm_bandwidth_utilisation", use
    moved, moved_from = _bytes(op, pattern, found)
    work = flops(op, pattern) or 0.0
    memory = (
        context.over_targets(
            lambda target: _memory_us(target, moved), "us", f"{moved_from} / memory bandwidth", partial=True
        )
        if moved
        else None
    )
    compute = (
        context.over_targets(
            lambda target: _compute_us(target, op, work), "us", "operations / cube peak", partial=True
        )
        if work
        else None
    )
    if memory is not None:
        yield "memory_floor_us", memory
    if compute is not None:
        yield "compute_floor_us", compute
    floors = [item for item in (memory, compute) if item is not None]
    if not floors:
        return
    top = max(floors, key=lambda item: item.value)
    low, high = (max(getattr(item, end) or item.value for item in floors) for end in ("low", "high"))
    yield "floor_us", Measure(top.value, "us", top.origin, low, high, top.n, computed=True)
    if op.duration.value > 0:
        yield (
            "floor_ratio",
            _ratio(op, context, Measure(top.value, "us", top.origin, low, high, top.n), moved, work),
        )


def _ratio(op: Operator, context: Context, floor: Measure, moved: float, work: float) -> Measure:
    """Floor / duration over the candidate chips.

    Of a family that the user named, chips whose floor the kernel beat are left out while others remain: either it ran on
    none of them, or its data came from L2 and their memory is no limit.
    """
    duration = op.duration.value
    values = [part / duration for part in (floor.value, floor.low, floor.high) if part is not None]
    origin = f"floor / task duration: {floor.origin}"
    if context.profile.chip.basis == "stated" and len(context.targets) > 1:
        each = [_floor_on(target, op, moved, work) / duration for target in context.targets]
        known = [ratio for ratio in each if ratio > 0]
        kept = [ratio for ratio in known if ratio <= 1]
        if kept and len(kept) < len(known):
            values = [plain_sum(kept) / len(kept), min(kept), max(kept)]
            origin = f"floor / task duration; chips that it would beat left out: {floor.origin}"
    low, high = (values[1], values[2]) if len(values) == 3 else (None, None)
    return Measure(values[0], "1", origin, low, high, floor.n, computed=True)


def _floor_on(target: Target, op: Operator, moved: float, work: float) -> float:
    """The floor on one chip in microseconds; 0 when nothing is known of it."""
    memory = _memory_us(target, moved) if moved else None
    compute = _compute_us(target, op, work) if work else None
    return max(memory or 0.0, compute or 0.0)


def _bytes(op: Operator, pattern: str, found: Mapping[str, Measure]) -> tuple[float, str]:
    by_shape = must_move(op, pattern)
    if by_shape:
        return by_shape, f"{by_shape:.0f} bytes by shape ({pattern or 'outputs only'})"
    if "read_bytes" in found and "write_bytes" in found:
        total = found["read_bytes"].value + found["write_bytes"].value
        return total, f"{total:.0f} bytes moved (counters)"
    return 0.0, ""


def _memory_us(target: Target, moved: float) -> float | None:
    return moved / target.memory_gbps / 1e3 if target.memory_gbps else None


def _compute_us(target: Target, op: Operator, work: float) -> float | None:
    """None for a dtype whose peak is not known: the peak of a wider one would make a floor that can be beaten."""
    dtype = next((tensor.dtype for tensor in op.inputs if tensor.dtype), "fp16")
    known = dtype_of(dtype)
    name = known.peak if known else ""
    peak = target.cube_flops(name) if name else None
    if peak is None and name == "fp32":
        peak = target.cube_flops("fp16")
    return None if peak is None else work / peak * 1e6
