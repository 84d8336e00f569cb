"""From the features of a run to the rows that are kept of it, for comparing it later."""

from __future__ import annotations

from collections.abc import Iterable

from kb.engine.bottlenecks.diagnose import shapes
from kb.engine.metrics.pipes import PIPES
from kb.measured import Measured
from kb.model import Features, Operator

MOST = 5000  # groups that are kept, those with the most time first
PIPE_SHARES = tuple(f"{side}_{pipe}_ratio" for side, pipes in PIPES.items() for pipe in pipes)
PIPE_TIMES = tuple(name.replace("_ratio", "_time_us") for name in PIPE_SHARES)
FURTHER = (
    "bytes_per_mte2_instruction", "bytes_per_mte3_instruction", "read_bytes", "write_bytes", "gm_bandwidth",
    "l2_hit_rate", "core_time_imbalance", "used_core_share", "head_overhead_share", "block_dim", "host_gap_us",
)  # fmt: skip


def measured(features: Iterable[Features]) -> tuple[Measured, ...]:
    """The operators of a run that have a time, by falling time; at most `MOST`."""
    timed = [(f, f.operator) for f in features if f.operator and f.operator.duration.unit == "us"]
    timed.sort(key=lambda pair: (-pair[1].total_us, pair[1].name, shapes(pair[1])))
    return tuple(_row(f, op) for f, op in timed[:MOST])


def _row(f: Features, op: Operator) -> Measured:
    side = max(("aic_time_us", "aiv_time_us"), key=lambda name: f.get(name) or 0.0)
    core = f.values.get(side) if op.cores else None
    spread = core is not None and core.low is not None
    names = (*PIPE_SHARES, *PIPE_TIMES, *FURTHER)
    return Measured(
        name=op.name,
        type=f.labels.get("op_type"),
        core=op.core,
        count=op.count,
        mean_us=_figure(op.duration.value),
        total_us=_figure(op.total_us),
        low_us=None if op.duration.low is None else _figure(op.duration.low),
        high_us=None if op.duration.high is None else _figure(op.duration.high),
        shapes=shapes(op),
        dtypes="; ".join(tensor.dtype or "-" for tensor in op.inputs),
        formats="; ".join(tensor.format or "-" for tensor in op.inputs),
        block_dim=op.block_dim,
        clock_mhz=op.clock_mhz,
        core_us=_figure(core.value) if core and spread else None,
        core_low_us=_figure(core.low) if core and core.low is not None else None,
        core_high_us=_figure(core.high) if core and core.high is not None else None,
        cores=core.n if core and spread else None,
        timed="core" if op.duration.computed else "task",
        setup=f.labels.get("setup") == "yes",
        readings={name: _figure(f.values[name].value) for name in names if name in f.values},
    )


def _figure(value: float) -> float:
    """Seven significant digits: more than any tool measures, and the same text on every machine."""
    return float(f"{value:.7g}")
