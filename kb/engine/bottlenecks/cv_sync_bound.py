"""A mixed kernel is bound by the hand-over between cube and vector; its scalar share is waiting."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import Bottleneck, Held, above, below, confidence, context, limit, value
from kb.model import Features
from kb.units import percent


def judge(f: Features) -> Held | None:
    """Both sides run the whole time, both mostly idle, scalar high."""
    scalar = above(f, "aic_scalar_ratio", limit("cv-sync-bound", "scalar"))
    cube = below(f, "aic_mac_ratio", limit("cv-sync-bound", "cube"))
    vector = below(f, "aiv_vec_ratio", limit("cv-sync-bound", "vector"))
    if not (scalar and cube and vector):
        return None
    quotient = above(f, "cube_vector_time_ratio", limit("cv-sync-bound", "quotient"))
    if "cube_vector_time_ratio" in f.values and quotient is None:
        return None
    busy = value(f, "aic_mac_ratio") + value(f, "aiv_vec_ratio")
    evidence = (scalar, cube, vector, *([quotient] if quotient else []), *context(f, "aic_mte2_ratio"))
    return Held(
        confidence(value(f, "aic_scalar_ratio"), 0.5, 0.75, low=0.7 if quotient else 0.55), round(max(0.0, 1 - busy - 0.0), 4), evidence,
        f"cube {percent(value(f, 'aic_mac_ratio'))} and vector {percent(value(f, 'aiv_vec_ratio'))}: the scalar share of {percent(value(f, 'aic_scalar_ratio'))} is waiting for the other side",
    )  # fmt: skip


BOTTLENECK = Bottleneck(
    id="cv-sync-bound",
    why="Each hand-over between cube and vector cores costs a synchronisation; few, larger iterations cost less.",
    needs=("aic_scalar_ratio", "aic_mac_ratio", "aiv_vec_ratio"),
    applies=lambda f: f.labels.get("core") == "mix",
    judge=judge,
    sources=("cannbot-skills, flash attention optimisation notes",),
)
