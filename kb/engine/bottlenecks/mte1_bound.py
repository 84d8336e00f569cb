"""Filling L0 from L1 is the longest pipe of a cube kernel."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import (
    Bottleneck,
    Held,
    above,
    confidence,
    context,
    is_cube_side,
    limit,
    pipe_headroom,
    value,
)
from kb.model import Features
from kb.units import percent


def judge(f: Features) -> Held | None:
    """MTE1 above half of the time, longer than the cube and than copying in."""
    mte1 = above(f, "aic_mte1_ratio", limit("mte1-bound", "mte1"))
    share = value(f, "aic_mte1_ratio")
    if mte1 is None or share < max(value(f, "aic_mac_ratio"), value(f, "aic_mte2_ratio")):
        return None
    return Held(
        confidence(share, 0.5, 0.9),
        pipe_headroom(f, "aic_mte1"),
        (mte1, *context(f, "aic_mac_ratio", "aic_mte2_ratio")),
        f"L1 to L0 transfers take {percent(share)} of the time, the cube {percent(value(f, 'aic_mac_ratio'))}",
    )


BOTTLENECK = Bottleneck(
    id="mte1-bound",
    why="Small base blocks or im2col by software reload L0 more often than the cube can use it.",
    needs=("aic_mte1_ratio", "aic_mac_ratio"),
    applies=is_cube_side,
    judge=judge,
)
