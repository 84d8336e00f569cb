"""An operator far from its floor of which nobody measured what it waits for."""

from __future__ import annotations

from kb.engine.bottlenecks.gate import LAUNCH_US
from kb.engine.bottlenecks.judging import (
    Bottleneck,
    Held,
    below,
    context,
    floor_ratio,
    is_kernel,
    limit,
    pattern_in,
    value,
)
from kb.model import Features
from kb.units import percent, us
from kb.vocabulary.work_patterns import ALL_PRODUCTS

UNEXPLAINED = 0.4  # the distance is computed, its cause is not known
BUSY = 0.5  # a pipe at this share is a cause of its own
ENOUGH_PIPES = 3  # from so many known shares on the others judge


def judge(f: Features) -> Held | None:
    """Floor and launch together are a small part of the time on every candidate chip, and no pipe explains it."""
    far = below(f, "floor_ratio", limit("far-from-floor", "floor"))
    took = value(f, "task_duration_us")
    if (
        far is None
        or took <= 0
        or value(f, "compute_time_share", 1.0) < limit("far-from-floor", "share").value
    ):
        return None
    launch = LAUNCH_US.get(f.labels.get("core", ""), 0.0) / took
    if (
        floor_ratio(f) + launch >= far_limit()
        or value(f, "max_pipe_ratio") >= BUSY
        or _pipes_known(f) >= ENOUGH_PIPES
    ):
        return None
    times = 1 / max(floor_ratio(f), 1e-6)
    text = (
        f"takes {times:.1f} times its roofline floor ({us(took)}, floor at {percent(floor_ratio(f))} of it);"
        " what it waits for was not measured"
    )
    if _work_unknown(f):
        text += "; its floor counts bytes alone, since its shapes do not tell what it multiplies"
    return Held(
        UNEXPLAINED,
        round(max(0.0, 1 - floor_ratio(f) - launch), 4),
        (far, *context(f, "task_duration_us", "floor_us")),
        text,
    )


def far_limit() -> float:
    """The part of the time that floor and launch may be at most."""
    return limit("far-from-floor", "floor").value


def _work_unknown(f: Features) -> bool:
    """What it multiplies is not told by its shapes, so the floor is that of the bytes alone and says little."""
    return "flops" not in f.values and pattern_in(f, *ALL_PRODUCTS, "attention", "conv")


def _pipes_known(f: Features) -> int:
    """How many pipes' shares were measured; each of them has judgements of its own."""
    pipes = ("mac", "vec", "mte1", "mte2", "mte3", "fixpipe", "scalar")
    return sum(f"{side}_{pipe}_ratio" in f.values for side in ("aic", "aiv") for pipe in pipes)


BOTTLENECK = Bottleneck(
    id="far-from-floor",
    why="No kernel doing this work needs that long: the time is lost to something that no counter here shows.",
    needs=("floor_ratio", "task_duration_us"),
    applies=is_kernel,
    judge=judge,
    yields_to=(
        "aicpu-fallback", "under-parallel", "tail-wave", "core-imbalance", "over-parallel-launch", "head-overhead", "gemv-small-m",
        "small-mte2-reads", "small-mte3-writes", "l2-thrash", "bank-conflict", "scalar-bound-vector", "scalar-bound-cube",
        "fixpipe-bound", "mte1-bound", "icache-miss", "specialised-library-operator", "frequency-drop",
        "capture-contradicts-size", "mte2-bound-cube-hungry", "attention-unaligned-head-dim", "conv-few-channels",
        "product-unaligned-inner-axis", "discrete-gm-access", "wait-dominated", "cv-not-overlapped", "tiny-last-axis",
    ),
    collect="PipeUtilization",
    sources=("cost model: attainable fractions by class",),
)  # fmt: skip
