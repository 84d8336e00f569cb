"""Shares and times of the pipes, waits, conflicts and instruction-cache misses, per core kind."""

from __future__ import annotations

from collections.abc import Iterator

from kb.addition import plain_sum
from kb.engine.metrics.context import Context, Reading
from kb.engine.metrics.sides import Side, sides
from kb.model import Measure, Operator

PIPES = {
    "aic": ("mac", "scalar", "mte1", "mte2", "mte3", "fixpipe"),
    "aiv": ("vec", "scalar", "mte2", "mte3"),
}
WAITS = {"aic": ("cube", "mte1", "mte2", "mte3"), "aiv": ("vec", "mte2", "mte3")}
CONFLICTS = ("total", "bankgroup", "bank", "resc", "mte", "stu", "ldu", "sfu")
VECTOR_TYPES = ("fp32", "fp16", "int32", "int16", "misc")

DEFINES: tuple[str, ...] = (
    *(f"{side}_{pipe}_{what}" for side, pipes in PIPES.items() for pipe in pipes for what in ("ratio", "time_us")),
    *(f"{side}_{pipe}_wait_ratio" for side, pipes in WAITS.items() for pipe in pipes),
    *(f"aiv_vec_{kind}_cflt_ratio" for kind in CONFLICTS),
    *(f"aiv_vec_{kind}_ratio" for kind in VECTOR_TYPES),
    "aic_time_us", "aiv_time_us", "aic_icache_miss_rate", "aiv_icache_miss_rate",
    "max_pipe_ratio", "copy_ratio", "pipe_sum", "cube_vector_time_ratio",
)  # fmt: skip


def measure(op: Operator, context: Context) -> Iterator[Reading]:
    """Pipe metrics of one kernel."""
    found = dict(_columns(op))
    yield from found.items()
    yield from _combined(found)
    if op.core == "mix" and "aic_time_us" in found and "aiv_time_us" in found and op.duration.value > 0:
        quotient = (found["aic_time_us"].value + found["aiv_time_us"].value) / op.duration.value
        yield (
            "cube_vector_time_ratio",
            Measure(quotient, "1x", "(aic time + aiv time) / task duration", computed=True),
        )


def _columns(op: Operator) -> Iterator[Reading]:
    for prefix, side in sides(op).items():
        for pipe in PIPES[prefix]:
            yield from _one(f"{prefix}_{pipe}_ratio", side.ratio(pipe) or _of_duration(op, side, pipe), "1")
            yield from _one(f"{prefix}_{pipe}_time_us", side.column(f"{pipe}_time_us"), "us")
        if op.core == "fused" and prefix == "aic":
            yield from _one("aiv_vec_ratio", side.ratio("vec"), "1")
        for pipe in WAITS[prefix]:
            yield from _one(f"{prefix}_{pipe}_wait_ratio", side.column(f"{pipe}_wait_ratio"), "1")
        yield from _one(f"{prefix}_time_us", side.column("time_us"), "us")
        yield from _one(f"{prefix}_icache_miss_rate", side.column("icache_miss_rate"), "1")
        if prefix == "aiv":
            yield from _vector_details(side)


def _of_duration(op: Operator, side: Side, pipe: str) -> Measure | None:
    """A pipe's time against the task duration, where nobody gave the core's time: the share is at least that."""
    spent, whole = side.column(f"{pipe}_time_us"), op.duration
    if spent is None or side.column("time_us") is not None or whole.unit != "us" or whole.computed:
        return None
    if whole.value <= 0:
        return None
    how = f"{pipe} time / task duration (the core's own time is not given, so at least this)"
    return Measure(min(1.0, spent.value / whole.value), "1", how, computed=True)


def _vector_details(side: Side) -> Iterator[Reading]:
    for kind in CONFLICTS:
        yield from _one(f"aiv_vec_{kind}_cflt_ratio", side.column(f"vec_{kind}_cflt_ratio"), "1")
    for kind in VECTOR_TYPES:
        yield from _one(f"aiv_vec_{kind}_ratio", side.column(f"vec_{kind}_ratio"), "1")


def _one(metric: str, measure: Measure | None, unit: str) -> Iterator[Reading]:
    if measure is not None:
        yield (
            metric,
            Measure(
                measure.value, unit, measure.origin, measure.low, measure.high, measure.n, measure.computed
            ),
        )


def _combined(found: dict[str, Measure]) -> Iterator[Reading]:
    shares = {
        name: measure.value
        for name, measure in found.items()
        if name.endswith("_ratio")
        and name.split("_")[1] in {*PIPES["aic"], *PIPES["aiv"]}
        and name.count("_") == 2
    }
    if shares:
        top = max(shares, key=lambda name: (shares[name], name))
        yield "max_pipe_ratio", Measure(shares[top], "1", f"largest pipe share: {top}", computed=True)
    copies = [shares[name] for name in ("aiv_mte2_ratio", "aiv_mte3_ratio") if name in shares]
    if len(copies) == 2:
        yield "copy_ratio", Measure(plain_sum(copies), "1", "aiv_mte2_ratio + aiv_mte3_ratio", computed=True)
        if "aiv_vec_ratio" in shares:
            total = plain_sum(copies) + shares["aiv_vec_ratio"]
            yield (
                "pipe_sum",
                Measure(total, "1", "aiv_vec_ratio + aiv_mte2_ratio + aiv_mte3_ratio", computed=True),
            )
