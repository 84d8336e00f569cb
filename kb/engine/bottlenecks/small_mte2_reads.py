"""Each input copy carries only a few bytes."""

from __future__ import annotations

from kb.engine.bottlenecks.copies import is_copying, small_copies
from kb.engine.bottlenecks.judging import Bottleneck, Held, limit
from kb.model import Features


def judge(f: Features) -> Held | None:
    """Mean bytes a MTE2 instruction far below a recommended transfer, and MTE2 matters."""
    return small_copies(
        f, "mte2", limit("small-mte2-reads", "bytes"), limit("small-mte2-reads", "mte2"), "an input copy"
    )


BOTTLENECK = Bottleneck(
    id="small-mte2-reads",
    why="A copy instruction has a fixed cost; below a few KB it outweighs the transfer.",
    needs=("bytes_per_mte2_instruction",),
    applies=is_copying,
    judge=judge,
    collect="Memory",
    sources=("Ascend C guide: at least 16 KB a transfer",),
)
