"""One pipe waits for another."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import (
    Bottleneck,
    Held,
    above,
    below,
    confidence,
    floor_ratio,
    is_kernel,
    limit,
    value,
)
from kb.model import Features
from kb.units import percent

WAITS = (
    "aiv_vec_wait_ratio",
    "aiv_mte2_wait_ratio",
    "aiv_mte3_wait_ratio",
    "aic_cube_wait_ratio",
    "aic_mte1_wait_ratio",
    "aic_mte2_wait_ratio",
    "aic_mte3_wait_ratio",
)


def judge(f: Features) -> Held | None:
    """A wait column above the mark while no pipe is the limit."""
    threshold = limit("wait-dominated", "wait")
    waits = [item for item in (above(f, name, threshold) for name in WAITS) if item]
    pipe = below(f, "max_pipe_ratio", limit("wait-dominated", "pipe"))
    if not waits or pipe is None:
        return None
    longest = max(float(item.value) for item in waits)
    headroom = max(0.0, min(longest, 1 - value(f, "max_pipe_ratio"), 1 - floor_ratio(f)))
    return Held(
        confidence(longest, 0.1, 0.9, low=0.45, high=0.7),
        round(headroom, 4),
        (*waits[:3], pipe),
        f"a pipe waits {percent(min(1.0, longest))} of the time while none is busy for 80 %",
    )


BOTTLENECK = Bottleneck(
    id="wait-dominated",
    why="Waiting without a full pipe means that the pipes do not overlap.",
    needs=(
        "aiv_vec_wait_ratio|aiv_mte2_wait_ratio|aic_cube_wait_ratio|aic_mte2_wait_ratio",
        "max_pipe_ratio",
    ),
    applies=is_kernel,
    judge=judge,
    yields_to=("scalar-bound-vector", "small-mte2-reads", "small-mte3-writes"),
    collect="ResourceConflictRatio",
)
