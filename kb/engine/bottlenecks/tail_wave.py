"""The last round of blocks leaves most cores idle."""

from __future__ import annotations

import math

from kb.engine.bottlenecks.judging import Bottleneck, Held, context, is_kernel, limit, reading, span, value
from kb.model import Features
from kb.units import percent


def judge(f: Features) -> Held | None:
    """More blocks than cores, no whole multiple, and the loss is visible."""
    cores, blocks = value(f, "core_count"), value(f, "block_dim")
    if blocks <= cores or value(f, "tail_blocks") == 0:
        return None
    rounds = math.ceil(blocks / cores)
    loss = 1 - blocks / (rounds * cores)
    if loss < limit("tail-wave", "idle").value:
        return None
    evidence = (
        reading(f, "tail_blocks", "0 (a whole multiple of the cores)"),
        *context(f, "block_dim", "core_count"),
    )
    return Held(
        0.6,
        round(loss, 4),
        evidence,
        f"{blocks:.0f} blocks on {span(f, 'core_count')} cores: {rounds} rounds, {percent(loss)} of the core time idle in the last if blocks are equal",
    )


BOTTLENECK = Bottleneck(
    id="tail-wave",
    why="Equal blocks in a partial last round cost a whole round.",
    needs=("tail_blocks", "block_dim", "core_count"),
    applies=lambda f: is_kernel(f) and value(f, "blocks_per_core") > 1,
    judge=judge,
    collect="Block Dim and the chip (--soc)",
)
