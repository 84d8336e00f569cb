"""A visible part of the compute time lies in launches of a few microseconds."""

from __future__ import annotations

from collections.abc import Sequence

from kb.addition import plain_sum
from kb.engine.bottlenecks.judging import Bottleneck, Held, above, confidence, limit, value
from kb.engine.metrics.run import SMALL_KERNEL_US, is_small
from kb.model import Evidence, Features
from kb.units import percent

NAMED = 3  # types shown as evidence
TYPES = 3  # fewer types are no chain: a benchmark of one operator, launched over and over


def judge_run(run: Features, operators: Sequence[Features]) -> Held | None:
    """Most launches and a visible part of the time are kernels too short to reach the memory's rate."""
    time = above(run, "small_kernel_time_share", limit("tiny-kernels", "time"))
    count = above(run, "small_kernel_share", limit("tiny-kernels", "count"))
    if time is None or count is None:
        return None
    if value(run, "setup_time_share") > limit("setup-dominated-run", "share").value:
        return None
    group = tuple(f for f in operators if is_small(f))
    if len({f.labels.get("op_type") for f in group}) < TYPES:
        return None
    total = plain_sum(f.operator.total_us for f in group if f.operator)
    needed = plain_sum(min(1.0, value(f, "floor_ratio")) * f.operator.total_us for f in group if f.operator)
    gaps = plain_sum(max(0.0, value(f, "host_gap_us")) * value(f, "launch_count") for f in group)
    # A gap longer than the kernel is the host's doing, not the kernel's.
    open_us = total - needed + min(gaps, total)
    top = sorted(group, key=lambda f: (-value(f, "compute_time_share"), f.labels.get("op_type", "")))[:NAMED]
    shown = tuple(
        Evidence("task_duration_us", round(value(f, "task_duration_us"), 3), "us", f"< {SMALL_KERNEL_US:.0f} us", f"{f.labels.get('op_type')} x {value(f, 'launch_count'):.0f}")
        for f in top
    )  # fmt: skip
    share = value(run, "small_kernel_time_share")
    return Held(
        confidence(share, 0.1, 0.4),
        round(min(1.0, open_us / total), 4) if total else None,
        (time, count, *shown),
        f"{percent(value(run, 'small_kernel_share'))} of the launches are shorter than 10 us and take {percent(share)} of the compute time",
        group,
    )


BOTTLENECK = Bottleneck(
    id="tiny-kernels",
    why="A kernel of a few microseconds is start-up and one round trip through memory; its work would hide in a neighbour.",
    needs=("small_kernel_time_share", "small_kernel_share"),
    judge_run=judge_run,
)
