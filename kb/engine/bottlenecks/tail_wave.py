"""The last round of blocks leaves most cores idle."""

from __future__ import annotations

import math

from kb.engine.bottlenecks.judging import Bottleneck, Held, context, is_kernel, limit, reading, span, value
from kb.model import Features
from kb.units import percent


def judge(f: Features) -> Held | None:
    """More blocks than cores, no whole multiple, and the loss is visible."""
    blocks, tail = value(f, "block_dim"), f.values["tail_blocks"]
    counts = _counts(f)
    if blocks <= max(counts) or (tail.low if tail.low is not None else tail.value) == 0:
        return None
    cores = min(counts, key=lambda count: _loss(blocks, count))
    rounds, loss = math.ceil(blocks / cores), _loss(blocks, cores)
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


def _counts(f: Features) -> set[float]:
    """The core counts of the candidate chips: the ends of the range, which are the only two where they differ."""
    cores = f.values["core_count"]
    return {cores.low or cores.value, cores.high or cores.value}


def _loss(blocks: float, cores: float) -> float:
    """Part of the core time of all rounds that the last one leaves idle."""
    return 1 - blocks / (math.ceil(blocks / cores) * cores)


BOTTLENECK = Bottleneck(
    id="tail-wave",
    why="Equal blocks in a partial last round cost a whole round.",
    needs=("tail_blocks", "block_dim", "core_count"),
    applies=lambda f: is_kernel(f) and value(f, "blocks_per_core") > 1,
    judge=judge,
    collect="Block Dim and the chip (--soc)",
)
