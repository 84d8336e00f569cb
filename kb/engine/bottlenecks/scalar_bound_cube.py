"""Scalar work keeps the cube waiting."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import (
    Bottleneck,
    Held,
    above,
    below,
    confidence,
    context,
    is_cube_side,
    limit,
    pipe_headroom,
    value,
)
from kb.model import Features
from kb.units import percent

CUBE_UNUSED = 0.005


def judge(f: Features) -> Held | None:
    """High scalar and low cube share, with scalar the longest pipe; a full queue shows as stall and does not count."""
    scalar = above(f, "aic_scalar_ratio", limit("scalar-bound-cube", "scalar"))
    cube = below(f, "aic_mac_ratio", limit("scalar-bound-cube", "cube"))
    share = value(f, "aic_scalar_ratio")
    if f.labels.get("core") == "mix" and value(f, "aic_mac_ratio", 1.0) < CUBE_UNUSED:
        return None  # a vector kernel launched as mix: its cube side has nothing to do
    if (
        scalar is None
        or (cube is None and "aic_mac_ratio" in f.values)
        or share - value(f, "aic_scalar_stall_ratio") < limit("scalar-bound-cube", "scalar").value
    ):
        return None
    if share < max(value(f, "aic_mte2_ratio"), value(f, "aic_mte1_ratio"), value(f, "aic_fixpipe_ratio")):
        return None
    evidence = (scalar, *([cube] if cube else []), *context(f, "aic_mte2_ratio", "aic_scalar_stall_ratio"))
    return Held(
        confidence(share, 0.3, 0.8, low=0.55), pipe_headroom(f, "aic_scalar"), evidence,
        f"scalar work takes {percent(share)} of the cube cores' time while the cube works {percent(value(f, 'aic_mac_ratio'))}",
    )  # fmt: skip


BOTTLENECK = Bottleneck(
    id="scalar-bound-cube",
    why="Messages of the mixed mode, tiling in GM, register spills or instruction misses hold up the cube.",
    needs=("aic_scalar_ratio",),
    applies=is_cube_side,
    judge=judge,
    yields_to=("cv-sync-bound", "cube-idle-no-dot"),
)
