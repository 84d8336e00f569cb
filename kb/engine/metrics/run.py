"""Shares of the whole run: where the time went, overlap removed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kb.engine.metrics.context import Measured
from kb.model import Features, Measure, Profile

DEFINES: tuple[str, ...] = (
    "op_time_share", "compute_time_share", "comm_exposed_share", "comm_share", "device_idle_share", "aicpu_time_share",
    "format_conversion_share", "small_kernel_share", "rank_imbalance", "small_packet_ratio", "setup_time_share",
    "comm_wait_ratio", "link_bandwidth", "host_sync_share",
)  # fmt: skip

SMALL_KERNEL_US = 10.0
_CONVERSIONS = ("format", "transpose", "cast")
_CONVERSION_TYPES = (
    "transdata",
    "transpose",
    "cast",
    "tensormove",
    "contiguous",
    "identity",
    "viewcopy",
    "asstrided",
)


def denominators(profile: Profile) -> tuple[float | None, float | None]:
    """(run, compute) time in microseconds that shares are taken of.

    run: union of kernel intervals where start times exist, else compute + exposed communication, else the plain sum
    of operator times. compute: the same without communication.
    """
    times = profile.times
    summed = sum(op.total_us for op in profile.operators)
    compute_sum = sum(op.total_us for op in profile.operators if op.core != "communication")
    compute = times.compute.value if times.compute is not None else compute_sum
    if times.exposed is not None:
        run: float | None = compute + times.exposed.value
    elif times.busy is not None:
        run = times.busy.value
    else:
        run = summed
    return (run or None), (compute or None)


def measure_run(profile: Profile, operators: Sequence[Features]) -> Iterator[Measured]:
    """Run-level metrics from the run's times and its operators."""
    run, compute = denominators(profile)
    times = profile.times
    if times.exposed is not None and run:
        yield (
            "comm_exposed_share",
            Measure(
                times.exposed.value / run,
                "1",
                f"{times.exposed.origin} / (compute + exposed communication)",
                computed=True,
            ),
        )
    elif run and times.communication is not None:
        yield (
            "comm_exposed_share",
            Measure(
                times.communication.value / run,
                "1",
                f"{times.communication.origin} / run; overlap unknown",
                computed=True,
            ),
        )
    communication = (
        times.communication.value
        if times.communication is not None
        else sum(op.total_us for op in profile.operators if op.core == "communication")
    )
    if run and communication:
        yield (
            "comm_share",
            Measure(
                communication / run, "1", "communication / (compute + exposed communication)", computed=True
            ),
        )
    if times.idle is not None and times.span is not None and times.span.value > 0:
        yield (
            "device_idle_share",
            Measure(
                times.idle.value / times.span.value,
                "1",
                f"{times.idle.origin} / {times.span.origin}",
                computed=True,
            ),
        )
    if compute:
        yield from _compute_shares(compute, operators)
    if run:
        setup = sum(f.operator.total_us for f in operators if f.operator and f.labels.get("setup") == "yes")
        if setup:
            yield (
                "setup_time_share",
                Measure(min(1.0, setup / run), "1", "random fills and their casts / run", computed=True),
            )
    launches = sum(op.count for op in profile.operators)
    if launches:
        small = sum(op.count for op in profile.operators if op.duration.value < SMALL_KERNEL_US)
        yield (
            "small_kernel_share",
            Measure(
                small / launches,
                "1",
                f"launches below {SMALL_KERNEL_US:.0f} us / all {launches}",
                computed=True,
            ),
        )
    if times.waiting is not None and times.transit is not None:
        talked = times.waiting.value + times.transit.value
        if talked > 0:
            yield (
                "comm_wait_ratio",
                Measure(
                    times.waiting.value / talked,
                    "1",
                    f"{times.waiting.origin} / (waiting + transit)",
                    computed=True,
                ),
            )
    yield from ((name, profile.counters[name]) for name in DEFINES if name in profile.counters)
    ranks = [rank.times.compute.value for rank in profile.ranks if rank.times.compute is not None]
    if len(ranks) > 1 and max(ranks) > 0:
        yield (
            "rank_imbalance",
            Measure(
                (max(ranks) - min(ranks)) / max(ranks),
                "1",
                f"(slowest - fastest) / slowest compute time of {len(ranks)} ranks",
                min(ranks),
                max(ranks),
                len(ranks),
                True,
            ),
        )


def _compute_shares(compute: float, operators: Sequence[Features]) -> Iterator[Measured]:
    aicpu = sum(f.operator.total_us for f in operators if f.operator and f.labels.get("core") == "ai_cpu")
    if aicpu:
        yield (
            "aicpu_time_share",
            Measure(min(1.0, aicpu / compute), "1", "AI CPU time / compute time", computed=True),
        )
    conversions = sum(f.operator.total_us for f in operators if f.operator and _is_conversion(f))
    yield (
        "format_conversion_share",
        Measure(
            min(1.0, conversions / compute),
            "1",
            "TransData, Transpose, Cast, TensorMove / compute time",
            computed=True,
        ),
    )


def _is_conversion(f: Features) -> bool:
    if f.labels.get("setup") == "yes" or f.labels.get("core") in ("communication", "ai_cpu"):
        return False
    name = f.labels.get("op_type", "").lower()
    return f.labels.get("op_pattern") in _CONVERSIONS or name.startswith(_CONVERSION_TYPES)


def shares(total_us: float, core: str, run: float | None, compute: float | None) -> Mapping[str, Measure]:
    """The shares of one operator group."""
    out: dict[str, Measure] = {}
    if run:
        out["op_time_share"] = Measure(min(1.0, total_us / run), "1", "operator's time / run", computed=True)
    if compute and core != "communication":
        out["compute_time_share"] = Measure(
            min(1.0, total_us / compute), "1", "operator's time / compute time", computed=True
        )
    return out
