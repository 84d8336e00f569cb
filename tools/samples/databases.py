"""Samples of the profiler's databases: the detector of the tables, as tables of SQLite.

The library writes its own version into the file; it is overwritten so that the bytes stay the same everywhere.
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterable, Sequence
from pathlib import Path

from tools.samples import headers
from tools.samples.jobs import START, Op, clock, detector, pmu_cells, tensor_cells

Row = Sequence[int | float | str | None]
_VERSION_AT, _VERSION = 96, 3_040_001


class Strings:
    """STRING_IDS: every word once."""

    def __init__(self) -> None:
        self.ids: dict[str, int] = {}

    def __call__(self, word: str) -> int:
        return self.ids.setdefault(word, len(self.ids))


def write(path: Path, tables: dict[str, tuple[str, Iterable[Row]]]) -> None:
    """A database of these tables: name to columns and rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    base = sqlite3.connect(path, isolation_level=None)
    base.execute("PRAGMA page_size = 1024")
    base.execute("PRAGMA journal_mode = OFF")
    for name, (columns, rows) in tables.items():
        base.execute(f"CREATE TABLE {name} ({columns})")
        marks = ", ".join("?" * (columns.count(",") + 1))
        base.execute("BEGIN")
        base.executemany(f"INSERT INTO {name} VALUES ({marks})", list(rows))
        base.execute("COMMIT")
    base.close()
    data = bytearray(path.read_bytes())
    data[_VERSION_AT : _VERSION_AT + 4] = struct.pack(">I", _VERSION)
    path.write_bytes(bytes(data))


def _nanoseconds(start: str) -> int:
    whole, _, part = start.strip().partition(".")
    return int(whole) * 1000 + int(part)


def _columns(names: str, kind: str = "INTEGER") -> str:
    """Column definitions of one kind."""
    return ", ".join(f"{name} {kind}" for name in names.split())


_TASK = _columns(
    "startNs endNs deviceId connectionId globalTaskId globalPid taskType contextId streamId taskId modelId"
)
_KERNEL = _columns(
    "name globalTaskId blockNum mixBlockNum taskType opType inputFormats inputDataTypes inputShapes "
    "outputFormats outputDataTypes outputShapes attrInfo opState hf32Eligible"
)
_TALK = _columns("opName startNs endNs connectionId groupName opId opType deviceId")
_PMU = [name.partition("(")[0] for name in headers.OP_SUMMARY.split(",")[21:-1]]


def _pmu_name(column: str) -> str:
    return {"aicore_time": "aic_total_time", "aiv_time": "aiv_total_time"}.get(column, column)


def launches(ops: Sequence[Op], strings: Strings, old: bool = False) -> dict[str, tuple[str, Iterable[Row]]]:
    """Tables of one run; `old` is a schema without counters, with other names for the blocks."""
    tasks: list[Row] = []
    kernels: list[Row] = []
    readings: list[Row] = []
    talk: list[Row] = []
    for n, (_, task, op, start, _) in enumerate(clock(ops, 1)):
        begin = _nanoseconds(start)
        end = begin + round(op.duration * 1000)
        if op.core == "COMMUNICATION":
            talk.append((strings(op.name), begin, end, task, strings("group"), n, strings(op.type), 0))
            continue
        stream = int(op.stream)
        kind = strings("KERNEL_AIVEC" if "VECTOR" in op.core else "KERNEL_AICORE")
        tasks.append((begin, end, 0, task, n, 4242, kind, 4294967295, stream, task, 4294967295))
        shapes, dtypes, layouts, out_shapes, out_dtypes, out_layouts = (
            cell.replace('"""', '"') for cell in tensor_cells(op)
        )
        words = (
            op.type,
            layouts,
            dtypes,
            shapes,
            out_layouts,
            out_dtypes,
            out_shapes,
            "N/A",
            "dynamic",
            "NO",
        )
        kernels.append((strings(op.name), n, op.blocks, 0, strings(op.core), *map(strings, words)))
        if op.shares:
            for column, cell in zip(_PMU, pmu_cells(op)[:-1], strict=True):
                factor = 1000 if column.endswith("_time") else 1
                readings.append((n, strings(_pmu_name(column)), round(float(cell) * factor, 6)))
    # an event and a task of nobody, as every run has them
    tasks.append(
        (START - 5000, START - 4980, 0, 1, 9999, 4242, strings("EVENT_RECORD"), 4294967295, 2, 1, 4294967295)
    )
    if old:
        kernel = _KERNEL.replace("blockNum", "blockDim").replace("mixBlockNum", "mixBlockDim")
        return {
            "TASK": (_TASK, tasks),
            "COMPUTE_TASK_INFO": (kernel, kernels),
            "_COMPUTE_TASK_INFO_old_20260101": (kernel, kernels[:1]),
        }
    return {
        "TASK": (_TASK, tasks),
        "COMPUTE_TASK_INFO": (_KERNEL, kernels),
        "COMMUNICATION_OP": (_TALK, talk),
        # all readings of one counter lie together, as the profiler writes them
        "TASK_PMU_INFO": (
            "globalTaskId INTEGER, name INTEGER, value NUMERIC",
            sorted(readings, key=lambda row: (str(row[1]), row[0] or 0)),
        ),
    }


def _about(strings: Strings) -> dict[str, tuple[str, Iterable[Row]]]:
    calls = [
        (START + 1000 * n, START + 1000 * n + spent, 20000, 1, n, strings(name))
        for n, (name, spent) in enumerate(
            (("aclrtSynchronizeStream", 600_000), ("aclnnAdd", 200_000), ("aclrtResetDevice", 9_000_000))
        )
    ]
    return {
        "META_DATA": ("name TEXT, value TEXT", [("SCHEMA_VERSION_MAJOR", "1"), ("SCHEMA_VERSION", "1.2.0")]),
        "CANN_API": (
            "startNs INTEGER, endNs INTEGER, type INTEGER, globalTid INTEGER, connectionId INTEGER, name INTEGER",
            calls,
        ),
        "ENUM_API_TYPE": ("id INTEGER, name TEXT", [(5000, "runtime"), (20000, "acl")]),
        "AICORE_FREQ": (
            "deviceId INTEGER, timestampNs NUMERIC, freq INTEGER",
            [(0, START, 1800), (0, START + 5000, 1650)],
        ),
        "RANK_DEVICE_MAP": ("rankId INTEGER, deviceId INTEGER", [(3, 0)]),
        "PYTORCH_API": ("startNs TEXT, endNs TEXT, name INTEGER", []),
    }


def _with_strings(
    tables: dict[str, tuple[str, Iterable[Row]]], strings: Strings
) -> dict[str, tuple[str, Iterable[Row]]]:
    return {
        **tables,
        "STRING_IDS": ("id INTEGER, value TEXT", [(key, word) for word, key in strings.ids.items()]),
    }


def tests(folder: Path) -> None:
    """tests/samples/database and tests/samples/analysis_db."""
    talk = Op("hcom_allReduce__868_0_1", "hcom_allReduce_", "COMMUNICATION", 200.0)
    strings = Strings()
    tables = {**launches([*detector(), talk], strings), **_about(strings)}
    whole = folder / "database" / "whole.db"
    write(whole, _with_strings(tables, strings))
    strings = Strings()
    write(
        folder / "database" / "odd-old.db",
        _with_strings(launches(detector()[:9], strings, old=True), strings),
    )
    (folder / "database" / "broken-cut.db").write_bytes(whole.read_bytes()[: 20 * 1024])

    analysis = folder / "analysis_db"
    steps = ", ".join(
        (
            "deviceId INTEGER, step TEXT",
            _columns(
                "computing communication_not_overlapped overlapped communication free stage bubble "
                "communication_not_overlapped_and_exclude_receive preparing",
                "NUMERIC",
            ),
        )
    )
    times = ", ".join(
        (
            _columns("hccl_op_name group_name", "TEXT"),
            _columns(
                "start_timestamp elapse_time transit_time wait_time synchronization_time idle_time", "NUMERIC"
            ),
            _columns("step type", "TEXT"),
        )
    )
    links = ", ".join(
        (
            _columns("hccl_op_name group_name transport_type", "TEXT"),
            _columns(
                "transit_size transit_time bandwidth large_packet_ratio package_size count total_duration",
                "NUMERIC",
            ),
            _columns("step type", "TEXT"),
        )
    )
    step_rows = [
        (0, "7", 2000.5, 120.5, 30.0, 150.5, 90.125, 2211.125, 0, 120.5, 12.5),
        (0, "8", 1990.5, 110.5, 30.0, 140.5, 80.125, 2181.125, 0, 110.5, 10.5),
    ]
    time_rows = [
        (
            "hcom_allReduce__868_0_1",
            "1",
            1767322800123456.5,
            0.1505,
            0.06,
            0.08,
            0.07,
            0.0105,
            "step7",
            "collective",
        )
    ]
    link_rows = [
        ("hcom_allReduce__868_0_1", "1", "HCCS", 40.0, 2.5, 16.0, 0, size, count, 1.0, "step7", "collective")
        for size, count in ((2.0, 4), (32.0, 1))
    ]
    full = {
        "StepTraceTime": (steps, step_rows),
        "CommAnalyzerTime": (times, time_rows),
        "CommAnalyzerBandwidth": (links, link_rows),
    }
    write(analysis / "whole.db", full)
    old = steps.removeprefix("deviceId INTEGER, ")
    write(analysis / "odd-steps-only.db", {"StepTraceTime": (old, [row[1:] for row in step_rows])})
    data = (analysis / "whole.db").read_bytes()
    (analysis / "broken-cut.db").write_bytes(data[: len(data) // 2 + 100])
