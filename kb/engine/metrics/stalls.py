"""What the scalar unit waits for, where the profiler says it (26.0 and later): full queues, flags, instructions."""

from __future__ import annotations

from collections.abc import Iterator

from kb.addition import plain_sum
from kb.engine.metrics.context import Context, Reading
from kb.engine.metrics.sides import Side, sides
from kb.model import Measure, Operator

DEFINES: tuple[str, ...] = (
    "aic_scalar_stall_ratio", "aiv_scalar_stall_ratio", "aic_scalar_wait_ib_ratio", "aiv_scalar_wait_ib_ratio",
)  # fmt: skip

_STALLS = ("mte1_stall", "mte2_stall", "mte3_stall", "cube_stall", "vector_stall", "stall_by_ub", "wait")


def measure(op: Operator, context: Context) -> Iterator[Reading]:
    """Stall shares of each side, from times over the core's time."""
    for prefix, side in sides(op).items():
        total = side.column("time_us")
        if total is None or total.value <= 0:
            continue
        yield from _share(f"{prefix}_scalar_stall_ratio", side, _STALLS, total.value)
        yield from _share(f"{prefix}_scalar_wait_ib_ratio", side, ("wait_ib",), total.value)


def _share(metric: str, side: Side, kinds: tuple[str, ...], total_us: float) -> Iterator[Reading]:
    found = [part for kind in kinds if (part := side.column(f"scalar_{kind}_time_us")) is not None]
    if found:
        share = plain_sum(part.value for part in found) / total_us
        yield (
            metric,
            Measure(share, "1", " + ".join(part.origin for part in found) + " / core time", computed=True),
        )
