"""What moved between GM and the cores: bytes, instructions, bytes an instruction, L2 hits, nominal operations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kb.addition import plain_sum
from kb.engine.metrics.context import Context, Reading
from kb.engine.metrics.sides import sides
from kb.model import Measure, Operator
from kb.units import KIB

DEFINES: tuple[str, ...] = (
    "l2_hit_rate", "read_bytes", "write_bytes", "gm_bandwidth", "mte2_instructions", "mte3_instructions",
    "bytes_per_mte2_instruction", "bytes_per_mte3_instruction", "cube_operations", "vector_operations",
)  # fmt: skip

_IN_PATHS = {"aic": ("gm_to_l1_datas",), "aiv": ("gm_to_ub_datas",)}
_OUT_PATHS = {"aic": ("l0c_to_gm_datas",), "aiv": ("ub_to_gm_datas",)}
_HITS = (
    "write_cache_hit",
    "r0_read_cache_hit",
    "r1_read_cache_hit",
    "read_close_hit",
    "read_far_hit",
    "write_close_hit",
    "write_far_hit",
)
_MISSES = (
    "write_cache_miss_allocate", "r0_read_cache_miss_allocate", "r1_read_cache_miss_allocate",
    "read_close_miss", "read_far_miss", "write_close_miss", "write_far_miss",
    "read_close_victim", "read_far_victim", "write_close_victim", "write_far_victim",
)  # fmt: skip


def measure(op: Operator, context: Context) -> Iterator[Reading]:
    """Traffic metrics of one kernel; volumes are sums over its cores."""
    found = dict(_volumes(op))
    yield from found.items()
    yield from _l2(op)
    if "read_bytes" in found and "write_bytes" in found and op.duration.value > 0:
        total = found["read_bytes"].value + found["write_bytes"].value
        yield (
            "gm_bandwidth",
            Measure(
                total / op.duration.value / 1e3,
                "GB/s",
                "(read + written bytes) / task duration",
                computed=True,
            ),
        )
    for metric, column in (("cube_operations", "cube_fops"), ("vector_operations", "vec_fops")):
        total_ops = _sum(op, column)
        if total_ops is not None:
            yield metric, Measure(total_ops, "", f"{column}, sum over cores", computed=True)


def _volumes(op: Operator) -> Iterator[Reading]:
    """Volumes by path (the kernel's own data); the bus port's totals, which hold code and tiling too, only without."""
    for metric, pipe, paths, port in (
        ("read_bytes", "mte2", _IN_PATHS, "read_main_memory_datas"),
        ("write_bytes", "mte3", _OUT_PATHS, "write_main_memory_datas"),
    ):
        volume = _volume(op, paths, port)
        if volume is not None:
            kib, source = volume
            yield metric, Measure(kib * KIB, "B", f"{source}(KB), sum over cores", computed=True)
        count = _sum(op, f"{pipe}_instructions")
        if count is None:
            continue
        yield (
            f"{pipe}_instructions",
            Measure(count, "", f"{pipe}_instructions, sum over cores", computed=True),
        )
        if volume is not None and count > 0 and volume[0] > 0:
            how = f"{source} / {pipe}_instructions: {kib:.6g} KiB in {count:.0f}"
            yield f"bytes_per_{pipe}_instruction", Measure(kib * KIB / count, "B", how, computed=True)


def _volume(op: Operator, paths: Mapping[str, tuple[str, ...]], port: str) -> tuple[float, str] | None:
    """(KiB, columns) moved in one direction; None when no column says."""
    columns = [path for prefix in sides(op) for path in paths[prefix]]
    amounts = [amount for path in columns if (amount := _sum_plain(op, path))]
    if amounts:
        return plain_sum(amounts), " + ".join(columns)
    total = _sum_plain(op, port)
    return None if total is None else (total, port)


def _sum(op: Operator, name: str) -> float | None:
    """Sum of a prefixed column over the working cores of all sides."""
    parts = [value for side in sides(op).values() for value in side.per_core(name)]
    if parts:
        return plain_sum(parts)
    singles = [found.value for side in sides(op).values() if (found := side.column(name)) is not None]
    return plain_sum(singles) if singles else None


def _sum_plain(op: Operator, column: str) -> float | None:
    """Sum of an unprefixed column over all rows, or the launch-level value."""
    parts = [row.values[column] for row in op.cores if column in row.values]
    if parts:
        return plain_sum(parts)
    found = op.counters.get(column)
    return None if found is None else found.value


def _l2(op: Operator) -> Iterator[Reading]:
    if not op.cores and not any("_hit" in name for name in op.counters):
        return  # two dozen sums for each of a thousand kernels that no such column was collected for
    hits = plain_sum(filter(None, (_sum(op, name) for name in _HITS)))
    misses = plain_sum(filter(None, (_sum(op, name) for name in _MISSES)))
    if hits + misses > 0:
        # The tool's own rate also counts misses that allocate nothing, which no column shows, so it is the better one.
        rates = [side.column("total_hit_rate") for side in sides(op).values()]
        stated = [rate for rate in rates if rate is not None]
        if len(stated) == 1:
            rate = stated[0]
            low, high = (None if v is None else v / 100 for v in (rate.low, rate.high))
            yield "l2_hit_rate", Measure(rate.value / 100, "1", rate.origin, low, high, rate.n)
        else:
            yield (
                "l2_hit_rate",
                Measure(hits / (hits + misses), "1", "L2 hits / (hits + misses), all cores", computed=True),
            )
        return
    for column in ("aic_l2_cache_hit_rate", "aiv_total_hit_rate", "aic_total_hit_rate", "l2_hit_rate"):
        found = op.counters.get(column) or next(
            (_row(row.values[column], column) for row in op.cores if column in row.values), None
        )
        if found is not None:
            scale = 1.0 if column == "l2_hit_rate" and found.unit == "1" else 0.01
            yield "l2_hit_rate", Measure(found.value * scale, "1", found.origin)
            return


def _row(value: float, column: str) -> Measure:
    return Measure(value, "%", column)
