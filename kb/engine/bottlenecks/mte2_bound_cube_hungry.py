"""A matrix kernel waits for its operands."""

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


def judge(f: Features) -> Held | None:
    """Copying in is the longest pipe and the cube works less than half of the time (or its share is unknown)."""
    mte2 = above(f, "aic_mte2_ratio", limit("mte2-bound-cube-hungry", "mte2"))
    cube = below(f, "aic_mac_ratio", limit("mte2-bound-cube-hungry", "cube"))
    share = value(f, "aic_mte2_ratio")
    if mte2 is None or share < value(f, "aic_scalar_ratio") or (cube is None and not _starved(f, share)):
        return None
    evidence = (
        mte2,
        *([cube] if cube else context(f, "aic_mac_ratio")),
        *context(f, "gm_bandwidth_utilisation", "l2_hit_rate", "bytes_per_mte2_instruction", "floor_ratio"),
    )
    sure = confidence(share, 0.6, 0.95, low=0.6 if cube else 0.5, high=0.95 if cube else 0.75)
    work = (
        f"the cube {value(f, 'aic_mac_ratio'):.0%}"
        if "aic_mac_ratio" in f.values
        else "the cube's share is not known"
    )
    return Held(
        sure,
        pipe_headroom(f, "aic_mte2"),
        evidence,
        f"MTE2 is busy {share:.0%} of the time, {work}: too few multiply-adds a byte, or inefficient copies",
    )


def _starved(f: Features, mte2: float) -> bool:
    """Copying in clearly longer than the cube's work, which is not near its own limit; true when that is unknown."""
    cube = f.get("aic_mac_ratio")
    return cube is None or (mte2 > AT_THE_WALL and cube < CUBE_GOOD and mte2 - cube > CLEARLY)


# The advisor calls 0.95 the memory wall for a cube operator; a cube at 0.8 is good whatever MTE2 shows, because the
# share counts waiting.
AT_THE_WALL, CUBE_GOOD, CLEARLY = 0.85, 0.8, 0.15


BOTTLENECK = Bottleneck(
    id="mte2-bound-cube-hungry",
    why="Operands arrive slower than the cube could use them.",
    needs=("aic_mte2_ratio",),
    applies=is_cube_side,
    judge=judge,
    yields_to=("gemv-small-m",),
)
