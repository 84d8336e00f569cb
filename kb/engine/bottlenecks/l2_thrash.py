"""Data that is used again is not found in L2."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import (
    Bottleneck,
    Held,
    above,
    below,
    confidence,
    context,
    is_kernel,
    limit,
    value,
)
from kb.model import Features
from kb.units import percent


def judge(f: Features) -> Held | None:
    """Low hit rate on data read more than once, with copying in a large part of the time."""
    hit = below(f, "l2_hit_rate", limit("l2-thrash", "hit"))
    passes = above(f, "passes_over_data", limit("l2-thrash", "passes"))
    volume = above(f, "read_bytes", limit("l2-thrash", "bytes"))
    mte2 = max(value(f, "aiv_mte2_ratio"), value(f, "aic_mte2_ratio"))
    if not (hit and passes and volume) or mte2 < 0.3:
        return None
    rate, times = value(f, "l2_hit_rate"), value(f, "passes_over_data")
    reusable = 1 - 1 / times
    headroom = round(max(0.0, min(mte2 * (reusable - rate), 1 - value(f, "floor_ratio"))), 4)
    if headroom <= 0.02:
        return None
    return Held(
        confidence(1 - rate, 0.5, 0.9),
        headroom,
        (hit, passes, volume, *context(f, "aiv_mte2_ratio", "aic_mte2_ratio")),
        f"data is read {times:.1f} times but only {percent(rate)} is found in L2",
    )


BOTTLENECK = Bottleneck(
    id="l2-thrash",
    why="L2 is several times faster than GM; a working set that does not fit is fetched again and again.",
    needs=("l2_hit_rate", "passes_over_data"),
    applies=is_kernel,
    judge=judge,
    collect="L2Cache and Memory, with the operator's shapes (--shape)",
)
