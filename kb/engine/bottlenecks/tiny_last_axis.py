"""Rows shorter than one 32-byte block of the on-chip buffer, in a kernel far from its floor."""

from __future__ import annotations

from kb.engine.bottlenecks.copies import is_copying
from kb.engine.bottlenecks.gate import LAUNCH_US
from kb.engine.bottlenecks.judging import (
    Bottleneck,
    Held,
    below,
    context,
    floor_ratio,
    limit,
    pattern_in,
    value,
)
from kb.model import Features
from kb.units import nbytes, us
from kb.vocabulary.work_patterns import ALL_PRODUCTS

SIZE_ALONE = 0.6  # the padding is certain, that it is what takes the time is not measured
_BLOCKED = (*ALL_PRODUCTS, "conv")


def judge(f: Features) -> Held | None:
    """Many rows below one block in the largest tensor; floor and launch are a small part of the time."""
    short = below(f, "row_bytes", limit("tiny-last-axis", "row"))
    far = below(f, "floor_ratio", limit("tiny-last-axis", "floor"))
    took = value(f, "task_duration_us")
    if short is None or far is None or took <= limit("too-small-to-judge", "duration").value:
        return None
    if value(f, "row_count") < limit("tiny-last-axis", "rows").value:
        return None
    row = value(f, "row_bytes")
    launch = LAUNCH_US.get(f.labels.get("core", ""), 2.0) / took
    padded = limit("tiny-last-axis", "row").value / row
    return Held(
        SIZE_ALONE,
        round(max(0.0, 1 - floor_ratio(f) - launch), 4),
        (short, far, *context(f, "row_count", "task_duration_us", "floor_us")),
        f"rows of {nbytes(row)}: each takes a block of 32 bytes in UB, {padded:.1f} times its data; the kernel takes {us(took)}",
    )


BOTTLENECK = Bottleneck(
    id="tiny-last-axis",
    why="Every row of a tile is padded to 32 bytes: copies, vector instructions and UB carry mostly nothing, and masks or scalar code handle the rest.",
    needs=("row_bytes", "floor_ratio"),
    applies=lambda f: is_copying(f) and not pattern_in(f, *_BLOCKED),
    judge=judge,
    collect="Input Shapes (Level1 or --shape)",
    sources=(
        "Ascend C guide: rows that are no multiple of 32 bytes are padded in UB",
        "triton-ascend-examples: causal convolution with a last axis of 3",
    ),
)
