"""Cores wait for instructions."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import (
    Bottleneck,
    Held,
    above,
    confidence,
    context,
    is_kernel,
    limit,
    value,
)
from kb.model import Features
from kb.units import percent, us


def judge(f: Features) -> Held | None:
    """Instruction wait visible, or a high miss rate in a kernel long enough not to be merely cold."""
    wait = [
        item
        for item in (
            above(f, f"{side}_scalar_wait_ib_ratio", limit("icache-miss", "wait")) for side in ("aiv", "aic")
        )
        if item
    ]
    miss = [
        item
        for item in (
            above(f, f"{side}_icache_miss_rate", limit("icache-miss", "miss")) for side in ("aiv", "aic")
        )
        if item
    ]
    long = value(f, "task_duration_us", 1e9) >= limit("icache-miss", "duration").value
    if not wait and not (miss and long):
        return None
    share = max((float(item.value) for item in wait), default=0.0)
    headroom = round(share, 4) if wait else None
    evidence = (*wait, *miss, *context(f, "task_duration_us"))
    if not wait:
        return Held(0.5, headroom, evidence, "many instruction cache misses")
    sure = confidence(share, 0.1, 0.4)
    what = f"instructions come late: {percent(share)} of the time the core waits for them"
    if not long:
        what += f"; a kernel of {us(value(f, 'task_duration_us'))} starts with a cold cache, which may be all of it"
        sure = min(sure, MAYBE_COLD)
    return Held(sure, headroom, evidence, what)


MAYBE_COLD = 0.4  # confidence for a kernel so short that its first instructions may be what came late


BOTTLENECK = Bottleneck(
    id="icache-miss",
    why="Code larger than the instruction cache, or branched into rarely used templates, is fetched again and again.",
    needs=("aiv_icache_miss_rate|aic_icache_miss_rate|aiv_scalar_wait_ib_ratio|aic_scalar_wait_ib_ratio",),
    applies=is_kernel,
    judge=judge,
)
