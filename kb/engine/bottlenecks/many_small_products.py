"""Many small products where one large or grouped one would do."""

from __future__ import annotations

from collections.abc import Sequence

from kb.addition import plain_sum
from kb.engine.bottlenecks.gate import at_launch_floor, near_floor
from kb.engine.bottlenecks.judging import Bottleneck, Held, floor_ratio, limit, open_share, pattern_in, value
from kb.model import Evidence, Features
from kb.units import percent, us

CORES_UNKNOWN = 0.7  # confidence where only the launches and their length are known


def judge_run(run: Features, operators: Sequence[Features]) -> Held | None:
    """Several short launches of products that leave cores idle, above the share."""
    duration, count, share_limit = (
        limit("many-small-products", name) for name in ("duration", "count", "share")
    )
    group = tuple(
        f for f in operators
        if pattern_in(f, "matmul", "batch_matmul") and value(f, "task_duration_us", 1e9) < duration.value
        and value(f, "launch_count") > count.value and _idle_cores(f)
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
        *(
            (Evidence("used_core_share", round(value(top, "used_core_share"), 4), "1", "near 1", "Block Dim / cores"),)
            if "used_core_share" in top.values
            else ()
        ),
    )  # fmt: skip
    if "used_core_share" not in top.values:
        text = f"{value(top, 'launch_count'):.0f} launches of a matrix multiplication that is over in {us(value(top, 'task_duration_us'))}: launching is what takes the time"
        return Held(CORES_UNKNOWN, open_share(top), evidence, text, group)
    idle = 1 - value(top, "used_core_share")
    return Held(
        0.6,
        round(max(0.0, min(idle, 1 - floor_ratio(top))), 4),
        evidence,
        f"small matrix multiplications on a part of the cores take {percent(share)} of the compute time",
        group,
    )


def _idle_cores(f: Features) -> bool:
    """Cores are left over; where the blocks were not recorded, a product that ends within its launch time is that small."""
    if "used_core_share" in f.values:
        return value(f, "used_core_share") < 0.9
    many = limit("many-small-products", "launches").value
    return at_launch_floor(f) and value(f, "launch_count") >= many


BOTTLENECK = Bottleneck(
    id="many-small-products",
    why="Each small matrix multiplication pays a launch and cannot fill the cores.",
    judge_run=judge_run,
)
