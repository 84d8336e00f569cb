"""The head size of an attention kernel is one that the cube and the copies have to pad."""

from __future__ import annotations

import math

from kb.engine.bottlenecks.judging import (
    Bottleneck,
    Held,
    context,
    floor_ratio,
    limit,
    open_share,
    pattern_in,
    reading,
    value,
)
from kb.model import Features


def judge(f: Features) -> Held | None:
    """Head size off the cube's 16, or off 64 (templates) or 128 (advisor) where copying in is the longest pipe."""
    size = int(value(f, "head_dim"))
    cube, line, template = (
        limit("attention-unaligned-head-dim", name) for name in ("cube", "line", "template")
    )
    if size <= 0 or not size % int(line.value) or _near_its_limit(f):
        return None
    padded_cube = size % int(cube.value) != 0
    copying = value(f, "aic_mte2_ratio") >= limit("attention-small-ops", "mte2").value
    if not padded_cube and not copying and not size % int(template.value):
        return None
    mark = cube if padded_cube else line
    evidence = (
        reading(f, "head_dim", f"a multiple of {mark.value:.0f}", mark),
        *context(f, "aic_mte2_ratio", "aic_mac_ratio", "floor_ratio"),
    )
    return Held(
        0.85 if copying else 0.7 if padded_cube else 0.6,
        _headroom(f, size, line.value),
        evidence,
        f"head size {size} is no multiple of {mark.value:.0f}: partial cube tiles and short copies",
    )


def _near_its_limit(f: Features) -> bool:
    """Nothing to win where the cube is busy or the floor near, whatever the shape."""
    near = limit("attention-unaligned-head-dim", "near").value
    return value(f, "aic_mac_ratio") >= limit("cube-bound-healthy", "cube").value or floor_ratio(f) >= near


def _headroom(f: Features, size: int, line: float) -> float:
    """Time beyond what the padded size would need at the floor's rate."""
    if "floor_ratio" not in f.values:
        return open_share(f)
    padding = math.ceil(size / line) * line / size
    return round(max(0.0, 1 - floor_ratio(f) * padding), 4)


BOTTLENECK = Bottleneck(
    id="attention-unaligned-head-dim",
    why="Attention kernels work on whole cube tiles and copy whole lines; another head size is padded inside.",
    needs=("head_dim",),
    applies=lambda f: pattern_in(f, "attention"),
    judge=judge,
    collect="Input Shapes (Level1 or --shape)",
    sources=("msprof-analyze advisor, attention rule: D and S multiples of 128",),
)
