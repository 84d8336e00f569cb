"""Writes result folders as msopprof lays them out, with numbers made up from the name of the kernel.

Nothing in here was measured: the values are synthetic, only the file names, headers and layouts are the
tool's.
"""

from __future__ import annotations

import random
import shutil
import string
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
TABLES = (
    "ArithmeticUtilization",
    "L2Cache",
    "Memory",
    "MemoryL0",
    "MemoryUB",
    "PipeUtilization",
    "ResourceConflictRatio",
)
SOCS = {"a2": "Ascend910B2", "a2-closed": "Ascend910B2", "310p": "Ascend310P3", "950": "Ascend950PR"}
CLOCK_MHZ = {"a2": 1800, "a2-closed": 1800, "310p": 1060, "950": 1650}


@dataclass(frozen=True)
class Launch:
    """One kernel launch: name, type (vector, cube or mix), device, and its number among those of its name."""

    name: str
    type: str
    device: int
    order: int


def columns(chip: str) -> dict[str, list[str]]:
    """Column names of each table for a chip."""
    lines = (HERE / "columns.tsv").read_text().splitlines()[1:]
    rows = [line.split("\t") for line in lines]
    return {table: names.split() for of, table, names in rows if of == chip}


def new_top(output: Path) -> Path:
    """A new OPPROF folder, named as the tool names it."""
    letters = "".join(random.choices(string.ascii_uppercase, k=16))
    top = output / f"OPPROF_{time.strftime('%Y%m%d%H%M%S')}_{letters}"
    top.mkdir(mode=0o750)
    return top


def write_raw(top: Path, launch: Launch, chip: str) -> None:
    """What lies there while the program runs: raw counters of one launch."""
    dump = top / f"device{launch.device}" / launch.name / str(launch.order) / "dump"
    dump.mkdir(parents=True, mode=0o750)
    for number in range(1, 8):
        (dump / f"DeviceProf{number}.bin").write_bytes(bytes(128))
    facts = {
        "Run Soc Version": SOCS[chip],
        "Op Name": launch.name,
        "Block Dim": 2,
        "Device Id": launch.device,
        "Pid": 4242,
        "Current Freq": CLOCK_MHZ[chip],
        "Rated Freq": CLOCK_MHZ[chip],
        "Is MC2": 0,
        "Is Lccl": 0,
    }
    (dump / "op_basic_info.txt").write_text("".join(f"{key}={value}\n" for key, value in facts.items()))


def parse(
    top: Path, launch: Launch, chip: str, tables: tuple[str, ...], *, stamped: bool, duration: str = ""
) -> float:
    """Turn the raw counters of one launch into tables; returns its duration in microseconds."""
    folder = top / f"device{launch.device}" / launch.name / str(launch.order)
    now = time.time_ns() // 1_000_000
    suffix = (
        f"_{time.strftime('%Y%m%d%H%M%S', time.localtime(now // 1000))}{now % 1000:03d}" if stamped else ""
    )
    dice = random.Random(f"{launch.name}/{launch.order}")
    time_us = dice.uniform(5, 500)
    clock = CLOCK_MHZ[chip]
    op_type = "AiCore" if chip == "310p" else launch.type
    basics = ["Op Name", "Op Type", "Task Duration(us)", "Block Dim", "Mix Block Dim", "Device Id", "Pid"]
    values = [launch.name, op_type, duration or f"{time_us:.6f}", "2"]
    values += ["4" if launch.type == "mix" else "NA", str(launch.device), "4242"]
    if chip == "310p":
        del basics[4], values[4]
    basics += ["Current Freq", "Rated Freq"]
    values += [str(clock), str(clock)]
    _save(folder / f"OpBasicInfo{suffix}.csv", [basics, values], chip)
    for table in tables:
        names = columns(chip)[table]
        cores = _cores(launch, chip)
        rows = [_row(names, core, time_us * dice.uniform(0.9, 1.0), clock, dice) for core in cores]
        _save(folder / f"{table}{suffix}.csv", [names, *rows], chip)
    (folder / "visualize_data.bin").write_bytes(b"")
    return time_us


def play(top: Path, launch: Launch, tables: Path) -> float:
    """Write tables that were prepared for one launch; returns its duration in microseconds."""
    folder = top / f"device{launch.device}" / launch.name / str(launch.order)
    for path in sorted(tables.glob("*.csv")):
        shutil.copyfile(path, folder / path.name)
    shutil.copyfile(tables / "dump" / "op_basic_info.txt", folder / "dump" / "op_basic_info.txt")
    heads, values = (line.split(",") for line in (tables / "OpBasicInfo.csv").read_text().splitlines()[:2])
    return float(values[heads.index("Task Duration(us)")])


def settle(top: Path, launches: list[Launch]) -> None:
    """The final layout: one launch in the top folder, one device without its folder, several devices as
    they are.
    """
    devices = {launch.device for launch in launches}
    if len(launches) == 1:
        only = launches[0]
        folder = top / f"device{only.device}" / only.name / str(only.order)
        for path in folder.iterdir():
            path.rename(top / path.name)
        shutil.rmtree(top / f"device{only.device}")
    elif len(devices) == 1:
        device = top / f"device{devices.pop()}"
        for path in device.iterdir():
            path.rename(top / path.name)
        device.rmdir()


def write_simulation(top: Path, launches: list[Launch]) -> None:
    """What the simulator leaves: instructions per core and a trace of all; a folder each for several."""
    for launch in launches:
        place = top if len(launches) == 1 else top / launch.name / str(launch.order)
        place.mkdir(parents=True, exist_ok=True)
        (top / f"device{launch.device}" / launch.name / str(launch.order) / "dump").rename(place / "dump")
        _simulate(place / "simulator")
    for device in top.glob("device*"):
        shutil.rmtree(device)


def _simulate(folder: Path) -> None:
    for core in ("core0.veccore0", "core0.veccore1"):
        (folder / core).mkdir(parents=True)
        (folder / core / f"{core}_code_exe.csv").write_text(
            "code,call_count,cycles,running_time(us)\n/src/kernel.cpp:42,8,1600,0.888889\n"
        )
        (folder / core / f"{core}_instr_exe.csv").write_text(
            "instr,addr,pipe,call_count,cycles,running_time(us),detail\n"
            'VADD,4096,VECTOR,8,640,0.355556,"dst:UB,src:UB"\n'
        )
    event = '{"ph":"X","name":"VADD","pid":"core0","tid":"VECTOR","ts":0,"dur":1}'
    (folder / "trace.json").write_text(
        '{"profilingType":"op","schemaVersion":1,"displayTimeUnit":"ns","traceEvents":[' + event + "]}"
    )


def _cores(launch: Launch, chip: str) -> list[tuple[int, str]]:
    if chip == "310p":
        return [(0, "core")]
    subs = {"vector": ["vector0"], "cube": ["cube0"], "mix": ["cube0", "vector0", "vector1"]}[launch.type]
    return [(block, sub) for block in range(2) for sub in subs]


def _row(names: list[str], core: tuple[int, str], busy: float, clock: int, dice: random.Random) -> list[str]:
    block, sub = core
    own = "aic_" if sub in ("cube0", "core") else "aiv_"
    ratios: dict[str, float] = {}
    cells = []
    for name in names:
        if name == "block_id":
            cells.append(str(block))
        elif name == "sub_block_id":
            cells.append(sub)
        elif name[:4] in ("aic_", "aiv_") and name[:4] != own:
            cells.append("NA")
        else:
            cells.append(_value(name, busy, clock, ratios, dice))
    return cells


def _value(name: str, busy: float, clock: int, ratios: dict[str, float], dice: random.Random) -> str:
    """A number that fits the unit of the column; a pipe's time and ratio fit each other."""
    pipe = name[4:].partition("(")[0].removesuffix("_time").removesuffix("_ratio")
    if name in ("aic_time(us)", "aiv_time(us)"):
        return f"{busy:.6f}"
    if name.endswith("total_cycles"):
        return str(int(busy * clock))
    if "(us)" in name or name.endswith(("_ratio", "_rate")):
        ratio = ratios.setdefault(pipe, dice.random())
        return f"{ratio * busy if '(us)' in name else ratio:.6f}"
    if "(%)" in name or "(GB/s)" in name or "(KB)" in name:
        return f"{dice.uniform(0, 100):.6f}"
    return str(dice.randrange(10_000))


def _save(path: Path, rows: list[list[str]], chip: str) -> None:
    """Every line of a device table ends with a comma, except in captures of the 950."""
    end = "\n" if chip == "950" else ",\n"
    path.write_text("".join(",".join(row) + end for row in rows))
    path.chmod(0o640)
