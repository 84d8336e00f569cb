"""The clock was below its rating while measuring."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import Bottleneck, Held, below, confidence, is_kernel, limit, value
from kb.model import Features
from kb.units import percent


def judge(f: Features) -> Held | None:
    """Current clock below 95 % of the rated one."""
    clock = below(f, "clock_ratio", limit("frequency-drop", "clock"))
    if clock is None:
        return None
    ratio = value(f, "clock_ratio")
    return Held(
        confidence(1 - ratio, 0.05, 0.2, low=0.8),
        round(1 - ratio, 4),
        (clock,),
        f"the clock ran at {percent(ratio)} of its rating: times are longer than the kernel's own",
    )


BOTTLENECK = Bottleneck(
    id="frequency-drop",
    why="A power or thermal limit stretches every time; compare only at equal clocks.",
    needs=("clock_ratio",),
    applies=is_kernel,
    judge=judge,
    collect="OpBasicInfo (Current Freq, Rated Freq)",
)
