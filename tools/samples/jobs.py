"""Job exports: a small detector with its post-processing on AI CPU, and variants of the tables around it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tools.samples import headers

CLOCK = 1800
START = 1767322800123456_789  # nanoseconds: more digits than a float holds


@dataclass(frozen=True)
class Op:
    """One operator of a step: where it runs, how long, which share of that each pipe was busy."""

    name: str
    type: str
    core: str
    duration: float
    blocks: int = 0
    shapes: tuple[str, str] = ("N/A", "N/A")
    dtype: str = "FLOAT16"
    format: str = "NC1HWC0"
    shares: dict[str, float] = field(default_factory=dict)
    gap: float = 0.4  # idle time before it
    stream: str = "2"


_CUBE = {"mac": 0.52, "scalar": 0.21, "mte1": 0.47, "mte2": 0.83, "fixpipe": 0.19}
_VECTOR = {"vec": 0.34, "scalar": 0.1, "mte2": 0.71, "mte3": 0.52}
_CONVERT = {"vec": 0.12, "scalar": 0.14, "mte2": 0.58, "mte3": 0.63}


def _vector(name: str, kind: str, duration: float, shapes: tuple[str, str]) -> Op:
    shares = _CONVERT if kind == "TransData" else _VECTOR
    return Op(name, kind, "AI_VECTOR_CORE", duration, 40, shapes, shares=shares)


def detector() -> list[Op]:
    """One step of a detector: convolutions between format conversions, then boxes filtered on AI CPU."""
    first = _vector("trans_TransData_0", "TransData", 62.4, ("1,3,640,640", "1,1,640,640,16"))
    ops = [replace(first, gap=35.0)]
    size, channels = 320, 2
    for layer in range(6):
        out = f"1,{channels},{size},{size},16"
        into = f"1,{max(channels // 2, 1)},{size * 2},{size * 2},16;9,{channels},16,16;{channels * 16}"
        ops.append(Op(f"Conv2D{layer}", "Conv2D", "AI_CORE", 88.0 - 9 * layer, 20, (into, out), shares=_CUBE))
        ops.append(_vector(f"Sigmoid{layer}", "Sigmoid", 31.0 - 4 * layer, (out, out)))
        ops.append(_vector(f"Mul{layer}", "Mul", 26.0 - 3 * layer, (f"{out};{out}", out)))
        size, channels = max(size // 2, 20), min(channels * 2, 32)
    for head in range(3):
        side = 80 >> head
        shapes = (f"1,16,{side},{side},16", f"1,255,{side},{side}")
        ops.append(_vector(f"trans_TransData_{head + 1}", "TransData", 41.5 - 6 * head, shapes))
    boxes, kinds = ("1,8400,4;1,80,8400;1;1;1", "300,3"), "FLOAT;FLOAT;INT64;FLOAT;FLOAT"
    nms = Op("non_max_suppression", "NonMaxSuppression", "AI_CPU", 1843.7, 1, boxes, kinds, "ND")
    gather = _vector("gather_boxes", "GatherV2", 12.1, ("1,8400,4;300;1", "300,4"))
    return [
        *ops,
        replace(nms, gap=58.0, stream="3"),
        replace(gather, blocks=8, dtype="FLOAT;INT64;INT64", format="ND", gap=44.0),
    ]


def pmu_cells(op: Op, load: float = 1.0) -> list[str]:
    """The 25 columns of the PipeUtilization group; zeros for the core that had no part, N/A off the AI cores.

    `load` scales how busy the pipes were.
    """
    if not op.shares:
        return ["N/A"] * 25
    time = max(op.duration - 2.6, 0.5)
    cycles = round(time * CLOCK) * op.blocks
    busy = {pipe: (f"{time * share * load:.3f}", f"{share * load:.3f}") for pipe, share in op.shares.items()}
    none = ("0.0", "0.0")
    cube, vector = ("mac", "scalar", "mte1", "mte2", "fixpipe"), ("vec", "scalar", "mte2", "mte3")
    on_cube = op.core in ("AI_CORE", "MIX_AIC")
    on_vector = op.core in ("AI_VECTOR_CORE", "MIX_AIC")
    out = [f"{time:.3f}" if on_cube else "0.0", str(cycles if on_cube else 0)]
    for pipe in cube:
        out.extend(busy.get(pipe, none) if on_cube else none)
    out.append("0.012" if on_cube else "0.0")
    out += [f"{time:.3f}" if on_vector else "0.0", str(cycles if on_vector else 0)]
    for pipe in vector:
        out.extend(busy.get(pipe, none) if on_vector else none)
    out.append("0.021" if on_vector else "0.0")
    share = 100 * time / op.duration * op.blocks / 20 if on_cube else 0.0
    return [*out, f"{share:.3f}"]


def tensor_cells(op: Op) -> list[str]:
    out = []
    for shape in op.shapes:
        count = shape.count(";") + 1
        dtype = op.dtype if ";" in op.dtype and count > 1 else ";".join([op.dtype.split(";")[0]] * count)
        layout = ";".join([op.format] * count)
        out += ["N/A"] * 3 if shape == "N/A" else [f'"""{shape}"""', dtype, layout]
    return out


def clock(ops: Sequence[Op], steps: int) -> Iterator[tuple[int, int, Op, str, float]]:
    """Step, task id, operator, start time as text with its tab, idle time before it."""
    now, task = START, 100
    for step in range(steps):
        for op in ops:
            now += round(op.gap * 1000)
            task += 1
            yield step, task, op, f"{now // 1000}.{now % 1000:03d}\t", op.gap
            now += round(op.duration * 1000)


def kernel_details(
    ops: Sequence[Op], steps: int = 2, header: str = headers.KERNEL_DETAILS, end: str = "\n"
) -> str:
    """kernel_details.csv of level 1 in the columns of `header`."""
    lines = [header]
    for step, task, op, start, gap in clock(ops, steps):
        kind = "NO" if op.shares else "N/A"
        mix = str(2 * op.blocks) if op.core == "MIX_AIC" else "0"
        device = ["0"] if "Device_id" in header else []
        cells = [
            str(step + 7),
            *device,
            "4294967295",
            str(task),
            op.stream,
            op.name,
            op.type,
            "dynamic",
            op.core,
        ]
        cells += [
            start,
            f"{op.duration:.3f}",
            f"{gap:.3f}",
            str(op.blocks),
            mix,
            kind,
            *tensor_cells(op),
            "N/A",
            *pmu_cells(op),
        ]
        lines.append(",".join(cells))
    return end.join(lines) + end


def kernel_details_level0(ops: Sequence[Op]) -> str:
    """Level 0: eight columns, no types and cores, CRLF."""
    lines = [headers.KERNEL_DETAILS_LEVEL0]
    for step, _, op, start, gap in clock(ops, 1):
        core = op.core if op.core == "HCCL" else "N/A"
        lines.append(
            ",".join([str(step), op.name, "N/A", core, start, f"{op.duration:.3f}", f"{gap:.3f}", "0"])
        )
    return "\r\n".join(lines) + "\r\n"


def op_summary(ops: Sequence[Op], level0: bool = False) -> str:
    """op_summary.csv; at task-time level 0 words are N/A and all times of pipes 0.0."""
    lines = [headers.OP_SUMMARY]
    for _, task, op, start, gap in clock(ops, 1):
        pmu = pmu_cells(op)
        times = {i for i, name in enumerate(headers.OP_SUMMARY.split(",")[21:]) if name.endswith("time(us)")}
        if level0:
            pmu = ["0.0" if i in times else cell for i, cell in enumerate(pmu)]
        kind = ["N/A", "N/A", "N/A"] if level0 else [op.type, "static", op.core]
        blocks = ["0", "0", "N/A"] if level0 else [str(op.blocks), "0", "NO"]
        tensors = ["N/A"] * 6 if level0 else tensor_cells(op)
        cells = [
            "0",
            "4294967295",
            str(task),
            op.stream,
            op.name,
            *kind,
            start,
            f"{op.duration:.3f}",
            f"{gap:.6f}",
        ]
        lines.append(",".join([*cells, *blocks, *tensors, "N/A", *pmu]))
    return "\n".join(lines) + "\n"


def op_summary_310p() -> str:
    """An old export of a fused chip: no prefixes, integer time stamps."""
    lines = [headers.OP_SUMMARY_310P]
    now = START // 1000
    for n, (name, kind, time) in enumerate(
        (("conv1", "Conv2D", 240.5), ("relu1", "Relu", 33.2), ("conv1", "Conv2D", 241.1))
    ):
        cube = kind == "Conv2D"
        core = time - 3.0
        shares = (0.11, 0.47, 0.05, 0.31, 0.66, 0.12) if cube else (0.55, 0.0, 0.06, 0.0, 0.7, 0.48)
        pmu = [f"{core:.3f}", str(round(core * 1060) * 8)]
        for share in shares:
            pmu += [f"{core * share:.3f}", f"{share:.3f}"]
        pmu += ["0.003", f"{shares[4] / max(shares[0], shares[1]):.3f}", "61.2" if cube else "0"]
        shape = ['"""1,64,56,56"""', "FLOAT16", "NC1HWC0"]
        cells = [
            "detector",
            "1",
            str(n),
            "5",
            "0",
            name,
            kind,
            "AI_CORE",
            str(now),
            f"{time:.3f}",
            "0.5",
            "8",
            *shape,
            *shape,
            *pmu,
        ]
        lines.append(",".join(cells))
        now += 300
    return "\n".join(lines) + "\n"


def twins() -> list[Op]:
    """Collectives that run beside a helper kernel on AI CPU and another on vector cores."""
    ops = [
        Op(
            "MatMul_1",
            "MatMulV2",
            "AI_CORE",
            120.0,
            20,
            ("512,4096;4096,4096", "512,4096"),
            "DT_BF16",
            "ND",
            _CUBE,
        )
    ]
    ops += [Op("hcom_allReduce__868_0_1", "hcom_allReduce_", "COMMUNICATION", 300.0, stream="N/A")]
    ops += [
        Op("allreduceAicpuKernel", "allreduceAicpuKernel", "AI_CPU", 900.0, 35738, gap=-295.0, stream="41")
    ]
    ops += [Op("hcom_allGather__868_1_1", "hcom_allGather_", "COMMUNICATION", 80.0, gap=-600.0, stream="N/A")]
    ops += [Op("AivKernel", "hcom_allGather_", "COMMUNICATION", 78.0, 16, gap=-79.0, stream="49")]
    return ops


STEP_TRACE = (
    "Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble,"
    "Communication(Not Overlapped and Exclude Receive),Preparing\n"
)
CLUSTER = (
    "Step,Type,Index,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble,"
    "Communication(Not Overlapped and Exclude Receive)\n"
)
OP_STATISTIC = (
    "Device_id,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),Ratio(%)\n"
)
MARK = "SYNTHETIC: written by tools/make_samples.py, not measured on any device.\n"


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


def tests(folder: Path) -> None:
    """tests/samples/<reader> of the job readers."""
    ops = detector()
    whole = kernel_details(ops)
    details = folder / "kernel_details"
    put(details / "whole-detector" / "kernel_details.csv", whole)
    put(details / "odd-old-header.csv", kernel_details(ops, 1, headers.KERNEL_DETAILS_OLD, "\r\n"))
    named = [Op("hcom_allReduce__868_0_1", "", "HCCL", 400.0), *ops]
    put(details / "odd-level0.csv", kernel_details_level0(named))
    put(details / "odd-twins.csv", kernel_details(twins(), 1))
    lines = whole.split("\n")
    short, long = lines[3].rsplit(",", 2)[0], lines[4] + ",0.0"
    put(details / "odd-ragged.csv", "\n".join([*lines[:3], short, long, *lines[5:]]))
    put(details / "broken-cut.csv", whole[: len(whole) - 100])
    put(details / "broken-no-times.csv", "\n".join([lines[0], lines[1].replace("62.400", "soon"), ""]))

    summary = folder / "op_summary"
    put(summary / "whole-detector" / "op_summary_20260102030405.csv", op_summary(ops))
    put(summary / "odd-level0.csv", op_summary(ops, level0=True))
    put(summary / "odd-fused-chip.csv", op_summary_310p())
    mangled = op_summary(ops).replace(f"{START // 1_000_000_000}", "1.76732E+15@")
    put(summary / "odd-spreadsheet.csv", "\n".join(_mangle(line) for line in mangled.split("\n")))
    put(summary / "broken-cut.csv", op_summary(ops)[:-220])
    put(summary / "broken-no-rows.csv", headers.OP_SUMMARY + "\n")

    trace = folder / "step_trace"
    for rank, exposed in ((0, 120.5), (1, 480.25)):
        text = (
            STEP_TRACE
            + f"{rank},7,2000.5,{exposed},30.0,{exposed + 30.0},90.125,{2090.625 + exposed},0,{exposed},12.5\n"
        )
        put(trace / "whole-ranks" / f"rank_{rank}" / "step_trace_time.csv", text)
    rows = "".join(
        f",rank,{r},{900.5 + r},{100.0 * r},0.0,{100.0 * r},50.0,{950.5 + r + 100.0 * r},0.0,0\n"
        for r in range(3)
    )
    put(
        trace / "odd-cluster.csv",
        CLUSTER + rows + ',stage,"(0, 1, 2)",901.5,100.0,0.0,100.0,50.0,1051.5,0.0,0\n',
    )
    put(trace / "broken-words.csv", STEP_TRACE + "0,7,much,some,0,0,N/A,0,0,0,0\n")

    statistic = folder / "op_statistic"
    put(
        statistic / "whole.csv",
        OP_STATISTIC
        + "0,Conv2D,AI_CORE,12,780.0,43.0,65.0,88.0,61.3\n0,NonMaxSuppression,AI_CPU,2,492.5,240.1,246.25,252.4,38.7\n",
    )
    put(
        statistic / "odd-no-device.csv",
        OP_STATISTIC.removeprefix("Device_id,") + "Add,AI_VECTOR_CORE,4,20.0,4.5,5.0,5.5,100\n",
    )
    put(statistic / "broken-words.csv", OP_STATISTIC + "0,Conv2D,AI_CORE,many,long,43.0,65.0,88.0,61.3\n")


def _mangle(line: str) -> str:
    """What a spreadsheet makes of a 16-digit time: scientific notation, no tab."""
    before, mark, after = line.partition("@")
    return before + after.partition("\t")[2] if mark else line
