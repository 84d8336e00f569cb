"""A vector kernel spends its time copying in, far below the memory's rate."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import (
    Bottleneck,
    Held,
    above,
    below,
    confidence,
    context,
    floor_ratio,
    is_vector_side,
    limit,
    pattern_in,
    pipe_headroom,
    value,
)  # fmt: skip
from kb.engine.bottlenecks.pure_transport_with_vector_time import PATTERNS as MOVES
from kb.model import Features
from kb.units import percent


def judge(f: Features) -> Held | None:
    """MTE2 the longest pipe with bandwidth use below the mark, or unknown."""
    mte2 = above(f, "aiv_mte2_ratio", limit("mte2-bound-vector-below-peak", "mte2"))
    share = value(f, "aiv_mte2_ratio")
    if mte2 is None or share < max(value(f, "aiv_vec_ratio"), value(f, "aiv_scalar_ratio")):
        return None
    if "gm_bandwidth_utilisation" not in f.values:
        if floor_ratio(f) > limit("mte2-bound-vector-below-peak", "utilisation").value:
            return None
        if "floor_ratio" not in f.values and pattern_in(f, *MOVES):
            return None  # copying is all that it does: without a rate or a floor the share says nothing
        evidence = (
            mte2,
            *context(f, "aiv_vec_ratio", "aiv_scalar_ratio", "bytes_per_mte2_instruction", "floor_ratio"),
        )
        return Held(
            confidence(share, 0.5, 0.95, low=0.45, high=0.7),
            pipe_headroom(f, "aiv_mte2"),
            evidence,
            f"copying in takes {percent(share)} of the time; how near to the memory's rate is not known",
        )
    use = below(f, "gm_bandwidth_utilisation", limit("mte2-bound-vector-below-peak", "utilisation"))
    if use is None:
        return None
    high = f.values["gm_bandwidth_utilisation"].high or use.value
    assert isinstance(high, float | int)
    headroom = pipe_headroom(f, "aiv_mte2", removable=max(0.0, 1 - high))
    evidence = (mte2, use, *context(f, "bytes_per_mte2_instruction", "l2_hit_rate"))
    return Held(
        confidence(1 - high, 0.4, 0.9), headroom, evidence,
        f"copying in takes {percent(share)} of the time at {percent(value(f, 'gm_bandwidth_utilisation'))} of the memory bandwidth",
    )  # fmt: skip


BOTTLENECK = Bottleneck(
    id="mte2-bound-vector-below-peak",
    why="Small, unaligned, strided or same-address copies do not reach the memory's rate.",
    needs=("aiv_mte2_ratio",),
    applies=is_vector_side,
    judge=judge,
    yields_to=("mte2-bound-vector-at-peak",),
)
