"""Synthetic steps as the PyTorch profiler would export them: kernel_details.csv and step_trace_time.csv.

Columns are those of profiler level 1 with pipe utilisation; every folder says in a README that nothing was measured.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from kb.benchmark.kernels import Kernel
from kb.model import Tensor
from kb.targets import Target

NOTE = "SYNTHETIC: written by kb eval advice, not measured on any device.\n"
START_NS = 1_767_322_800_123_456_789  # 19 digits, as the profiler's: more than a float holds
STEPS = 2
HEADER = (
    "Step Id,Device_id,Model ID,Task ID,Stream ID,Name,Type,OP State,Accelerator Core,Start Time(us),Duration(us),"
    "Wait Time(us),Block Dim,Mix Block Dim,HF32 Eligible,Input Shapes,Input Data Types,Input Formats,Output Shapes,"
    "Output Data Types,Output Formats,Context ID,aicore_time(us),aic_total_cycles,aic_mac_time(us),aic_mac_ratio,"
    "aic_scalar_time(us),aic_scalar_ratio,aic_mte1_time(us),aic_mte1_ratio,aic_mte2_time(us),aic_mte2_ratio,"
    "aic_fixpipe_time(us),aic_fixpipe_ratio,aic_icache_miss_rate,aiv_time(us),aiv_total_cycles,aiv_vec_time(us),"
    "aiv_vec_ratio,aiv_scalar_time(us),aiv_scalar_ratio,aiv_mte2_time(us),aiv_mte2_ratio,aiv_mte3_time(us),"
    "aiv_mte3_ratio,aiv_icache_miss_rate,cube_utilization(%)"
)
STEP_HEADER = (
    "Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble,"
    "Communication(Not Overlapped and Exclude Receive),Preparing"
)
_WORDS = {
    "cube": "AI_CORE",
    "fused": "AI_CORE",
    "vector": "AI_VECTOR_CORE",
    "mix": "MIX_AIC",
    "ai_cpu": "AI_CPU",
    "communication": "COMMUNICATION",
}
_PIPES = {"aic": ("mac", "scalar", "mte1", "mte2", "fixpipe"), "aiv": ("vec", "scalar", "mte2", "mte3")}


def write_rank(folder: Path, rank: int, kernels: Sequence[Kernel], target: Target) -> None:
    """`<folder>/rank_<n>_ascend_pt/ASCEND_PROFILER_OUTPUT/` with both tables."""
    place = folder / f"rank_{rank}_ascend_pt" / "ASCEND_PROFILER_OUTPUT"
    place.mkdir(parents=True, exist_ok=True)
    launches = list(timeline(kernels))
    text = "\n".join([HEADER, *(_row(item, rank, target) for item in launches), ""])
    (place / "kernel_details.csv").write_text(text, encoding="utf-8", newline="\n")
    trace = "\n".join([STEP_HEADER, *_steps(launches, rank), ""])
    (place / "step_trace_time.csv").write_text(trace, encoding="utf-8", newline="\n")
    (folder / "README.txt").write_text(NOTE, encoding="utf-8")


Launch = tuple[int, int, Kernel, int]  # step, task, kernel, start in nanoseconds


def timeline(kernels: Sequence[Kernel], steps: int = STEPS) -> Iterator[Launch]:
    """Launches with their start: one after another, a hidden collective beside the kernel that follows it."""
    now, task, beside = START_NS, 0, START_NS
    for step in range(steps):
        for kernel in kernels:
            task += 1
            length = round(kernel.duration * 1000)
            if kernel.core == "communication" and kernel.stream == "61":
                start = max(beside, now)
                beside = start + length
            else:
                start = now + round(kernel.gap * 1000)
                now = start + length
            yield step, task, kernel, start
        now = max(now, beside)


def span_us(kernels: Sequence[Kernel]) -> float:
    """Time of one step, first start to last end, microseconds."""
    launches = list(timeline(kernels, steps=1))
    ends = [start + round(kernel.duration * 1000) for _, _, kernel, start in launches]
    return (max(ends) - START_NS) / 1000


def _row(launch: Launch, rank: int, target: Target) -> str:
    step, task, kernel, start = launch
    vector_blocks = kernel.blocks * 2 if kernel.core == "mix" else 0
    on_core = kernel.core not in ("ai_cpu", "communication")
    name = (
        f"{kernel.type}_{task}"
        if kernel.core != "communication"
        else f"{kernel.type}_{kernel.stream}_{task}_1"
    )
    cells = [
        str(step), str(rank), "4294967295", str(task), kernel.stream, name, kernel.type, "dynamic",
        _WORDS[kernel.core], f"{start // 1000}.{start % 1000:03d}\t", f"{kernel.duration:.3f}", f"{kernel.gap:.3f}",
        str(kernel.blocks), str(vector_blocks), "NO" if on_core else "N/A",
        *_tensors(kernel.inputs), *_tensors(kernel.outputs), "N/A",
    ]  # fmt: skip
    return ",".join([*cells, *(_counters(kernel, target) if on_core else ["N/A"] * 25)])


def _tensors(items: Sequence[Tensor]) -> list[str]:
    shapes = ";".join(",".join(map(str, item.shape or ())) for item in items)
    return [
        f'"""{shapes}"""',
        ";".join(item.dtype for item in items),
        ";".join(item.format for item in items),
    ]


def _counters(kernel: Kernel, target: Target) -> list[str]:
    out: list[str] = []
    clock = target.clock_mhz or 1000.0
    for side, pipes in _PIPES.items():
        shares = [kernel.shares.get(f"{side}_{pipe}") for pipe in pipes]
        if not any(shares):
            out += ["0.0", "0", *["0.0"] * (2 * len(pipes)), "0.0"]
            continue
        blocks = kernel.blocks * (2 if side == "aiv" and kernel.core == "mix" else 1)
        out += [f"{kernel.core_time:.3f}", str(round(kernel.core_time * clock) * blocks)]
        for share in shares:
            out += [f"{kernel.core_time * (share or 0.0):.3f}", f"{share or 0.0:.3f}"]
        out.append("0.012")
    used = kernel.core_time / kernel.duration * min(1.0, kernel.blocks / target.cube_cores)
    return [*out, f"{100 * used:.3f}" if kernel.core in ("cube", "mix", "fused") else "0.0"]


def _steps(launches: Sequence[Launch], rank: int) -> Iterator[str]:
    """One row a step, from the intervals of that step's launches."""
    for step in sorted({item[0] for item in launches}):
        own = [
            (start, start + round(k.duration * 1000), k.core) for at, _, k, start in launches if at == step
        ]
        first, last = min(item[0] for item in own), max(item[1] for item in own)
        compute = _union([(a, b) for a, b, core in own if core != "communication"])
        talk = _union([(a, b) for a, b, core in own if core == "communication"])
        busy = _length(_union(compute + talk))
        exposed = busy - _length(compute)
        figures = (
            _length(compute),
            exposed,
            _length(talk) - exposed,
            _length(talk),
            last - first - busy,
            last - first,
        )
        cells = [f"{ns / 1000:.3f}" for ns in figures]
        yield ",".join([str(rank), str(step), *cells, "0", cells[1], "0"])


def _union(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((start, end))
    return out


def _length(spans: Sequence[tuple[int, int]]) -> int:
    return sum(end - start for start, end in spans)
