"""Fewer cores work than the chip has, although the data would feed more."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import (
    Bottleneck,
    Held,
    above,
    context,
    is_cube_side,
    is_kernel,
    limit,
    reading,
    span,
    value,
)
from kb.model import Evidence, Features

EQUAL_WORK = 0.05  # imbalance below which blocks count as equal
# A split inside a piece (along a scanned or reduced axis) may not exist or cost a second pass.
PIECES_CONFIDENCE = 0.25


LONE = 0.1  # part of the cores at most, for a kernel that runs on one or two


def judge(f: Features) -> Held | None:
    """Blocks (or working cores) below the cores of every candidate chip, in a kernel long enough to be worth it."""
    share = f.values["used_core_share"]
    used = share.high if share.high is not None else share.value
    lone = is_cube_side(f) and used <= LONE  # launching a product takes about 5 us, so a third of this
    longer = limit("under-parallel", "lone") if lone else limit("under-parallel", "duration")
    long = above(f, "task_duration_us", longer)
    if used > 0.9 or ("task_duration_us" in f.values and long is None):
        return None
    headroom = max(0.0, min(1 - used, 1 - min(1.0, value(f, "floor_ratio"))))
    if headroom <= 0.05:
        return None
    pieces = _pieces(f)
    sure = PIECES_CONFIDENCE if pieces else 0.9 if used < 0.5 else 0.7
    evidence = [
        *context(f, "block_dim", "working_cores"),
        reading(f, "core_count", "at least as many blocks"),
    ]
    evidence += [
        *(context(f, "useful_cores") if pieces else ()),
        *([long] if long else []),
        *([pieces] if pieces else []),
    ]
    blocks = value(f, "working_cores", value(f, "block_dim"))
    tail = (
        f"; the launch already has one block for each of {blocks:.0f} independent pieces, so more cores need a split inside a piece"
        if pieces
        else ""
    )
    return Held(
        sure, round(headroom, 4), tuple(evidence), f"{blocks:.0f} of {span(f, 'core_count')} cores work{tail}"
    )


def _pieces(f: Features) -> Evidence | None:
    """Evidence that the blocks are the independent pieces: equal work, and one transfer's worth of input each."""
    blocks = value(f, "block_dim")
    if (
        blocks > 1
        and value(f, "core_time_imbalance", 1.0) < EQUAL_WORK
        and value(f, "useful_cores", 1e9) <= blocks
    ):
        source = "blocks do equal work and read one recommended transfer (16 KiB) or less each"
        return Evidence("block_dim", blocks, "", "one block an independent piece", source)
    return None


BOTTLENECK = Bottleneck(
    id="under-parallel",
    why="Idle cores are lost time when the work could be split.",
    needs=("used_core_share",),
    applies=is_kernel,
    judge=judge,
    collect="Block Dim and the chip (--soc)",
    sources=("msprof-analyze advisor, block dim rule",),
)
