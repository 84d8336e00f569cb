"""Samples of the smaller tables: host APIs, framework operators, tasks, collectives, MindSpore, averages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tools.samples.jobs import clock, detector, put, tensor_cells

API = "Device_id,Level,API Name,Time(us),Count,Avg(us),Min(us),Max(us),Variance\n"
TASK_TIME = "Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us),task_stop(us)\n"
OPERATORS = (
    "Name,Input Shapes,Call Stack,Host Self Duration(us),Host Total Duration(us),Device Self Duration(us),"
    "Device Total Duration(us),Device Self Duration With AICore(us),Device Total Duration With AICore(us)\n"
)
SHAPES = (
    "OP State,Accelerator Core,Input Shapes,Input Data Types,Input Formats,Output Shapes,Output Data Types,"
    "Output Formats,Average Duration(us),Median Duration(us),Std Duration(us),Average aicore_time(us),"
    "Average aic_mac_ratio,Average aiv_time(us),Average aiv_vec_ratio,Average aiv_mte2_ratio,avg_seq_len\n"
)


def task_time(end: str = "\n") -> str:
    """Every task of a step, kernels and others."""
    kinds = {"AI_CORE": "KERNEL_AICORE", "AI_VECTOR_CORE": "KERNEL_AIVEC", "AI_CPU": "KERNEL_AICPU"}
    lines = [
        TASK_TIME.strip(),
        "0,N/A,PROFILING_ENABLE,49,3,0.020,1767322800123400.000\t,1767322800123400.020\t",
    ]
    for _, task, op, start, _ in clock(detector(), 1):
        whole, _, part = start.strip().partition(".")
        stop = int(whole) * 1000 + int(part) + round(op.duration * 1000)
        lines.append(
            f"0,{op.name},{kinds[op.core]},{op.stream},{task},{op.duration:.3f},{start},"
            f"{stop // 1000}.{stop % 1000:03d}\t"
        )
    return end.join(lines) + end


def _host(folder: Path) -> None:
    rows = (
        "host,acl,aclrtSynchronizeStream,2614.01,6,435.668,386.89,659.56,10030.568\n"
        "host,acl,aclrtLaunchKernel,1876.98,700,2.681,1.9,314.89,139.885\n"
        "host,acl,aclrtResetDevice,467557.3,1,467557.3,467557.3,467557.3,0\n"
        "host,runtime,StreamSynchronize,2514.01,6,419.0,386.89,659.56,10030.568\n"
    )
    put(folder / "whole.csv", API + rows)
    bare = API.removeprefix("Device_id,") + "node,launch,4014.44,191,21.018,2.83,840.78,9619.149\n"
    put(folder / "odd-no-device.csv", bare.replace("\n", "\r\n"))
    put(folder / "broken-words.csv", API + rows + "host,acl,aclnnAdd,some,many,1,1,1,0\n")


def _operators(folder: Path) -> None:
    def row(name: str, host: float, device: float) -> str:
        stack = "/opt/net/train.py(345): step;\n/opt/net/train.py(282): main;\n<string>(1): <module>"
        times = ",".join(map(str, (host, host + 5, device, device, device, device)))
        return f'{name},"1,3,640,640;\n64","{stack}",{times}\n'

    rows = (
        row("aten::item", 713.5, 0)
        + row("Conv2D", 12.5, 220.5)
        + row("Conv2D", 11.5, 200.5)
        + row("HcclAllreduce", 9.5, 855.25)
    )
    put(folder / "whole.csv", OPERATORS + rows)
    put(folder / "odd-crlf.csv", (OPERATORS + row("aclnnMm", 3.5, 40.25)).replace("\n", "\r\n"))
    put(folder / "broken-cut.csv", (OPERATORS + rows)[:-70])
    put(folder / "broken-open-quote.csv", OPERATORS + rows.replace('<module>"', "<module>", 1))


def _collective(elapse: float, transit: float, wait: float, packets: dict[str, Any]) -> dict[str, Any]:
    size = sum(float(mb) * count for mb, (count, _) in packets.items())
    spent = sum(ms for _, ms in packets.values())
    moved = {
        "Transit Size(MB)": size, "Transit Time(ms)": spent, "Bandwidth(GB/s)": round(size / spent, 4) if spent else 0,
        "Large Packet Ratio": 0, "Size Distribution": packets,
    }  # fmt: skip
    nothing = {
        **moved,
        "Transit Size(MB)": 0,
        "Transit Time(ms)": 0,
        "Bandwidth(GB/s)": 0,
        "Size Distribution": {},
    }
    return {
        "Communication Time Info": {
            "Start Timestamp(us)": 1767322800123456.8, "Elapse Time(ms)": elapse, "Transit Time(ms)": transit,
            "Wait Time(ms)": wait, "Synchronization Time(ms)": wait, "Idle Time(ms)": round(elapse - transit - wait, 6),
        },
        "Communication Bandwidth Info": {"RDMA": nothing, "HCCS": moved, "SDMA": {**moved, "Size Distribution": {}}},
    }  # fmt: skip


def _collectives(folder: Path) -> None:
    steps = {
        f"step{n}": {
            "p2p": {"hcom_send__868_9_1@77": _collective(0.4, 0.1, 0.3, {"0.5": [2, 0.1]})},
            "collective": {
                "hcom_allReduce__868_0_1@77": _collective(
                    2.5, 1.0, 1.25, {"2.0": [4, 0.5], "24.0": [1, 1.5]}
                ),
                "Total Op Info": _collective(2.9, 1.1, 1.55, {}),
            },
        }
        for n in (7, 8)
    }
    put(folder / "whole-rank" / "communication.json", json.dumps(steps))
    links = {
        f"0-{n}": {
            "Transport Type": "HCCS",
            "Transit Size(MB)": 37.5,
            "Transit Time(ms)": ms,
            "Bandwidth(GB/s)": 37.5 / ms,
            "Op Name": "hcom_allReduce__868_0_1",
        }
        for n, ms in ((1, 2.1), (2, 2.2), (3, 2.1), (4, 7.5))
    }
    links["0-0"] = {**links["0-1"], "Transport Type": "LOCAL"}
    matrix = {"step7": {"p2p": {}, "collective": {"allreduce-top1@77": links}}}
    put(folder / "whole-rank" / "communication_matrix.json", json.dumps(matrix))
    ranks = {str(n): _collective(20.0 + n, 0.5, 10.0 * (1 - n), {"0.003": [18, 0.02]}) for n in range(2)}
    cluster = {"(0, 1)": {"step": {"hcom_broadcast__501_0@77": ranks}}}
    put(folder / "odd-cluster.json", json.dumps(cluster, indent=1))
    put(folder / "broken-cut.json", json.dumps(steps)[:-900])


def _info(inputs: list[Any], outputs: list[Any], dtype: str) -> str:
    named = [
        (f"{side}_{n}", shape)
        for side, shapes in (("input", inputs), ("output", outputs))
        for n, shape in enumerate(shapes)
    ]
    text = json.dumps(
        {name: {"format": "DefaultFormat", "data_type": dtype, "shape": shape} for name, shape in named}
    )
    return '"' + text.replace('"', '""') + '"'


GRAPH: tuple[tuple[str, str, int, float, int, tuple[list[list[int]], list[list[int]]]], ...] = (
    (
        "Default/network/conv1-Conv2d/Conv2D-op90", "Conv2D", 32, 0.04375, 3,
        ([[32, 1, 32, 32], [6, 1, 5, 5]], [[32, 6, 28, 28]]),
    ),
    (
        "Default/network/conv2-Conv2d/Conv2D-op93", "Conv2D", 32, 0.05125, 3,
        ([[32, 6, 14, 14], [16, 6, 5, 5]], [[32, 16, 10, 10]]),
    ),
    ("Default/network/fc1-Dense/MatMul-op95", "MatMul", 16, 0.0325, 3, ([[32, 400], [120, 400]], [[32, 120]])),
    ("Default/AllReduce-op534", "AllReduce", 1, 0.5, 3, ([[48120]], [[48120]])),
    ("Default/StreamSend-op199", "StreamSend", 1, 0.00001, 3, ([], [])),
)  # fmt: skip
FRAMEWORK = (
    "task_id,stream_id,block_dim,full_kernel_name,op_name,kernel_name,kernel_type,subgraph,op_info,graph_id\n"
)
TASKS = "task_id,stream_id,block_dim,full_op_name,op_name,op_type,subgraph,op_info\n"
DETAIL = "full_kernel_name,execution_time,execution_frequency\n"
STEPS = (
    "step_num,start_point,end_point,total,fp_point,bp_point,iteration_interval,fp_and_bp,tail,"
    "stream_520_parallel_0_start_point,stream_520_parallel_0_end_point,stream_520_parallel_0,"
    "stream_522_parallel_0_start_point,stream_522_parallel_0_end_point,stream_522_parallel_0\n"
)


def _mindspore(folder: Path) -> None:
    _mindspore_whole(folder / "whole-lenet" / "profiler")
    types = "op_type,execution_time,execution_frequency,percent\nConv2D,0.285,6,74.5\nMatMul,0.0975,3,25.5\n"
    put(folder / "odd-type.csv", types)
    task = folder / "odd-task-table"
    table = TASKS
    for n, (name, kind, _, _, _, shapes) in enumerate(GRAPH[:3]):
        info = _info([",".join(map(str, shape)) for shape in shapes[0]], ["1"], "NUMBER_TYPE_FLOAT16")
        table += f"{n},8,30,{name},{kind},{kind},Default,{info}\n"
    put(task / "tasks.csv", table)
    times = "".join(f"{name},{ms}\n" for name, _, _, ms, _, _ in GRAPH[:3])
    put(task / "aicore_intermediate_0_detail.csv", "full_op_name,execution_time\n" + times)
    put(folder / "broken-words.csv", DETAIL + "Default/Add-op1,soon,3\nDefault/Add-op2,0.5,3\n")
    put(folder / "broken-no-times.csv", table)


def _mindspore_whole(folder: Path) -> None:
    detail = DETAIL + "".join(f"{name},{ms},{count}\n" for name, _, _, ms, count, _ in GRAPH)
    put(folder / "aicore_intermediate_1_detail.csv", detail.replace("\n", "\r\n"))
    types = "kernel_type,total_time,execution_frequency,percent\nConv2D,0.285,6,14.0\nMatMul,0.0975,3,5.0\n"
    put(folder / "aicore_intermediate_1_type.csv", types)
    rows = "".join(
        f"{n},8,{blocks},{name},{name},{kind}-op,{kind},Default,{_info(shapes[0], shapes[1], 'FLOAT32')},11\n"
        for n, (name, kind, blocks, _, _, shapes) in enumerate(GRAPH)
    )
    put(folder / "framework_raw_1.csv", FRAMEWORK + rows)
    lines = []
    for n, start in ((1, 1000000), (2, 1300000)):
        ends = (start, start + 300000, 300000, start + 20000, start + 220000, 20000, 200000, 80000)
        first, second = (start + 190000, start + 250000, 60000), (start + 240000, start + 270000, 30000)
        lines.append(",".join(map(str, (n, *ends, *first, *second))))
    mean = lines[-1].replace("2,", "-,", 1)
    put(folder / "step_trace_raw_1_detail_time.csv", STEPS + "\n".join([*lines, mean]) + "\n")


def _averages(folder: Path) -> None:
    def row(op: Any) -> str:
        numbers = ["11.25", "11.0", "0.5", "0.0", "0.0", "9.5", "0.35", "0.62", "4096"]
        return ",".join(["dynamic", op.core, *tensor_cells(op), *numbers]) + "\n"

    ops = [op for op in detector() if op.type == "Sigmoid"]
    put(folder / "whole" / "Sigmoid.csv", SHAPES + "".join(map(row, ops)))
    short = SHAPES.partition("Accelerator Core,")[2].partition(",Median")[0] + "\n"
    put(
        folder / "odd-short.csv",
        short
        + '"""128,4,128;;2048"""'
        + ",DT_BF16;DT_UNDEFINED;INT64,ND;NULL;ND"
        + ',"""128,4,128"""'
        + ",DT_BF16,ND,58.2\n",
    )
    put(folder / "broken-words.csv", SHAPES + row(ops[0]).replace("11.25", "fast") + row(ops[1]))


def tests(folder: Path) -> None:
    """tests/samples/<reader> of the smaller tables."""
    times = folder / "task_time"
    put(times / "whole.csv", task_time())
    put(times / "odd-crlf.csv", task_time("\r\n"))
    put(times / "broken-cut.csv", task_time()[:-70])
    _host(folder / "api_statistic")
    _operators(folder / "operator_details")
    _collectives(folder / "communication")
    _mindspore(folder / "mindspore")
    _averages(folder / "shape_statistic")
