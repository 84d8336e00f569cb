"""The device waits for the host between kernels."""

from __future__ import annotations

from collections.abc import Sequence

from kb.engine.bottlenecks.judging import (
    Bottleneck,
    Held,
    Withheld,
    above,
    confidence,
    context,
    limit,
    value,
)
from kb.engine.bottlenecks.trial import trial
from kb.model import Features
from kb.units import percent, us

# Dispatching one operator takes 13 to 24 us in published measurements; a mean gap many times that is something else.
LONG_GAP_US = 500.0
STEPS = "a profile of whole steps of the model"


def judge_run(run: Features, operators: Sequence[Features]) -> Held | Withheld | None:
    """Idle device for a visible part of the span, with small kernels, in what is no trial of single kernels."""
    idle = above(run, "device_idle_share", limit("host-bound", "idle"))
    small = above(run, "small_kernel_share", limit("host-bound", "small"))
    if idle is None or value(run, "setup_time_share") > limit("setup-dominated-run", "share").value:
        return None  # a test harness between a few launches is no host-bound model
    share = value(run, "device_idle_share")
    if alone := trial(run, operators):
        reason = f"{alone}: a program that tries kernels, not a model; that the device is idle {percent(share)} of the elapsed time says nothing of the kernels"
        return Withheld(reason, STEPS)
    if small is None and value(run, "host_gap_us") > LONG_GAP_US:
        gap = us(value(run, "host_gap_us"))
        reason = f"the device is idle {percent(share)} of the elapsed time, in gaps of {gap} on average: too long for dispatching operators, so another part of the program or rows left out of the export; it says nothing of the kernels"
        return Withheld(reason, STEPS)
    evidence = (
        idle,
        *([small] if small else context(run, "small_kernel_share")),
        *context(run, "host_gap_us", "host_sync_share"),
    )
    return Held(
        confidence(share, 0.2, 0.6, low=0.6 if small else 0.45),
        round(share, 4),
        evidence,
        f"the device is idle {percent(share)} of the elapsed time, between kernels",
    )


BOTTLENECK = Bottleneck(
    id="host-bound",
    why="Python, operator dispatch or a synchronisation is slower than the kernels.",
    needs=("device_idle_share",),
    judge_run=judge_run,
    headroom_of="elapsed",
    collect="start times of the kernels (kernel_details.csv or op_summary.csv), or step_trace_time.csv",
)
