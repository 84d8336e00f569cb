"""Rows or elements are fetched from scattered addresses."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import (
    Bottleneck,
    Held,
    above,
    below,
    context,
    is_vector_side,
    limit,
    pattern_in,
    value,
)
from kb.model import Features

PATTERNS = ("gather", "scatter", "transpose", "pool_grad", "deform")


def judge(f: Features) -> Held | None:
    """A gather-like operator with low bandwidth use and address arithmetic on the scalar unit."""
    scalar = above(f, "aiv_scalar_ratio", limit("discrete-gm-access", "scalar"))
    use = below(f, "gm_bandwidth_utilisation", limit("discrete-gm-access", "utilisation"))
    far = value(f, "floor_ratio", 1.0) < limit("discrete-gm-access", "utilisation").value
    if scalar is None or (use is None and not far):
        return None
    headroom = max(0.0, min(1 - value(f, "floor_ratio"), 1 - value(f, "aiv_vec_ratio")))
    return Held(
        0.7,
        round(headroom, 4),
        (
            scalar,
            *([use] if use else []),
            *context(f, "floor_ratio", "bytes_per_mte2_instruction", "aiv_mte2_ratio"),
        ),
        "scattered accesses: little of the memory bandwidth is used while the scalar unit computes addresses",
    )


BOTTLENECK = Bottleneck(
    id="discrete-gm-access",
    why="Every scattered row costs an instruction and a partly used burst.",
    needs=("aiv_scalar_ratio", "gm_bandwidth_utilisation|floor_ratio"),
    applies=lambda f: is_vector_side(f) and pattern_in(f, *PATTERNS),
    judge=judge,
    collect="Memory, or Input/Output Shapes with the chip",
)
