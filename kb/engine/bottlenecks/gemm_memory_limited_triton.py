"""A projection written in Triton is limited by memory."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import (
    Bottleneck,
    Held,
    above,
    below,
    confidence,
    limit,
    pattern_in,
    pipe_headroom,
    value,
)
from kb.model import Features
from kb.units import percent


def judge(f: Features) -> Held | None:
    """MTE2 above and cube below the marks in an own matrix multiplication kernel."""
    mte2 = above(f, "aic_mte2_ratio", limit("gemm-memory-limited-triton", "mte2"))
    cube = below(f, "aic_mac_ratio", limit("gemm-memory-limited-triton", "cube"))
    if mte2 is None or cube is None:
        return None
    return Held(
        confidence(value(f, "aic_mte2_ratio"), 0.6, 0.95),
        pipe_headroom(f, "aic_mte2"),
        (mte2, cube),
        f"MTE2 {percent(value(f, 'aic_mte2_ratio'))}, cube {percent(value(f, 'aic_mac_ratio'))} in a matrix multiplication kernel of one's own",
    )


BOTTLENECK = Bottleneck(
    id="gemm-memory-limited-triton",
    why="Small or badly shaped blocks reuse too little of what they load.",
    needs=("aic_mte2_ratio", "aic_mac_ratio"),
    applies=lambda f: (
        f.labels.get("hand_written") == "yes"
        and f.labels.get("core") in ("cube", "mix")
        and not pattern_in(f, "attention")
    ),
    judge=judge,
    parent="mte2-bound-cube-hungry",
)
