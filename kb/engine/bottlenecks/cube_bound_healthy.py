"""The cube works most of the time: what is left is small."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import (
    Bottleneck,
    Held,
    above,
    confidence,
    context,
    floor_ratio,
    is_cube_side,
    limit,
    value,
)
from kb.model import Features
from kb.units import percent


def judge(f: Features) -> Held | None:
    """Cube share at or above the advisor's good mark."""
    cube = above(f, "aic_mac_ratio", limit("cube-bound-healthy", "cube"))
    if cube is None:
        return None
    share = value(f, "aic_mac_ratio")
    headroom = max(0.0, min(1 - share, 1 - floor_ratio(f)))
    return Held(
        confidence(share, 0.8, 0.95),
        round(headroom, 4),
        (cube, *context(f, "floor_ratio")),
        f"the cube works {percent(share)} of the time: near its limit",
    )


BOTTLENECK = Bottleneck(
    id="cube-bound-healthy",
    why="Near the cube's limit only less work (lower precision, fusion, padding) helps.",
    needs=("aic_mac_ratio",),
    applies=is_cube_side,
    judge=judge,
)
