"""Rows of a product's operands are no whole number of 512-byte lines, and copying them in is the time."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import (
    Bottleneck,
    Held,
    confidence,
    context,
    floor_ratio,
    limit,
    open_share,
    pattern_in,
    pipe_headroom,
    reading,
    value,
)
from kb.model import Features
from kb.units import percent

SIZE_ALONE = 0.4  # confidence where nothing tells that copying in is what takes the time


def judge(f: Features) -> Held | None:
    """An unaligned operand in a product that copies longer than it multiplies and is away from its floor."""
    rest = value(f, "operand_rest_512")
    mte2, near = limit("mte2-bound-cube-hungry", "mte2"), limit("product-unaligned-inner-axis", "near")
    share, cube = value(f, "aic_mte2_ratio"), value(f, "aic_mac_ratio")
    if not rest or floor_ratio(f) >= near.value or cube >= limit("cube-bound-healthy", "cube").value:
        return None
    known = "aic_mte2_ratio" in f.values
    if not known and max(value(f, "aic_scalar_ratio"), value(f, "aic_fixpipe_ratio")) > mte2.value:
        return None  # another pipe is known to take the time
    if known and (share < mte2.value or share < cube):
        return None
    line = limit("product-unaligned-inner-axis", "line")
    evidence = (
        reading(f, "operand_rest_512", f"0 (rows of whole {line.value:.0f}-byte lines)", line),
        *context(f, "matmul_m", "matmul_n", "matmul_k", "aic_mte2_ratio", "aic_mac_ratio", "floor_ratio"),
    )
    return Held(
        confidence(share, mte2.value, 0.95, low=0.65) if known else SIZE_ALONE,
        pipe_headroom(f, "aic_mte2") if known else open_share(f),
        evidence,
        f"rows of an operand end {rest:.0f} bytes past a {line.value:.0f}-byte line; copying in takes {percent(share)} of the time"
        if known
        else f"rows of an operand end {rest:.0f} bytes past a {line.value:.0f}-byte line",
    )


BOTTLENECK = Bottleneck(
    id="product-unaligned-inner-axis",
    why="Copies to L1 with layout conversion reach about half the rate when rows are not whole lines.",
    needs=("operand_rest_512", "aic_mte2_ratio|floor_ratio"),
    applies=lambda f: (
        pattern_in(f, "matmul", "batch_matmul", "quant_matmul") and f.labels.get("core") != "vector"
    ),
    judge=judge,
    yields_to=("gemv-small-m",),
    collect="Input Shapes (Level1 or --shape) and PipeUtilization",
    sources=(
        "msprof-analyze advisor, cube rule: inner axis a multiple of 256 elements",
        "catlass optimisation notes",
    ),
)
