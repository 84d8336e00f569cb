"""Cores finish at different times."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import (
    Bottleneck,
    Held,
    above,
    confidence,
    context,
    is_kernel,
    limit,
    value,
)
from kb.model import Features
from kb.units import percent


def judge(f: Features) -> Held | None:
    """Slowest core well above the mean of the launched ones."""
    spread = above(f, "core_time_imbalance", limit("core-imbalance", "imbalance"))
    if spread is None:
        return None
    share = value(f, "core_time_imbalance")
    idle = value(f, "idle_core_share")
    what = f"; {percent(idle)} of the launched cores did next to nothing" if idle > 0 else ""
    return Held(
        confidence(share, 0.1, 0.3),
        round(share, 4),
        (spread, *context(f, "idle_core_share", "working_cores", "block_dim")),
        f"cores finish at different times: {percent(share)} of the launched cores' time is waiting for the slowest{what}",
    )


BOTTLENECK = Bottleneck(
    id="core-imbalance",
    why="The kernel ends with its slowest core.",
    needs=("core_time_imbalance",),
    applies=lambda f: is_kernel(f) and f.get("block_dim") != 1,
    judge=judge,
    collect="msopprof PipeUtilization (per-core rows)",
)
