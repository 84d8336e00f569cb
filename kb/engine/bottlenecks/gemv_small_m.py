"""A product with few rows: the weight is read for hardly any work."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import (
    Bottleneck,
    Held,
    below,
    context,
    floor_ratio,
    limit,
    pattern_in,
    reading,
    value,
)
from kb.model import Features
from kb.vocabulary.work_patterns import ALL_PRODUCTS

WIDE = 4  # columns of the weight for each row: below this its bytes are not what counts


def judge(f: Features) -> Held | None:
    """M at most 32 and the cube next to idle (or its share unknown)."""
    rows = limit("gemv-small-m", "rows")
    if value(f, "matmul_m", 1e9) > rows.value or value(f, "matmul_k", 1e9) < 256:
        return None
    if value(f, "matmul_n", 1e9) < WIDE * value(f, "matmul_m"):
        return None  # a small result, not a long weight
    cube = below(f, "aic_mac_ratio", limit("gemv-small-m", "cube"))
    if "aic_mac_ratio" in f.values and cube is None and value(f, "aic_mac_ratio") > 0.3:
        return None
    evidence = (
        reading(f, "matmul_m", f"<= {rows.value:.0f}", rows),
        *context(f, "matmul_n", "matmul_k", "aic_mac_ratio", "aic_mte2_ratio", "floor_ratio"),
    )
    return Held(
        0.85 if cube else 0.6,
        round(max(0.0, 1 - floor_ratio(f)), 4) if "floor_ratio" in f.values else None,
        evidence,
        f"{value(f, 'matmul_m'):.0f} rows: reading the weight is the work, not multiplying",
    )


BOTTLENECK = Bottleneck(
    id="gemv-small-m",
    why="With few rows every weight is used once or a few times; memory sets the pace.",
    needs=("matmul_m",),
    applies=lambda f: pattern_in(f, *ALL_PRODUCTS),
    judge=judge,
    collect="Input Shapes (Level1 or --shape)",
    sources=("catlass optimisation notes",),
)
