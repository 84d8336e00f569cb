"""The vector unit itself is the limit."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import (
    Bottleneck,
    Held,
    above,
    confidence,
    context,
    is_vector_side,
    limit,
    pipe_headroom,
    value,
)
from kb.model import Features
from kb.units import percent


def judge(f: Features) -> Held | None:
    """Vector share above the mark and the longest pipe."""
    vector = above(f, "aiv_vec_ratio", limit("vector-compute-bound", "vector"))
    share = value(f, "aiv_vec_ratio")
    if vector is None or share < max(
        value(f, "aiv_mte2_ratio"), value(f, "aiv_mte3_ratio"), value(f, "aiv_scalar_ratio")
    ):
        return None
    return Held(
        confidence(share, 0.65, 0.9), pipe_headroom(f, "aiv_vec"),
        (vector, *context(f, "aiv_mte2_ratio", "aiv_scalar_ratio", "aiv_vec_total_cflt_ratio")), f"the vector unit is busy {percent(share)} of the time",
    )  # fmt: skip


BOTTLENECK = Bottleneck(
    id="vector-compute-bound",
    why="Only fewer or cheaper vector instructions help.",
    needs=("aiv_vec_ratio",),
    applies=is_vector_side,
    judge=judge,
    yields_to=("cv-imbalance-vector-slow", "pure-transport-with-vector-time"),
)
