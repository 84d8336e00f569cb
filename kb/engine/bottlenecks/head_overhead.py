"""Launch and finish take a large part of the kernel's time."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import (
    Bottleneck,
    Held,
    above,
    confidence,
    context,
    is_kernel,
    limit,
    value,
)
from kb.model import Features


def judge(f: Features) -> Held | None:
    """Task duration far above the slowest core."""
    head = above(f, "head_overhead_share", limit("head-overhead", "head"))
    if head is None:
        return None
    share = value(f, "head_overhead_share")
    return Held(
        confidence(share, 0.3, 0.7),
        round(share, 4),
        (head, *context(f, "head_overhead_us", "task_duration_us", "block_dim")),
        f"{value(f, 'head_overhead_us'):.1f} us of {value(f, 'task_duration_us'):.1f} us are spent before and after the cores work",
    )


BOTTLENECK = Bottleneck(
    id="head-overhead",
    why="Task duration contains scheduling and completion, which grow with core count and kernel type.",
    needs=("head_overhead_share",),
    applies=is_kernel,
    judge=judge,
    yields_to=("over-parallel-launch",),
    collect="OpBasicInfo and PipeUtilization",
)
