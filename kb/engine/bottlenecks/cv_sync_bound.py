"""A mixed kernel is bound by the hand-over between cube and vector; its scalar share is waiting."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import (
    Bottleneck,
    Held,
    above,
    below,
    confidence,
    context,
    floor_ratio,
    limit,
    pattern_in,
    value,
)
from kb.model import Evidence, Features
from kb.units import percent

AT_WORK = 0.01  # a vector unit below this share is not the other side of anything


def judge(f: Features) -> Held | None:
    """Both sides run the whole time, both mostly idle, scalar high."""
    scalar = above(f, "aic_scalar_ratio", limit("cv-sync-bound", "scalar"))
    cube = below(f, "aic_mac_ratio", limit("cv-sync-bound", "cube"))
    vector = below(f, "aiv_vec_ratio", limit("cv-sync-bound", "vector"))
    if scalar and cube and "aiv_vec_ratio" not in f.values:
        return _by_one_side(f, scalar, cube)
    if not (scalar and cube and vector) or value(f, "aiv_vec_ratio") < AT_WORK:
        return None
    quotient = above(f, "cube_vector_time_ratio", limit("cv-sync-bound", "quotient"))
    if "cube_vector_time_ratio" in f.values and quotient is None:
        return None
    busy = value(f, "aic_mac_ratio") + value(f, "aiv_vec_ratio")
    evidence = (scalar, cube, vector, *([quotient] if quotient else []), *context(f, "aic_mte2_ratio"))
    return Held(
        confidence(value(f, "aic_scalar_ratio"), 0.5, 0.75, low=0.7 if quotient else 0.55), round(max(0.0, 1 - busy), 4), evidence,
        f"cube {percent(value(f, 'aic_mac_ratio'))} and vector {percent(value(f, 'aiv_vec_ratio'))}: the scalar share of {percent(value(f, 'aic_scalar_ratio'))} is most likely waiting for the other side",
    )  # fmt: skip


def _by_one_side(f: Features, scalar: Evidence, cube: Evidence) -> Held | None:
    """The vector side was not measured: in fused attention, whose two sides alternate, a scalar share this high waits."""
    if not pattern_in(f, "attention") or pattern_in(f, "attention_decode"):
        return None
    if f.labels.get("kernel_language") == "library":
        return None  # an export without the vector side of a library kernel: it may well wait for memory
    share, work = value(f, "aic_scalar_ratio"), value(f, "aic_mac_ratio")
    headroom = round(max(0.0, 1 - max(work, floor_ratio(f))), 4)
    text = f"cube {percent(work)}: the scalar share of {percent(share)} is most likely waiting for the vector side, which was not measured"
    return Held(ONE_SIDE, headroom, (scalar, cube), text)


ONE_SIDE = 0.5  # confidence where only the cube side was measured

BOTTLENECK = Bottleneck(
    id="cv-sync-bound",
    why="Each hand-over between cube and vector cores costs a synchronisation; few, larger iterations cost less.",
    needs=("aic_scalar_ratio", "aic_mac_ratio"),
    applies=lambda f: f.labels.get("core") == "mix",
    judge=judge,
    sources=("cannbot-skills, flash attention optimisation notes",),
)
