"""Cube and vector cores take turns in a mixed kernel (seen in a trace, hinted at by shares)."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import Bottleneck, Held, context, limit, value
from kb.model import Features
from kb.units import percent


def judge(f: Features) -> Held | None:
    """Both units matter, neither dominates, and together they do not fill the time."""
    cube, vector = value(f, "aic_mac_ratio"), value(f, "aiv_vec_ratio")
    each = limit("serial-copy-compute", "each").value
    if min(cube, vector) < each or cube + vector > 1.0 or max(cube, vector) > 0.7:
        return None
    evidence = context(f, "aic_mac_ratio", "aiv_vec_ratio", "aic_mte2_ratio", "cube_vector_time_ratio")
    return Held(
        0.5,
        round(max(0.0, min(cube, vector)), 4),
        evidence,
        f"cube {percent(cube)} and vector {percent(vector)} leave room for each other; a simulator trace would show whether they overlap",
    )


BOTTLENECK = Bottleneck(
    id="cv-not-overlapped",
    why="Without a hand-over pipeline the cube idles during vector work and the other way round.",
    needs=("aic_mac_ratio", "aiv_vec_ratio"),
    applies=lambda f: f.labels.get("core") == "mix",
    judge=judge,
    yields_to=("cv-sync-bound",),
    collect="simulator trace (msopprof simulator)",
)
