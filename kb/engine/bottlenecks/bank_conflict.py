"""Vector instructions wait for UB banks."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import (
    Bottleneck,
    Held,
    above,
    confidence,
    context,
    is_vector_side,
    limit,
    value,
)
from kb.model import Features
from kb.units import percent

DETAILS = (
    "aiv_vec_bankgroup_cflt_ratio",
    "aiv_vec_bank_cflt_ratio",
    "aiv_vec_resc_cflt_ratio",
    "aiv_vec_mte_cflt_ratio",
    "aiv_vec_ldu_cflt_ratio",
    "aiv_vec_stu_cflt_ratio",
)


def judge(f: Features) -> Held | None:
    """Total conflict share above the mark (950: load or store unit conflicts)."""
    threshold = limit("bank-conflict", "conflict")
    found = [
        item
        for item in (above(f, name, threshold) for name in ("aiv_vec_total_cflt_ratio", *DETAILS))
        if item
    ]
    if not found:
        return None
    share = max(float(item.value) for item in found)
    headroom = max(0.0, min(share, 1 - value(f, "aiv_mte2_ratio"), 1 - value(f, "aiv_mte3_ratio")))
    return Held(
        confidence(share, 0.05, 0.15),
        round(headroom, 4),
        (*found[:3], *context(f, "aiv_vec_ratio")),
        f"{percent(share)} of the time is lost to UB bank conflicts",
    )


BOTTLENECK = Bottleneck(
    id="bank-conflict",
    why="Operands in the same bank or bank group are read one after another.",
    needs=("aiv_vec_total_cflt_ratio|aiv_vec_ldu_cflt_ratio",),
    applies=is_vector_side,
    judge=judge,
    collect="ResourceConflictRatio",
)
