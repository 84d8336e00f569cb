"""Each output copy carries only a few bytes."""

from __future__ import annotations

from kb.engine.bottlenecks.copies import is_copying, small_copies
from kb.engine.bottlenecks.judging import Bottleneck, Held, limit
from kb.model import Features


def judge(f: Features) -> Held | None:
    """Mean bytes a MTE3 instruction far below a recommended transfer, and MTE3 matters."""
    return small_copies(
        f, "mte3", limit("small-mte3-writes", "bytes"), limit("small-mte3-writes", "mte3"), "an output copy"
    )


BOTTLENECK = Bottleneck(
    id="small-mte3-writes",
    why="A copy instruction has a fixed cost; below a few KB it outweighs the transfer.",
    needs=("bytes_per_mte3_instruction",),
    applies=is_copying,
    judge=judge,
    collect="Memory",
    sources=("Ascend C guide: at least 16 KB a transfer",),
)
