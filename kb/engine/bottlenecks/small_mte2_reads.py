"""Each input copy carries only a few bytes."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import (
    Bottleneck,
    Held,
    above,
    below,
    confidence,
    context,
    copy_headroom,
    is_vector_side,
    limit,
    value,
)
from kb.model import Features
from kb.units import nbytes, percent


def judge(f: Features) -> Held | None:
    """Mean bytes a MTE2 instruction far below a recommended transfer, and MTE2 matters."""
    size = below(f, "bytes_per_mte2_instruction", limit("small-mte2-reads", "bytes"))
    mte2 = above(f, "aiv_mte2_ratio", limit("small-mte2-reads", "mte2"))
    if size is None or mte2 is None:
        return None
    per = value(f, "bytes_per_mte2_instruction")
    removable = 1 - per / limit("under-parallel", "transfer").value
    share = value(f, "aiv_mte2_ratio")
    return Held(
        confidence(2048 / per, 1, 8, low=0.65), copy_headroom(f, "aiv_mte2", removable),
        (size, mte2, *context(f, "mte2_instructions")),
        f"{nbytes(per)} an input copy ({value(f, 'mte2_instructions'):.0f} copies); MTE2 takes {percent(share)} of the time",
    )  # fmt: skip


BOTTLENECK = Bottleneck(
    id="small-mte2-reads",
    why="A copy instruction has a fixed cost; below a few KB it outweighs the transfer.",
    needs=("bytes_per_mte2_instruction", "aiv_mte2_ratio"),
    applies=is_vector_side,
    judge=judge,
    collect="Memory",
    sources=("Ascend C guide: at least 16 KB a transfer",),
)
