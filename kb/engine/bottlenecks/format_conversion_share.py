"""TransData, Transpose, Cast and copies between formats take a visible part of the compute time."""

from __future__ import annotations

from collections.abc import Sequence

from kb.engine.bottlenecks.judging import Bottleneck, Held, above, confidence, limit, value
from kb.model import Evidence, Features

PATTERNS = ("format", "transpose", "cast", "tensor_move")
TYPES = ("transdata", "transpose", "cast", "tensormove", "contiguous", "identity", "viewcopy", "asstrided")


def is_conversion(f: Features) -> bool:
    """The operator only changes layout, format or dtype."""
    name = f.labels.get("op_type", "").lower()
    return f.labels.get("op_pattern") in PATTERNS or any(name.startswith(kind) for kind in TYPES)


def judge_run(run: Features, operators: Sequence[Features]) -> Held | None:
    """Summed share of conversions above the mark; random fills' own casts do not count."""
    share = above(run, "format_conversion_share", limit("format-conversion-share", "share"))
    group = tuple(f for f in operators if is_conversion(f) and f.labels.get("setup") != "yes")
    if share is None or not group:
        return None
    top = max(group, key=lambda f: value(f, "compute_time_share"))
    evidence = [share]
    evidence += [
        Evidence(
            "compute_time_share",
            round(value(f, "compute_time_share"), 4),
            "1",
            "",
            f"{f.labels.get('op_type')} x {value(f, 'launch_count'):.0f}",
        )
        for f in sorted(group, key=lambda f: -value(f, "compute_time_share"))[:3]
    ]
    return Held(
        confidence(value(run, "format_conversion_share"), 0.05, 0.15), 1.0, tuple(evidence),
        f"format and layout conversions take {value(run, 'format_conversion_share'):.0%} of the compute time, {top.labels.get('op_type')} most", group,
    )  # fmt: skip


BOTTLENECK = Bottleneck(
    id="format-conversion-share",
    why="Conversions move bytes without computing; a consistent layout removes them.",
    needs=("format_conversion_share",),
    judge_run=judge_run,
)
