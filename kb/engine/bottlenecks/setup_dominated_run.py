"""Most of the run is filling inputs, not the kernel of interest."""

from __future__ import annotations

from collections.abc import Sequence

from kb.addition import plain_sum
from kb.engine.bottlenecks.judging import Bottleneck, Held, confidence, limit, value
from kb.engine.bottlenecks.trial import is_constant, trial
from kb.model import Evidence, Features
from kb.units import number, percent

NAMED = 3  # kernels shown as evidence, and in the sentence


def judge_run(run: Features, operators: Sequence[Features]) -> Held | None:
    """Random fills and the casts of their results above half of the busy time, with another kernel beside them.

    In a program that only tries kernels, constants and masks are set-up as well.
    """
    alone = bool(trial(run, operators))
    setup = [f for f in operators if f.labels.get("setup") == "yes" or (alone and is_constant(f))]
    threshold = limit("setup-dominated-run", "share")
    part = min(1.0, plain_sum(value(f, "op_time_share") for f in setup))
    if part <= threshold.value or len(setup) == len(operators):
        return None
    setup.sort(key=lambda f: (-value(f, "op_time_share"), f.labels.get("op_type", "")))
    expected = f"> {number(threshold.value, threshold.unit)}"
    how = "fills of inputs / run" + f"; limit: {threshold.source} ({threshold.grade})"
    shown = tuple(
        Evidence("op_time_share", round(value(f, "op_time_share"), 4), "1", "", f"{f.labels.get('op_type')} x {value(f, 'launch_count'):.0f}")
        for f in setup[:NAMED]
    )  # fmt: skip
    kinds = list(dict.fromkeys(f.labels.get("op_type", "?") for f in setup))[:NAMED]
    return Held(
        confidence(part, 0.5, 0.9, low=0.8),
        0.0,
        (Evidence("setup_time_share", round(part, 6), "1", expected, how), *shown),
        f"set-up kernels ({', '.join(kinds)}) are {percent(part)} of the run; profile the kernel of interest alone or skip the first launches",
        tuple(setup),
    )


BOTTLENECK = Bottleneck(
    id="setup-dominated-run",
    why="Shares of the run then describe the test harness, not the kernel.",
    judge_run=judge_run,
)
