"""TransData, Transpose, Cast and copies between formats take a visible part of the compute time."""

from __future__ import annotations

from collections.abc import Sequence

from kb.engine.bottlenecks.judging import Bottleneck, Held, above, confidence, limit, value
from kb.model import Evidence, Features
from kb.units import percent


def judge_run(run: Features, operators: Sequence[Features]) -> Held | None:
    """Summed share of conversions above the mark; random fills' own casts do not count."""
    share = above(run, "format_conversion_share", limit("format-conversion-share", "share"))
    group = tuple(f for f in operators if f.labels.get("conversion") == "yes")
    if share is None or not group:
        return None
    by_type: dict[str, float] = {}
    for f in group:
        kind = f.labels.get("op_type", "?")
        by_type[kind] = by_type.get(kind, 0.0) + value(f, "compute_time_share")
    ranked = sorted(by_type.items(), key=lambda item: (-item[1], item[0]))
    evidence = [
        share,
        *(Evidence("compute_time_share", round(part, 4), "1", "", kind) for kind, part in ranked[:3]),
    ]
    total = value(run, "format_conversion_share")
    return Held(
        confidence(total, 0.05, 0.15),
        1.0,
        tuple(evidence),
        f"format and layout conversions take {percent(total)} of the compute time, {ranked[0][0]} {percent(ranked[0][1])}",
        group,
    )


BOTTLENECK = Bottleneck(
    id="format-conversion-share",
    why="Conversions move bytes without computing; a consistent layout removes them.",
    needs=("format_conversion_share",),
    judge_run=judge_run,
)
