"""One rank of a job is slower, and the others wait for it in collectives."""

from __future__ import annotations

from collections.abc import Sequence

from kb.engine.bottlenecks.judging import Bottleneck, Held, above, confidence, context, limit, value
from kb.model import Features
from kb.units import percent


def judge_run(run: Features, operators: Sequence[Features]) -> Held | None:
    """Compute times, or times in exposed collectives, differ by more than the mark over the ranks."""
    mark = limit("rank-imbalance", "spread")
    compute, wait = above(run, "rank_imbalance", mark), above(run, "rank_wait_share", mark)
    if compute is None and wait is None:
        return None
    slow, waiting = value(run, "rank_imbalance"), value(run, "rank_wait_share")
    what = (
        f"the fastest rank computes {percent(slow)} less than the slowest"
        if compute
        else "ranks compute alike but wait differently: a link, or a rank that starts late"
    )
    return Held(
        confidence(max(slow, waiting), mark.value, 0.4, low=0.65) if compute and wait else 0.6,
        round(waiting if "rank_wait_share" in run.values else slow, 4),
        (*filter(None, (compute, wait)), *context(run, "comm_exposed_share")),
        f"{what}; the quickest rank waits {percent(waiting)} of the step more than the slowest"
        if waiting
        else what,
    )


BOTTLENECK = Bottleneck(
    id="rank-imbalance",
    why="A collective ends when the last rank arrives.",
    needs=("rank_imbalance|rank_wait_share",),
    judge_run=judge_run,
    headroom_of="elapsed",
    collect="step_trace_time.csv of every rank, or cluster_step_trace_time.csv",
    sources=("msprof-analyze advisor, slow rank rule",),
)
