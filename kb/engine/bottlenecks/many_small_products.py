"""Many small products where one large or grouped one would do."""

from __future__ import annotations

from collections.abc import Sequence

from kb.addition import plain_sum
from kb.engine.bottlenecks.gate import near_floor
from kb.engine.bottlenecks.judging import Bottleneck, Held, floor_ratio, limit, pattern_in, value
from kb.model import Evidence, Features
from kb.units import percent


def judge_run(run: Features, operators: Sequence[Features]) -> Held | None:
    """Several short launches of products that leave cores idle, above the share."""
    duration, count, share_limit = (
        limit("many-small-products", name) for name in ("duration", "count", "share")
    )
    group = tuple(
        f for f in operators
        if pattern_in(f, "matmul", "batch_matmul") and value(f, "task_duration_us", 1e9) < duration.value
        and value(f, "launch_count") > count.value and value(f, "used_core_share", 1.0) < 0.9
        and not near_floor(f)
    )  # fmt: skip
    share = plain_sum(value(f, "compute_time_share") for f in group)
    if not group or share <= share_limit.value:
        return None
    top = max(group, key=lambda f: (value(f, "compute_time_share"), f.operator.name if f.operator else ""))
    evidence = (
        Evidence(
            "launch_count",
            value(top, "launch_count"),
            "",
            f"> {count.value:.0f}",
            f"{top.labels.get('op_type')}; limit: {count.source}",
        ),
        Evidence(
            "task_duration_us",
            value(top, "task_duration_us"),
            "us",
            f"< {duration.value:.0f} us",
            f"limit: {duration.source}",
        ),
        Evidence(
            "used_core_share", round(value(top, "used_core_share"), 4), "1", "near 1", "Block Dim / cores"
        ),
    )
    idle = 1 - value(top, "used_core_share")
    return Held(
        0.6,
        round(max(0.0, min(idle, 1 - floor_ratio(top))), 4),
        evidence,
        f"small products on a part of the cores take {percent(share)} of the compute time",
        group,
    )


BOTTLENECK = Bottleneck(
    id="many-small-products",
    why="Each small product pays a launch and cannot fill the cores.",
    judge_run=judge_run,
)
