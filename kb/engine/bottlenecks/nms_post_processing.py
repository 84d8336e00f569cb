"""Detection post-processing (NMS, TopK, Sort, NonZero) weighs on the run."""

from __future__ import annotations

from collections.abc import Sequence

from kb.addition import plain_sum
from kb.engine.bottlenecks.judging import Bottleneck, Held, confidence, limit, value
from kb.model import Evidence, Features
from kb.units import percent

# Part of an AI CPU task that an AI Core kernel wins: 136 us against 10 us in the cost model's records.
AI_CPU_OPEN = 0.93
MARK = ("nonmaxsuppression", "nms", "multiclassnms")
HELPERS = ("topk", "sort", "where", "nonzero")


def _is_nms(f: Features) -> bool:
    name = f.labels.get("op_type", "").lower()
    return any(mark in name for mark in MARK)


def _is_helper(f: Features) -> bool:
    name = f.labels.get("op_type", "").lower()
    return any(name.startswith(helper) for helper in HELPERS)


def judge_run(run: Features, operators: Sequence[Features]) -> Held | None:
    """An NMS operator is there and it, with its helpers, takes more than a tenth or sits on the AI CPU."""
    nms = [f for f in operators if _is_nms(f)]
    if not nms:
        return None
    group = nms + [f for f in operators if _is_helper(f)]
    share = plain_sum(value(f, "op_time_share") for f in group)
    on_cpu = [f for f in nms if f.labels.get("core") == "ai_cpu"]
    threshold = limit("nms-post-processing", "share")
    if not on_cpu and share <= threshold.value:
        return None
    evidence = [
        Evidence(
            "op_time_share",
            round(share, 4),
            "1",
            f"> {percent(threshold.value)}",
            f"sum of {len(group)} operator groups; limit: {threshold.source}",
        )
    ]
    if on_cpu:
        evidence.append(
            Evidence("core", "ai_cpu", "", "an AI Core kind", f"{on_cpu[0].labels.get('op_type')}")
        )
    cpu_part = plain_sum(value(f, "op_time_share") for f in on_cpu) / share if share > 0 else 1.0
    headroom = round(min(1.0, cpu_part * AI_CPU_OPEN + (1 - cpu_part)), 4)
    return Held(
        confidence(share, threshold.value, 0.4) if share > threshold.value else 0.6,
        headroom,
        tuple(evidence), "post-processing of a detector (NMS and what feeds it) is a visible part of the run", tuple(group),
    )  # fmt: skip


BOTTLENECK = Bottleneck(
    id="nms-post-processing",
    why="NMS without an AI Core kernel, or as a framework loop, serialises the end of a detector.",
    judge_run=judge_run,
)
