"""Data that is touched once passes through L2."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import (
    Bottleneck,
    Held,
    above,
    below,
    context,
    is_vector_side,
    limit,
    value,
)
from kb.model import Features


def judge(f: Features) -> Held | None:
    """Nothing is found in L2, each byte is read once, and copying in is the whole time."""
    hit = below(f, "l2_hit_rate", limit("l2-stream-once", "hit"))
    mte2 = above(f, "aiv_mte2_ratio", limit("l2-stream-once", "mte2"))
    if hit is None or mte2 is None or not 0.5 <= value(f, "passes_over_data", 1.0) <= 1.2:
        return None
    if value(f, "read_bytes") < 2**20:
        return None  # a small cold read: the profiler flushes L2 before every pass
    return Held(
        0.5,
        round(max(0.0, 1 - min(1.0, value(f, "gm_bandwidth_utilisation", 0.7))), 4),
        (hit, mte2, *context(f, "passes_over_data", "read_bytes")),
        "data is read once, so caching it in L2 wins nothing",
    )


BOTTLENECK = Bottleneck(
    id="l2-stream-once",
    why="Writes that nobody reads again push useful lines out of L2.",
    needs=("l2_hit_rate", "aiv_mte2_ratio"),
    applies=is_vector_side,
    judge=judge,
    collect="L2Cache",
)
