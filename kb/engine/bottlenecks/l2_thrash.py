"""Data that is used again is not found in L2."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import (
    Bottleneck,
    Held,
    above,
    below,
    confidence,
    context,
    is_kernel,
    limit,
    value,
)
from kb.model import Features
from kb.units import percent


def judge(f: Features) -> Held | None:
    """Low hit rate on data read more than once, with copying in a large part of the time."""
    hit = below(f, "l2_hit_rate", limit("l2-thrash", "hit"))
    if "passes_over_data" not in f.values:
        return _by_the_rate_alone(f)
    passes = above(f, "passes_over_data", limit("l2-thrash", "passes"))
    volume = above(f, "read_bytes", limit("l2-thrash", "bytes"))
    mte2 = max(value(f, "aiv_mte2_ratio"), value(f, "aic_mte2_ratio"))
    if not (hit and passes and volume) or mte2 < 0.3:
        return None
    rate, times = value(f, "l2_hit_rate"), value(f, "passes_over_data")
    reusable = 1 - 1 / times
    headroom = round(max(0.0, min(mte2 * (reusable - rate), 1 - value(f, "floor_ratio"))), 4)
    if headroom <= 0.02:
        return None
    return Held(
        confidence(1 - rate, 0.5, 0.9),
        headroom,
        (hit, passes, volume, *context(f, "aiv_mte2_ratio", "aic_mte2_ratio")),
        f"data is read {times:.1f} times but only {percent(rate)} is found in L2",
    )


def _by_the_rate_alone(f: Features) -> Held | None:
    """A long kernel that finds next to nothing in L2, and nothing else is known of it.

    A capture with counters is not judged so: its kernels start with a cold L2 (msopprof flushes it), and whether the
    data is read more than once shows in the bytes moved.
    """
    hit = below(f, "l2_hit_rate", limit("l2-stream-once", "hit"))
    if hit is None or {"read_bytes", "max_pipe_ratio"} & f.values.keys():
        return None
    if value(f, "task_duration_us") <= LONG_US:
        return None
    text = f"only {percent(value(f, 'l2_hit_rate'))} is found in L2; whether the data is read more than once was not measured"
    return Held(RATE_ALONE, None, (hit, *context(f, "task_duration_us", "floor_ratio")), text)


LONG_US = 100.0  # a kernel this long moves more than fits into L2 if it is bound by memory at all
RATE_ALONE = 0.4

BOTTLENECK = Bottleneck(
    id="l2-thrash",
    why="L2 is several times faster than GM; a working set that does not fit is fetched again and again.",
    needs=("l2_hit_rate",),
    applies=lambda f: is_kernel(f) or f.labels.get("core") == "unknown",
    judge=judge,
    collect="L2Cache and Memory, with the operator's shapes (--shape)",
)
