"""A vector kernel reads as fast as the memory gives."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import (
    Bottleneck,
    Held,
    above,
    confidence,
    context,
    is_vector_side,
    limit,
    value,
)
from kb.model import Features
from kb.units import percent


def judge(f: Features) -> Held | None:
    """MTE2 nearly always busy and the memory near its rate on every candidate chip, by counters or by shapes."""
    rate = "gm_bandwidth_utilisation" if "gm_bandwidth_utilisation" in f.values else "floor_ratio"
    mte2 = above(f, "aiv_mte2_ratio", limit("mte2-bound-vector-at-peak", "mte2"))
    use = above(f, rate, limit("mte2-bound-vector-at-peak", "utilisation"))
    if mte2 is None or use is None:
        return None
    share = min(1.0, value(f, rate))
    return Held(
        confidence(share, 0.6, 0.9),
        round(max(0.0, 1 - share), 4),
        (mte2, use, *context(f, "floor_us")),
        f"copies run at {percent(share)} of the memory bandwidth: only fewer bytes help",
    )


BOTTLENECK = Bottleneck(
    id="mte2-bound-vector-at-peak",
    why="At the memory's rate only moving fewer bytes makes it faster.",
    needs=("aiv_mte2_ratio", "gm_bandwidth_utilisation|floor_ratio"),
    applies=is_vector_side,
    judge=judge,
    collect="Memory",
)
