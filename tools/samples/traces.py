"""Timeline samples: the same detector as the tables, as events for a viewer; and a simulator's folder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tools.samples.jobs import Op, clock, detector, put

Event = dict[str, Any]
HOST, CANN, DEVICE, HCCL, CLOCK = 4242, 4243, 4244, 4245, 4246


def _names() -> list[Event]:
    names = (
        (HOST, "Python"),
        (CANN, "CANN"),
        (DEVICE, "Ascend Hardware"),
        (HCCL, "HCCL"),
        (CLOCK, "AI Core Freq"),
    )
    out: list[Event] = [
        {"name": "process_name", "pid": pid, "tid": 0, "ph": "M", "args": {"name": name}}
        for pid, name in names
    ]
    lanes = ((DEVICE, 2, "Stream 2"), (HCCL, 0, "Group 0 Communication"), (HCCL, 1, "Plane 0"))
    return out + [
        {"name": "thread_name", "pid": pid, "tid": tid, "ph": "M", "args": {"name": name}}
        for pid, tid, name in lanes
    ]


def _tasks(ops: Sequence[Op], text: bool) -> list[Event]:
    """Device tasks and collectives; time stamps as text with all digits, or as floats of a short clock."""
    out = []
    for _, task, op, start, _ in clock(ops, 1):
        stamp: str | float = start.strip()
        if not text:
            stamp = round(float(start[7:].strip()), 2)
        if op.core in ("HCCL", "COMMUNICATION"):
            out.append({"name": op.name, "pid": HCCL, "tid": 0, "ts": stamp, "dur": op.duration, "ph": "X"})
            continue
        args = {"Model Id": 4294967295, "Task Type": op.core, "Task Id": task, "connection_id": task}
        out.append(
            {
                "name": op.name,
                "pid": DEVICE,
                "tid": 2,
                "ts": stamp,
                "dur": op.duration,
                "ph": "X",
                "args": args,
            }
        )
    return out


def _host(ops: Sequence[Op]) -> list[Event]:
    out: list[Event] = []
    for _, task, op, start, _ in clock(ops, 1):
        out.append(
            {
                "ph": "X", "name": f"aten::{op.type.lower()}", "pid": HOST, "tid": HOST, "ts": start.strip(),
                "dur": 12.5, "cat": "cpu_op",
                "args": {"Sequence number": task, "Input Dims": "1;\r\n2", "Call stack": "net.py(12): forward"},
            }
        )  # fmt: skip
        out.append(
            {
                "name": "AscendCL@aclnnRun",
                "pid": CANN,
                "tid": 1,
                "ts": start.strip(),
                "dur": 8.0,
                "ph": "X",
                "args": {},
            }
        )
    out.append(
        {
            "name": "AscendCL@aclrtSynchronizeStream", "pid": CANN, "tid": 1, "ts": "1767322800125000.000",
            "dur": 300.0,
            "ph": "X", "args": {},
        }
    )  # fmt: skip
    return out


def torch_trace() -> list[Event]:
    """Host events first, names behind them, device tasks last, as the PyTorch profiler writes."""
    talk = Op("hcom_allReduce__868_0_1", "hcom_allReduce_", "HCCL", 200.0)
    ops = [*detector()[:12], talk]
    event = {
        "name": "EVENT_WAIT",
        "pid": DEVICE,
        "tid": 2,
        "ts": "1767322800123500.000",
        "dur": 1.5,
        "ph": "X",
    }
    event["args"] = {"Task Type": "EVENT_WAIT_SQE"}
    clocks = [
        {
            "name": "AI Core Freq",
            "pid": CLOCK,
            "tid": 0,
            "ts": "1767322800123450.000",
            "ph": "C",
            "args": {"MHz": mhz},
        }
        for mhz in (1800, 1500)
    ]
    return [*_host(ops), *_names(), *clocks, *_tasks(ops, text=True), event]


def _instructions(share: float) -> str:
    """One core's instruction table: a copy in, an addition, a copy out, and the flags between them."""
    rows = (
        ("MOV_OUT_TO_UB", 288400800, "MTE2", 16, 5376, 3.2 * share, "Src:OUT,Dst:UB,XD:X19=0x200,id:6"),
        ("MOV_UB_TO_OUT", 288400416, "MTE3", 16, 4391, 2.1 * share, "Src:UB,Dst:OUT,XD:X13=0x11301800,id:7"),
        ("VADD", 288401332, "VECTOR", 8, 1944, 0.6 * share, "XD:X16=0x400,Dtype:F16"),
        ("LD_XD_XN_IMM", 288401340, "SCALAR", 64, 900, 0.4 * share, "XD:X1"),
        ("WAIT_FLAG", 288400520, "VECTOR", 16, 36006, 1.5 * share, "PIPE:MTE2,TRIGGERPIPE:VECTOR,FLAGID:0"),
    )
    lines = ["instr,addr,pipe,call_count,cycles,running_time(us),detail"]
    lines += [
        f'{name},{addr},{pipe},{calls},{cycles},{us:.6f},"{detail}"'
        for name, addr, pipe, calls, cycles, us, detail in rows
    ]
    return "\n".join(lines) + "\n"


CODE = (
    "code,call_count,cycles,running_time(us)\n"
    "/home/user/add/add_custom.cpp:88,16,5376,3.200000\n"
    "/home/user/add/add_custom.cpp:97,16,4391,2.100000\n"
    "/home/user/add/add_custom.cpp:92,8,1944,0.600000\n"
)


def _lanes(core: str, share: float) -> list[Event]:
    """Four rounds: copies in and out overlap with each other and with the additions."""
    out: list[Event] = []
    for turn in range(4):
        start = 1.0 + 1.2 * turn * share
        for lane, name, at, length in (
            ("MTE2", "MOV_OUT_TO_UB", 0.0, 0.8), ("VECTOR", "VADD", 0.8, 0.15), ("MTE3", "MOV_UB_TO_OUT", 0.95, 0.5),
            ("SCALAR", "LD_XD_XN_IMM", 0.0, 0.1),
        ):  # fmt: skip
            out.append(
                {"name": name, "ph": "X", "pid": core, "tid": lane, "ts": start + at, "dur": length * share}
            )
        flow = {
            "name": "MTE2ToVECTOR",
            "ph": "s",
            "pid": core,
            "tid": "MTE2",
            "ts": start,
            "id": turn,
            "cat": "MTE2ToVECTOR",
        }
        out.append(flow)
    return out


def simulator_trace(lanes: Sequence[Event]) -> str:
    """A trace object as the simulator writes it."""
    data = {"profilingType": "op", "schemaVersion": 1, "displayTimeUnit": "ns", "traceEvents": list(lanes)}
    return json.dumps(data) + "\n"


def simulator(folder: Path) -> None:
    """tests/samples/simulator."""
    whole = folder / "whole-add" / "simulator"
    for core, share in ((0, 1.0), (1, 1.25)):
        name = f"core{core}.veccore0"
        put(whole / name / f"{name}_instr_exe.csv", _instructions(share))
        put(whole / name / f"{name}_code_exe.csv", CODE)
    lanes = [*_lanes("core0.veccore0", 1.0), *_lanes("core1.veccore0", 1.25)]
    put(whole / "trace.json", simulator_trace(lanes))
    put(
        folder / "odd-msopgen.csv",
        "line,call count,cycles\n/home/user/add.cpp:114,1,3\n/home/user/tpipe.h:503,2,5\n",
    )
    fused = folder / "odd-310p" / "simulator" / "core0"
    put(fused / "core0_instr_exe.csv", _instructions(1.0))
    put(fused / "trace.json", simulator_trace(_lanes("core0", 1.0)))
    put(folder / "odd-no-trace" / "core3.veccore0_instr_exe.csv", _instructions(1.0))
    cut = folder / "broken-cut" / "simulator"
    put(cut / "trace.json", simulator_trace(lanes)[:-400])
    put(cut / "core0.veccore0" / "core0.veccore0_instr_exe.csv", _instructions(1.0)[:-60])


def tests(folder: Path) -> None:
    """tests/samples/trace."""
    events = torch_trace()
    put(folder / "whole-torch" / "trace_view.json", json.dumps(events))
    put(
        folder / "odd-object.json",
        json.dumps({"traceEvents": [*_names(), *_tasks(detector()[:6], text=True)]}, indent=1),
    )
    put(folder / "odd-short-clock.json", json.dumps([*_names()[2:3], *_tasks(detector()[:6], text=False)]))
    put(folder / "broken-cut.json", json.dumps(events)[:-700])
    host = json.dumps(_host(detector()[:3]))
    put(folder / "broken-host-only.json", host[: len(host) // 2])
