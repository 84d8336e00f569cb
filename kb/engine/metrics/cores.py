"""How the work lies on the cores: blocks against cores, idle cores, imbalance, launch overhead, clock."""

from __future__ import annotations

from collections.abc import Iterator

from kb.addition import plain_sum
from kb.engine.metrics.context import Context, Reading, cores_of
from kb.engine.metrics.sides import core_time, sides
from kb.model import Measure, Operator

DEFINES: tuple[str, ...] = (
    "task_duration_us", "launch_count", "block_dim", "core_count", "used_core_share", "working_cores",
    "idle_core_share", "blocks_per_core", "tail_blocks", "core_time_imbalance", "head_overhead_us",
    "head_overhead_share", "clock_ratio", "host_gap_us",
)  # fmt: skip


def measure(op: Operator, context: Context) -> Iterator[Reading]:
    """Core-level metrics of one kernel."""
    duration = op.duration
    if duration.unit == "us":
        yield "task_duration_us", duration
    yield "launch_count", Measure(op.count, "", "launches in the group")
    if op.wait is not None:
        yield "host_gap_us", op.wait
    if op.clock_mhz is not None and op.rated_clock_mhz:
        ratio = op.clock_mhz / op.rated_clock_mhz
        yield "clock_ratio", Measure(ratio, "1", "Current Freq / Rated Freq", computed=True)
    yield from _blocks(op, context)
    yield from _balance(op)


def _blocks(op: Operator, context: Context) -> Iterator[Reading]:
    cores = context.over_targets(lambda target: cores_of(op, target), "", "cores of this kind on the chip")
    if cores is not None:
        yield "core_count", cores
    if op.block_dim is None or op.block_dim <= 0:
        return
    blocks = op.block_dim
    yield "block_dim", Measure(blocks, "", "Block Dim")
    if cores is None:
        return
    low, high = cores.low or cores.value, cores.high or cores.value
    yield (
        "blocks_per_core",
        Measure(
            blocks / cores.value,
            "1x",
            "Block Dim / cores",
            blocks / high,
            blocks / low,
            cores.n,
            computed=True,
        ),
    )
    busy = _working_count(op) or blocks
    yield (
        "used_core_share",
        Measure(
            min(1.0, busy / cores.value), "1", "working cores / cores of this kind",
            min(1.0, busy / high), min(1.0, busy / low), cores.n, computed=True,
        ),
    )  # fmt: skip
    tail = context.over_targets(
        lambda target: blocks % count if (count := cores_of(op, target)) else None,
        "",
        "Block Dim modulo cores",
    )
    if tail is not None:
        yield "tail_blocks", tail


def _working_count(op: Operator) -> int | None:
    found = sides(op)
    side = found.get("aic") if op.core == "mix" else next(iter(found.values()), None)
    return (
        len(side.rows)
        if side is not None and side.launched and side.launched[0].sub_block != "core"
        else None
    )


def _balance(op: Operator) -> Iterator[Reading]:
    slowest = 0.0
    for side in sides(op).values():
        times = [time for time in map(core_time, side.launched) if time is not None]
        if not times:
            total = side.column("time_us")
            slowest = max(slowest, total.value if total else 0.0)
            continue
        slowest = max(slowest, *times)
        own = op.core != "mix" or side.prefix == ("aic" if _cube_is_slower(op) else "aiv")
        if len(times) > 1 and own:
            yield from _spread_over_cores(times, len(side.rows))
    duration = op.duration.value
    if op.cores and 0 < slowest <= duration and not op.duration.computed:
        head = duration - slowest
        yield "head_overhead_us", Measure(head, "us", "task duration - slowest core", computed=True)
        yield (
            "head_overhead_share",
            Measure(head / duration, "1", "(task duration - slowest core) / task duration", computed=True),
        )


def _spread_over_cores(times: list[float], working: int) -> Iterator[Reading]:
    n, top = len(times), max(times)
    mean = plain_sum(times) / n
    yield (
        "working_cores",
        Measure(
            working, "", f"cores busy for at least a tenth of the slowest, of {n} launched", computed=True
        ),
    )
    yield (
        "idle_core_share",
        Measure(
            1 - working / n, "1", f"{n - working} of {n} launched cores did next to nothing", computed=True
        ),
    )
    if top > 0:
        yield (
            "core_time_imbalance",
            Measure(
                (top - mean) / top,
                "1",
                f"(slowest core {top:.4g} us - mean {mean:.4g} us) / slowest, {n} cores",
                min(times),
                top,
                n,
                computed=True,
            ),
        )


def _cube_is_slower(op: Operator) -> bool:
    tops = {
        prefix: max((time for time in map(core_time, side.launched) if time is not None), default=0.0)
        for prefix, side in sides(op).items()
    }
    return tops.get("aic", 0.0) >= tops.get("aiv", 0.0)
