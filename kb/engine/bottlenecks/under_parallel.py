"""Fewer cores work than the chip has, although the data would feed more."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import Bottleneck, Evidence, Held, above, context, is_kernel, limit, reading, value
from kb.model import Features


def judge(f: Features) -> Held | None:
    """Blocks (or working cores) below the cores of every candidate chip, in a kernel long enough to be worth it."""
    share = f.values["used_core_share"]
    used = share.high if share.high is not None else share.value
    long = above(f, "task_duration_us", limit("under-parallel", "duration"))
    if used > 0.9 or ("task_duration_us" in f.values and long is None):
        return None
    fed = _fed_share(f)
    pieces = _pieces(f)
    headroom = max(0.0, min(1 - used / fed, 1 - min(1.0, value(f, "floor_ratio"))))
    if headroom <= 0.05:
        return None
    sure = 0.9 if used < 0.5 else 0.7
    if pieces is not None:
        sure = 0.5
    evidence = [*context(f, "block_dim", "working_cores"), reading(f, "core_count", "at least as many blocks")]
    evidence += [*context(f, "useful_cores")] + ([long] if long else []) + ([pieces] if pieces else [])
    blocks, cores = value(f, "working_cores", value(f, "block_dim")), value(f, "core_count")
    tail = "; the launch has as many blocks as independent pieces, so more cores need a split inside a piece" if pieces else ""
    return Held(sure, round(headroom, 4), tuple(evidence), f"{blocks:.0f} of {cores:.0f} cores work{tail}")


def _fed_share(f: Features) -> float:
    """Part of the cores that the data can feed with one recommended transfer each; 1 when the volume is unknown."""
    if "useful_cores" not in f.values or "core_count" not in f.values:
        return 1.0
    blocks = value(f, "block_dim", 1.0)
    return min(1.0, max(value(f, "useful_cores"), blocks) / value(f, "core_count"))


def _pieces(f: Features) -> Evidence | None:
    """Evidence that the block count is the number of independent pieces, when the kernel gives it."""
    blocks = value(f, "block_dim")
    if f.labels.get("op_pattern") == "scan" and value(f, "core_time_imbalance", 1.0) < 0.05 and value(f, "useful_cores", 1e9) <= blocks:
        return Evidence("block_dim", blocks, "", "equal work a block", "blocks of a scan do equal work and read one transfer's worth each: one independent piece a block")
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
