"""The stages of a pipeline compute for different times, and the others wait for the slowest."""

from __future__ import annotations

from collections.abc import Sequence

from kb.engine.bottlenecks.judging import Bottleneck, Held, Withheld, above, confidence, context, limit, value
from kb.engine.metrics.stages import POINT_TO_POINT
from kb.model import Features
from kb.units import percent

OTHERS = "kb advise PROFILE_OF_RANK_0 PROFILE_OF_RANK_1 ..."
MOST_SURE = 0.8  # no export says which rank is in which stage: they are told apart by what is judged


def judge_run(run: Features, operators: Sequence[Features]) -> Held | Withheld | None:
    """Compute times of the stages differ by more than the mark; one stage alone says nothing."""
    how, sent = run.labels.get("pipeline_stages"), percent(value(run, "comm_p2p_share"))
    if how == "alone":
        return Withheld(
            f"send and receive operations take {sent} of the communication: this rank is one stage of a pipeline, and whether it waits for a slower one shows only with the other ranks; add them",
            OTHERS,
        )
    if how == "unknown":
        return Withheld(
            f"send and receive operations take {sent} of the communication: the ranks are stages of a pipeline, and nothing in the files tells which rank is in which stage, so they are not held against one another",
            OTHERS,
        )
    mark = limit("stage-imbalance", "spread")
    apart = above(run, "stage_imbalance", mark)
    if apart is None:
        return None
    share, open_ = value(run, "stage_imbalance"), value(run, "stage_excess_share")
    group = tuple(f for f in operators if _sends(f))
    return Held(
        confidence(share, mark.value, 0.4, high=MOST_SURE),
        round(open_, 4),
        (apart, *context(run, "stage_excess_share", "comm_p2p_share", "comm_exposed_share")),
        f"the stages of the pipeline are not balanced: the fastest computes {percent(share)} less than the slowest, and waits for it in send and receive operations; equal stages save at most {percent(open_)} of the step",
        group,
    )


def _sends(f: Features) -> bool:
    return f.labels.get("core") == "communication" and bool(
        POINT_TO_POINT.search(f.labels.get("op_type", ""))
    )


BOTTLENECK = Bottleneck(
    id="stage-imbalance",
    why="Every micro-batch passes all stages, so all go at the pace of the slowest.",
    needs=("stage_imbalance|pipeline_stages",),
    judge_run=judge_run,
    headroom_of="elapsed",
    collect="step_trace_time.csv of every rank, with the collectives of one",
)
