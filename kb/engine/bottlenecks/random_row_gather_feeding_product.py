"""Rows picked by an index vector feed a product."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import (
    Bottleneck,
    Held,
    above,
    below,
    is_cube_side,
    limit,
    pipe_headroom,
    value,
)
from kb.model import Features
from kb.units import percent


def judge(f: Features) -> Held | None:
    """A sparse or gathered product whose copies dominate far from the memory's rate."""
    mte2 = above(f, "aic_mte2_ratio", limit("random-row-gather-feeding-product", "mte2"))
    use = below(f, "gm_bandwidth_utilisation", limit("random-row-gather-feeding-product", "utilisation"))
    if mte2 is None or ("gm_bandwidth_utilisation" in f.values and use is None):
        return None
    return Held(
        0.6 if use else 0.5,
        pipe_headroom(f, "aic_mte2"),
        (mte2, *([use] if use else [])),
        f"gathering rows takes {percent(value(f, 'aic_mte2_ratio'))} of the time",
    )


BOTTLENECK = Bottleneck(
    id="random-row-gather-feeding-product",
    why="About 1 KB a row at random addresses cannot be prefetched like a block.",
    needs=("aic_mte2_ratio",),
    applies=lambda f: (
        is_cube_side(f)
        and any(
            word in f.labels.get("op_type", "").lower() for word in ("sparse", "gather", "index", "paged")
        )
    ),
    judge=judge,
    parent="mte2-bound-cube-hungry",
)
