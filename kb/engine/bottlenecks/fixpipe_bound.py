"""Writing results out of L0C holds up a cube kernel."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import (
    Bottleneck,
    Held,
    above,
    confidence,
    context,
    is_cube_side,
    limit,
    pipe_headroom,
    value,
)
from kb.model import Features
from kb.units import percent


def judge(f: Features) -> Held | None:
    """Fixpipe share above the mark for unaligned output, and not hidden behind a cube near its limit."""
    fixpipe = above(f, "aic_fixpipe_ratio", limit("fixpipe-bound", "fixpipe"))
    if fixpipe is None or value(f, "aic_mac_ratio") >= 0.8:
        return None
    share = value(f, "aic_fixpipe_ratio")
    longest = share >= max(value(f, "aic_mte2_ratio"), value(f, "aic_mac_ratio"))
    return Held(
        confidence(share, 0.15, 0.75, low=0.6 if longest else 0.4), pipe_headroom(f, "aic_fixpipe"),
        (fixpipe, *context(f, "aic_mac_ratio", "aic_mte2_ratio")), f"the output path (fixpipe) is busy {percent(share)} of the time",
    )  # fmt: skip


BOTTLENECK = Bottleneck(
    id="fixpipe-bound",
    why="Unaligned or unbuffered output keeps L0C occupied.",
    needs=("aic_fixpipe_ratio",),
    applies=is_cube_side,
    judge=judge,
)
