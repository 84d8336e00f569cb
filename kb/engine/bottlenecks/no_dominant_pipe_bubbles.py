"""No unit is busy for half of the time: bubbles."""

from __future__ import annotations

from kb.engine.bottlenecks.judging import (
    Bottleneck,
    Held,
    above,
    below,
    confidence,
    floor_ratio,
    is_kernel,
    limit,
    value,
)
from kb.model import Features
from kb.units import percent

# One or two shares typed in say nothing about the pipes that were left out.
ENOUGH_PIPES = 3


def _pipes_known(f: Features) -> int:
    return sum(
        name.endswith("_ratio") and name.split("_")[1] in PIPES and name.count("_") == 2 for name in f.values
    )


PIPES = frozenset({"mac", "vec", "scalar", "mte1", "mte2", "mte3", "fixpipe"})


def judge(f: Features) -> Held | None:
    """Every pipe below the mark in a kernel long enough that start-up does not explain it."""
    pipe = below(f, "max_pipe_ratio", limit("no-dominant-pipe-bubbles", "pipe"))
    long = above(f, "task_duration_us", limit("no-dominant-pipe-bubbles", "duration"))
    if pipe is None or long is None or _pipes_known(f) < ENOUGH_PIPES:
        return None
    share = value(f, "max_pipe_ratio")
    headroom = max(0.0, min(1 - share, 1 - floor_ratio(f)))
    return Held(
        confidence(0.5 - share, 0.0, 0.3), round(headroom, 4), (pipe, long),
        f"the busiest pipe works {percent(share)} of the time: pipes wait for one another",
    )  # fmt: skip


BOTTLENECK = Bottleneck(
    id="no-dominant-pipe-bubbles",
    why="Synchronisation, a single buffer or cube-vector hand-over leaves every unit idle in turn.",
    needs=("max_pipe_ratio", "task_duration_us"),
    applies=is_kernel,
    judge=judge,
    yields_to=("serial-copy-compute", "cv-sync-bound", "under-parallel"),
)
