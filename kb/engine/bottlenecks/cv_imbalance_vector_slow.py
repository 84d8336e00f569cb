"""In a mixed kernel the vector side is the limit."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import (
    Bottleneck,
    Held,
    above,
    below,
    confidence,
    limit,
    other_pipes,
    value,
)
from kb.model import Features
from kb.units import percent


def judge(f: Features) -> Held | None:
    """Vector unit nearly always busy, cube less than half."""
    vector = above(f, "aiv_vec_ratio", limit("cv-imbalance-vector-slow", "vector"))
    cube = below(f, "aic_mac_ratio", limit("cv-imbalance-vector-slow", "cube"))
    if vector is None or cube is None:
        return None
    share = value(f, "aiv_vec_ratio")
    headroom = max(0.0, share - max(value(f, "aic_mac_ratio"), other_pipes(f, "aiv_vec")))
    return Held(
        confidence(share, 0.75, 0.95),
        round(headroom, 4),
        (vector, cube),
        f"vector unit busy {percent(share)}, cube {percent(value(f, 'aic_mac_ratio'))}: the vector side sets the pace",
    )


BOTTLENECK = Bottleneck(
    id="cv-imbalance-vector-slow",
    why="The cube waits for softmax, dequantisation or rescaling on the vector cores.",
    needs=("aiv_vec_ratio", "aic_mac_ratio"),
    applies=lambda f: f.labels.get("core") == "mix",
    judge=judge,
)
