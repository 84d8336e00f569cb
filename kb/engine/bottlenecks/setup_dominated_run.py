"""Most of the run is filling inputs with random numbers, not the kernel of interest."""

from __future__ import annotations

from collections.abc import Sequence

from kb.engine.bottlenecks.judging import Bottleneck, Held, above, confidence, limit, value
from kb.model import Evidence, Features
from kb.units import percent


def judge_run(run: Features, operators: Sequence[Features]) -> Held | None:
    """Random fills and the casts of their results above half of the busy time, with another kernel beside them."""
    share = above(run, "setup_time_share", limit("setup-dominated-run", "share"))
    setup = tuple(f for f in operators if f.labels.get("setup") == "yes")
    if share is None or len(setup) == len(operators):
        return None
    evidence = [share] + [
        Evidence(
            "op_time_share",
            round(value(f, "op_time_share"), 4),
            "1",
            "",
            f"{f.labels.get('op_type')} x {value(f, 'launch_count'):.0f}",
        )
        for f in setup[:3]
    ]
    names = " and ".join(dict.fromkeys(f.labels.get("op_type", "?") for f in setup))
    part = value(run, "setup_time_share")
    return Held(
        confidence(part, 0.5, 0.9, low=0.8),
        0.0,
        tuple(evidence),
        f"set-up kernels ({names}) are {percent(part)} of the run; profile the kernel of interest alone or skip the first launches",
        setup,
    )


BOTTLENECK = Bottleneck(
    id="setup-dominated-run",
    why="Shares of the run then describe the test harness, not the kernel.",
    needs=("setup_time_share",),
    judge_run=judge_run,
)
