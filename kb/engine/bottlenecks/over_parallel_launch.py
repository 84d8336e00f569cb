"""More blocks than the work or the cores need: launching them is what takes the time."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import (
    Bottleneck,
    Held,
    above,
    below,
    confidence,
    context,
    is_kernel,
    limit,
    span,
    value,
)
from kb.model import Features
from kb.units import percent


def further_blocks(f: Features, duration: float) -> float:
    """The part of the time that launching the blocks beyond one a core takes, half of it at most."""
    extra = value(f, "block_dim") - value(f, "core_count")
    return min(0.5, extra * limit("over-parallel-launch", "block_cost").value / duration)


def judge(f: Features) -> Held | None:
    """Short kernel with a large head, or several rounds of blocks whose start-up alone is visible."""
    head = above(f, "head_overhead_share", limit("over-parallel-launch", "head"))
    short = below(f, "task_duration_us", limit("over-parallel-launch", "duration"))
    if head and short and value(f, "block_dim") > value(f, "useful_cores", 1e9):
        share = value(f, "head_overhead_share")
        return Held(
            confidence(share, 0.3, 0.6),
            round(share, 4),
            (head, short, *context(f, "block_dim", "useful_cores")),
            f"launching takes {percent(share)} of a {value(f, 'task_duration_us'):.1f} us kernel",
        )
    rounds = above(f, "blocks_per_core", limit("over-parallel-launch", "blocks"))
    duration = value(f, "task_duration_us")
    if rounds is None or duration <= 0:
        return None
    headroom = further_blocks(f, duration)
    if headroom < 0.01:
        return None
    return Held(
        0.55,
        round(headroom, 4),
        (rounds, *context(f, "block_dim", "core_count")),
        f"{value(f, 'block_dim'):.0f} blocks on {span(f, 'core_count')} cores: each further block costs its launch",
    )


BOTTLENECK = Bottleneck(
    id="over-parallel-launch",
    why="Every block costs scheduling; tiny work does not pay for it.",
    needs=("blocks_per_core|head_overhead_share",),
    applies=is_kernel,
    judge=judge,
    collect="Block Dim and the chip (--soc)",
)
