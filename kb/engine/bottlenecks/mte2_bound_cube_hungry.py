"""A matrix kernel waits for its operands."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import Bottleneck, Held, above, below, confidence, context, is_cube_side, limit, pipe_headroom, value
from kb.model import Features


def judge(f: Features) -> Held | None:
    """Copying in is the longest pipe and the cube works less than half of the time."""
    mte2 = above(f, "aic_mte2_ratio", limit("mte2-bound-cube-hungry", "mte2"))
    cube = below(f, "aic_mac_ratio", limit("mte2-bound-cube-hungry", "cube"))
    if mte2 is None or cube is None or value(f, "aic_mte2_ratio") < value(f, "aic_scalar_ratio"):
        return None
    evidence = (mte2, cube, *context(f, "gm_bandwidth_utilisation", "l2_hit_rate", "bytes_per_mte2_instruction", "floor_ratio"))
    return Held(
        confidence(value(f, "aic_mte2_ratio"), 0.6, 0.95), pipe_headroom(f, "aic_mte2"), evidence,
        f"MTE2 is busy {value(f, 'aic_mte2_ratio'):.0%} of the time, the cube {value(f, 'aic_mac_ratio'):.0%}: too few multiply-adds a byte, or inefficient copies",
    )  # fmt: skip


BOTTLENECK = Bottleneck(
    id="mte2-bound-cube-hungry",
    why="Operands arrive slower than the cube could use them.",
    needs=("aic_mte2_ratio", "aic_mac_ratio"),
    applies=is_cube_side,
    judge=judge,
    yields_to=("gemv-small-m",),
)
