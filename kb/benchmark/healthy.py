"""Captures of kernels with nothing to win: whatever is found in them is a false alarm.

Fifteen operators on three chips, each at `kernels.REACH` of its roofline on all cores, with counters as msopprof would
write them: even cores, large transfers, few conflicts, the clock at its rating.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kb import operators, targets
from kb.benchmark.kernels import Kernel, healthy, tensor
from kb.benchmark.models import attention
from kb.engine.metrics.work import tensor_bytes
from kb.model import Capture, Chip, CoreCounters, Finding, Measure, Operator, Profile, Tensor
from kb.targets import Target

SOCS = ("Ascend910B3", "Ascend310P3", "Ascend950PR_9599")
# They say that all is well; a finding of these is a false alarm only when it promises more than `LITTLE`.
INFORMATIONAL = frozenset({"cube-bound-healthy", "mte2-bound-vector-at-peak"})
LITTLE = (
    0.25  # of the operator: what separates `REACH` from the roofline, the head of a short kernel included
)
TRANSFER = 32 * 1024  # bytes a copy instruction
SPREAD = 0.015  # of the core times
L2_HIT = {"cube": 0.78, "mix": 0.7, "vector": 0.36}  # streaming kernels hit on writes only


def corpus() -> Iterator[Profile]:
    """One profile a kernel and chip."""
    for soc in SOCS:
        target = targets.load(soc)
        for name, kernel in kernels(target).items():
            yield capture(name, kernel, target)


def kernels(target: Target) -> Mapping[str, Kernel]:
    """The kernels by a telling name; memory-bound ones are large enough for their head not to matter."""
    rows = 8192 if (target.memory_gbps or 0) > 500 else 2048
    image, filters = tensor(16, 128, 80, 80, format="NCHW"), tensor(128, 128, 3, 3, format="NCHW")
    plane = tensor(rows, 8192)

    def one(kind: str, *inputs: Tensor, out: Tensor | None = None) -> Kernel:
        return healthy(kind, inputs, (out or inputs[0],), target)

    return {
        "product": one("MatMulV2", tensor(4096, 4096), tensor(4096, 4096), out=tensor(4096, 4096)),
        "product-few-rows": one("MatMulV2", tensor(16, 8192), tensor(8192, 16384), out=tensor(16, 16384)),
        "product-batched": one("BatchMatMulV2", tensor(64, 1024, 512), tensor(64, 512, 1024), out=tensor(64, 1024, 1024)),
        "convolution": one("Conv2D", image, filters, out=image),
        "attention": attention(target, 1, 32, 4096, 128),
        "add": one("Add", plane, plane),
        "cast": one("Cast", plane, out=tensor(rows, 8192, dtype="FLOAT")),
        "gelu": one("Gelu", plane),
        "softmax": one("SoftmaxV2", plane),
        "layer-norm": one("LayerNormV4", plane, tensor(8192), tensor(8192)),
        "rms-norm": one("RmsNorm", plane, tensor(8192)),
        "reduce": one("ReduceSum", plane, out=tensor(rows)),
        "transpose": one("Transpose", plane, out=tensor(8192, rows)),
        "gather": one("GatherV2", tensor(4 * rows, 8192), tensor(rows, dtype="INT64"), out=plane),
        "concat": one("ConcatD", plane, plane, out=tensor(rows, 16384)),
    }  # fmt: skip


def capture(name: str, kernel: Kernel, target: Target) -> Profile:
    """The kernel as a capture of msopprof with the metric groups of its default."""
    unit = Measure(kernel.duration, "us", "synthetic: Task Duration(us)")
    operator = Operator(
        kernel.type, kernel.type, kernel.core, 1, unit, kernel.duration, kernel.blocks,
        kernel.blocks * 2 if kernel.core == "mix" else None, kernel.inputs, kernel.outputs,
        cores=tuple(_rows(kernel)), clock_mhz=target.clock_mhz, rated_clock_mhz=target.clock_mhz,
    )  # fmt: skip
    tool = Capture(
        "msopprof", warm_up=5, metric_groups=("PipeUtilization", "Memory", "L2Cache", "ResourceConflictRatio")
    )
    return Profile(
        f"{name} on {target.id}", "synthetic", "operator", tool, Chip(target.id, basis="stated"), (operator,)
    )


def _rows(kernel: Kernel) -> Iterator[CoreCounters]:
    if kernel.core == "fused":  # this chip's tool aggregates over the cores
        side = "aic"
        yield CoreCounters(0, "core", _counters(kernel, side, kernel.core_time))
        return
    sides = {"cube": ("cube0",), "vector": ("vector0",), "mix": ("cube0", "vector0", "vector1")}[kernel.core]
    for block in range(kernel.blocks):
        time = kernel.core_time * (1 - SPREAD * ((block * 7) % kernel.blocks) / kernel.blocks)
        for sub in sides:
            prefix = "aic" if sub == "cube0" else "aiv"
            values = {**_counters(kernel, prefix, time), **_traffic(kernel, prefix, sides)}
            yield CoreCounters(block, sub, values)


def _counters(kernel: Kernel, prefix: str, time: float) -> dict[str, float]:
    own = {pipe: share for pipe, share in kernel.shares.items() if pipe.startswith(prefix)}
    values = {f"{prefix}_time_us": time, f"{prefix}_icache_miss_rate": 0.008}
    for pipe, share in own.items():
        values |= {f"{pipe}_time_us": share * time, f"{pipe}_ratio": share}
    for pipe in ("mte2", "mte3", "cube" if prefix == "aic" else "vec"):
        values[f"{prefix}_{pipe}_wait_ratio"] = 0.04
    if prefix == "aiv":
        values |= {
            "aiv_vec_total_cflt_ratio": 0.012,
            "aiv_vec_bank_cflt_ratio": 0.008,
            "aiv_vec_bankgroup_cflt_ratio": 0.004,
        }
    return values


def _traffic(kernel: Kernel, prefix: str, sides: tuple[str, ...]) -> dict[str, float]:
    """Bytes and copies of one core; a mix kernel reads on the cube side and writes on the vector side."""
    cores = kernel.blocks * sum(sub.startswith("cube" if prefix == "aic" else "vector") for sub in sides)
    read, write = (
        sum(filter(None, map(tensor_bytes, side))) / cores for side in (kernel.inputs, kernel.outputs)
    )
    if operators.pattern(kernel.type) == "gather":
        read = write  # the rows asked for, not the whole table
    if kernel.core == "mix":
        read, write = (read, 0.0) if prefix == "aic" else (0.0, write)
    hit = L2_HIT[kernel.core]
    requests = max(1.0, (read + write) / 512)
    path_in, path_out = (
        ("gm_to_l1_datas", "l0c_to_gm_datas") if prefix == "aic" else ("gm_to_ub_datas", "ub_to_gm_datas")
    )
    out = {
        f"{prefix}_r0_read_cache_hit": requests * hit,
        f"{prefix}_r0_read_cache_miss_allocate": requests * (1 - hit),
        f"{prefix}_total_hit_rate": 100 * hit,
    }
    if read:
        out |= {path_in: read / 1024, f"{prefix}_mte2_instructions": max(1.0, read / TRANSFER)}
    if write:
        out |= {path_out: write / 1024, f"{prefix}_mte3_instructions": max(1.0, write / TRANSFER)}
    return out


def is_false_alarm(finding: Finding) -> bool:
    """Whether a finding on a healthy input claims more than that all is well."""
    if finding.pattern in INFORMATIONAL:
        return (finding.headroom or 0.0) > LITTLE
    return True
