"""Thread kernel of Ascend 950 launched with an unfavourable grid."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import Bottleneck, Held, above, context, is_vector_side, limit, span, value
from kb.engine.bottlenecks.over_parallel_launch import further_blocks
from kb.model import Features


def judge(f: Features) -> Held | None:
    """More blocks than vector cores on a chip with thread kernels, in a vector kernel whose block launches weigh."""
    blocks = above(f, "blocks_per_core", limit("simt-configuration", "blocks"))
    duration = value(f, "task_duration_us")
    if blocks is None or duration <= 0:
        return None
    headroom = further_blocks(f, duration)
    if headroom < 0.05:
        return None
    return Held(
        0.6,
        round(headroom, 4),
        (blocks, *context(f, "block_dim", "core_count")),
        f"{value(f, 'block_dim'):.0f} blocks on {span(f, 'core_count')} cores",
    )


BOTTLENECK = Bottleneck(
    id="simt-configuration",
    why="Grid size, launch bounds and access width decide the rate of a thread kernel.",
    needs=("blocks_per_core",),
    applies=lambda f: is_vector_side(f) and f.labels.get("chip_family") == "ascend-950",
    judge=judge,
    collect="Block Dim and the chip (--soc)",
)
