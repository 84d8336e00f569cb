"""Copying and computing take turns."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import Bottleneck, Held, context, is_vector_side, limit, reading, value
from kb.model import Features
from kb.units import percent


def judge(f: Features) -> Held | None:
    """The shares of vector unit and copies add up to about one, both matter, and scalar is not the longer pipe."""
    low, high, each = (limit("serial-copy-compute", name) for name in ("sum_low", "sum_high", "each"))
    total = value(f, "pipe_sum")
    vector, copies = value(f, "aiv_vec_ratio"), value(f, "copy_ratio")
    if not low.value <= total <= high.value or min(vector, copies) < each.value:
        return None
    longest = max(vector, value(f, "aiv_mte2_ratio"), value(f, "aiv_mte3_ratio"))
    if value(f, "aiv_scalar_ratio") > longest or longest > 0.9:
        return None
    evidence = (
        reading(f, "pipe_sum", f"{low.value} to {high.value} means no overlap", low),
        *context(f, "aiv_vec_ratio", "aiv_mte2_ratio", "aiv_mte3_ratio"),
    )
    headroom = max(0.0, min(1 - longest / total, 1 - min(1.0, value(f, "floor_ratio"))))
    return Held(
        0.7,
        round(headroom, 4),
        evidence,
        f"vector work ({percent(vector)}) and copies ({percent(copies)}) add up to {percent(total)}: they take turns",
    )


BOTTLENECK = Bottleneck(
    id="serial-copy-compute",
    why="With one buffer a queue, the next copy starts only after the computation.",
    needs=("pipe_sum",),
    applies=is_vector_side,
    judge=judge,
    yields_to=("scalar-bound-vector",),
)
