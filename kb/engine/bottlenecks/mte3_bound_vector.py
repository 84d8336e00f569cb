"""A vector kernel spends its time copying out."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import (
    Bottleneck,
    Held,
    above,
    confidence,
    context,
    floor_ratio,
    is_vector_side,
    limit,
    pipe_headroom,
    value,
)
from kb.model import Features
from kb.units import percent


def judge(f: Features) -> Held | None:
    """MTE3 above half of the time and the longest pipe, away from the memory's rate."""
    mte3 = above(f, "aiv_mte3_ratio", limit("mte3-bound-vector", "mte3"))
    share = value(f, "aiv_mte3_ratio")
    if mte3 is None or share < max(
        value(f, "aiv_mte2_ratio"), value(f, "aiv_vec_ratio"), value(f, "aiv_scalar_ratio")
    ):
        return None
    use = min(1.0, value(f, "gm_bandwidth_utilisation"))
    if max(use, floor_ratio(f)) > limit("mte2-bound-vector-below-peak", "utilisation").value:
        return None
    return Held(
        confidence(share, 0.5, 0.95), pipe_headroom(f, "aiv_mte3", removable=1 - use),
        (mte3, *context(f, "aiv_mte2_ratio", "bytes_per_mte3_instruction", "gm_bandwidth_utilisation")),
        f"copying out takes {percent(share)} of the time",
    )  # fmt: skip


BOTTLENECK = Bottleneck(
    id="mte3-bound-vector",
    why="Small, unaligned or repeated writes do not reach the memory's rate.",
    needs=("aiv_mte3_ratio",),
    applies=is_vector_side,
    judge=judge,
    yields_to=("small-mte3-writes",),
)
