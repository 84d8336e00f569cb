"""Each output copy carries only a few bytes."""

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
    """Mean bytes a MTE3 instruction far below a recommended transfer, and MTE3 matters."""
    size = below(f, "bytes_per_mte3_instruction", limit("small-mte3-writes", "bytes"))
    mte3 = above(f, "aiv_mte3_ratio", limit("small-mte3-writes", "mte3"))
    if size is None or mte3 is None:
        return None
    per = value(f, "bytes_per_mte3_instruction")
    # With larger copies the count falls to per / transfer of today's; the rest of the MTE3 time is the bytes' own.
    removable = 1 - per / limit("under-parallel", "transfer").value
    share = value(f, "aiv_mte3_ratio")
    return Held(
        confidence(2048 / per, 1, 8, low=0.65), copy_headroom(f, "aiv_mte3", removable),
        (size, mte3, *context(f, "mte3_instructions")),
        f"{nbytes(per)} an output copy ({value(f, 'mte3_instructions'):.0f} copies); MTE3 takes {percent(share)} of the time",
    )  # fmt: skip


BOTTLENECK = Bottleneck(
    id="small-mte3-writes",
    why="A copy instruction has a fixed cost; below a few KB it outweighs the transfer.",
    needs=("bytes_per_mte3_instruction", "aiv_mte3_ratio"),
    applies=is_vector_side,
    judge=judge,
    collect="Memory",
    sources=("Ascend C guide: at least 16 KB a transfer",),
)
