"""An operator that only moves data spends its time in the vector unit."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import (
    Bottleneck,
    Held,
    above,
    below,
    confidence,
    is_vector_side,
    limit,
    pattern_in,
    pipe_headroom,
    value,
)
from kb.model import Features
from kb.units import percent

PATTERNS = ("copy", "transpose", "gather", "format")


COPIES_UNKNOWN = 0.5  # confidence where only the vector share was measured


def judge(f: Features) -> Held | None:
    """Vector share above, copy share below the mark in a pure move."""
    vector = above(f, "aiv_vec_ratio", limit("pure-transport-with-vector-time", "vector"))
    copied = (
        "copy_ratio" if "copy_ratio" in f.values else "aiv_mte2_ratio"
    )  # one half, where the other is not known
    copy = below(f, copied, limit("pure-transport-with-vector-time", "copy"))
    share = value(f, "aiv_vec_ratio")
    if vector is not None and copied not in f.values:
        text = f"a pure move spends {percent(share)} in the vector unit; how long it copies was not measured"
        return Held(COPIES_UNKNOWN, pipe_headroom(f, "aiv_vec"), (vector,), text)
    if vector is None or copy is None:
        return None
    return Held(
        confidence(share, 0.3, 0.7),
        pipe_headroom(f, "aiv_vec"),
        (vector, copy),
        f"a pure move spends {percent(share)} in the vector unit and only {percent(value(f, copied))} in copies",
    )


BOTTLENECK = Bottleneck(
    id="pure-transport-with-vector-time",
    why="Copies between UB buffers or element shuffles where a strided copy would do.",
    needs=("aiv_vec_ratio",),
    applies=lambda f: is_vector_side(f) and pattern_in(f, *PATTERNS),
    judge=judge,
)
