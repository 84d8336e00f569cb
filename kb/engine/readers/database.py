"""msprof_*.db and ascend_pytorch_profiler_*.db: the launches of a run as tables of SQLite.

Names are ids into STRING_IDS, times integer nanoseconds, counters one row a reading. A task with its kernel, its
counters and the collectives beside it are written as lines of an op_summary and read as one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import merge
from itertools import groupby
from operator import itemgetter

from kb.engine.readers import host_calls
from kb.engine.readers.columns import index, lookup
from kb.engine.readers.host_calls import HostCalls
from kb.engine.readers.job import Opened, read_job
from kb.engine.readers.source import Bundle, Source
from kb.engine.readers.sqlite_file import MAGIC, Row, SqliteFile, quoted
from kb.engine.readers.table_text import TableText, microseconds
from kb.engine.readers.words import clean
from kb.errors import SourceError
from kb.model import Notice, Profile

NAME = "database"
TITLE = "database of msprof or the PyTorch profiler (msprof_*.db, ascend_pytorch_profiler_*.db)"
FAMILY = "job"
RANK = 28

MOST_STRINGS = 1_000_000
MOST_READINGS = 400  # counters of one kernel
_KERNEL = (  # columns of the kernel table that the lines carry, with the header that op_summary has for them
    ("op_name", "Op Name"),
    ("op_type", "OP Type"),
    ("op_state", "OP State"),
    ("task_type", "Task Type"),
    ("block_dim", "Block Num"),
    ("mix_block_dim", "Mix Block Num"),
    ("hf32", "HF32 Eligible"),
    ("input_shapes", "Input Shapes"),
    ("input_dtypes", "Input Data Types"),
    ("input_formats", "Input Formats"),
    ("output_shapes", "Output Shapes"),
    ("output_dtypes", "Output Data Types"),
    ("output_formats", "Output Formats"),
)
_NUMBERS = frozenset(("block_dim", "mix_block_dim"))
_FRONT = (
    "Device_id", "Stream ID", "Op Name", "OP Type", "OP State", "Task Type", "Task Start Time(us)",
    "Task Duration(us)", "Task Wait Time(us)",
)  # fmt: skip
_BEHIND = tuple(head for _, head in _KERNEL[4:])
_TASK = ("startNs", "endNs", "deviceId", "streamId", "taskType", "globalTaskId")
_PMU = ("globalTaskId", "name", "value")

Line = tuple[int, Sequence[str]]  # start in ns, cells


def recognise(source: Source) -> int:
    """By the tables of the file: tasks, with the strings that name them."""
    if not source.head.startswith(MAGIC):
        return 0
    try:
        with SqliteFile(source.path, source.size) as base:
            named = base.has("STRING_IDS", "id", "value")
            return 90 if named and base.has("TASK", "startNs", "endNs", "taskType", "globalTaskId") else 0
    except (sqlite3.Error, ValueError):
        return 0


@dataclass
class _Read:
    """One database while it is read."""

    source: Source
    label: str
    tool: str = "msprof"
    version: str | None = None
    calls: HostCalls = field(default_factory=HostCalls)
    notices: list[Notice] = field(default_factory=list)


def read(bundle: Bundle, soc: str | None = None) -> Profile:
    """See `read_job`; host calls and the clock are added.

    Raises:
        SourceError: when a database holds no task that can be used.
    """
    reads = {source.path: _Read(source, bundle.label(source.path)) for source in bundle.of(NAME)}
    bases: list[SqliteFile] = []
    try:
        profile = read_job(
            bundle, bundle.of(NAME), "op_summary", "msprof", soc,
            reader=NAME, opened=lambda source: _open(reads[source.path], bases),
        )  # fmt: skip
    except (sqlite3.Error, ValueError) as fault:
        raise SourceError(
            f"a damaged SQLite database: {fault}",
            where=str(bundle.of(NAME)[0].path),
            now="export the profile again",
        ) from fault
    finally:
        for base in bases:
            base.__exit__(None, None, None)
    found = list(reads.values())
    calls = [note for one in found for note in host_calls.notices(one.calls)]
    counted = host_calls.counters(found[0].calls) if len(found) == 1 else {}
    capture = replace(profile.capture, tool=found[0].tool, tool_version=found[0].version)
    return replace(
        profile,
        capture=capture,
        counters={**profile.counters, **counted},
        notices=(*profile.notices, *(note for one in found for note in one.notices), *calls),
    )


def _open(one: _Read, bases: list[SqliteFile]) -> Opened:
    """The lines of a database; they are made while they are asked for, so it stays open."""
    base = SqliteFile(one.source.path, one.source.size)
    bases.append(base)
    names = _strings(base)
    _about(base, one, names)
    readings = _readings(base, names)
    header = (*_FRONT, *_BEHIND, *(head for head, _ in readings.values()))
    return Opened(TableText(one.source.path, header, _lines(base, one, names, readings)), _rank(base))


def _strings(base: SqliteFile) -> dict[object, str]:
    """The strings that the tables used here refer to; a database holds many more (call stacks)."""
    wanted = [("TASK", "taskType"), ("TASK_PMU_INFO", "name"), ("CANN_API", "name")]
    wanted += [("COMMUNICATION_OP", name) for name in ("opName", "opType")]
    kernel = base.tables.get("COMPUTE_TASK_INFO", ())
    known = {lookup(name, "COMPUTE_TASK_INFO") for name in kernel}
    wanted += [
        ("COMPUTE_TASK_INFO", name) for name in kernel if lookup(name, "COMPUTE_TASK_INFO") in known - {None}
    ]
    parts = [
        f"SELECT {quoted(column)} FROM {quoted(table)}" for table, column in wanted if base.has(table, column)
    ]
    query = f"SELECT id, value FROM STRING_IDS WHERE id IN ({' UNION '.join(parts)}) LIMIT {MOST_STRINGS}"
    return {key: value for key, value in base.rows(query) if isinstance(value, str)}


def _about(base: SqliteFile, one: _Read, names: Mapping[object, str]) -> None:
    """Tool, version, clock and host calls."""
    one.tool = "Ascend PyTorch Profiler" if "PYTORCH_API" in base.tables else "msprof"
    if base.has("META_DATA", "name", "value"):
        found = base.one("SELECT value FROM META_DATA WHERE name = 'SCHEMA_VERSION'")
        one.version = f"schema {clean(str(found[0]), 20)}" if found else None
    if base.has("AICORE_FREQ", "freq"):
        low, high = base.one("SELECT min(freq), max(freq) FROM AICORE_FREQ WHERE freq > 0") or (None, None)
        if isinstance(low, (int, float)) and isinstance(high, (int, float)) and low < 0.95 * high:
            text = f"the AI Core clock fell from {high:.0f} to {low:.0f} MHz during the run"
            one.notices.append(Notice("clock-varied", text, one.label))
    log = one.source.path.with_name(one.source.path.name + "-wal")
    if log.is_file() and log.stat().st_size:
        text = "a write-ahead log lies beside it and was not read: the profiler may not have finished"
        one.notices.append(Notice("log-not-read", text, one.label))
    one.calls = HostCalls(one.label)
    if base.has("CANN_API", "startNs", "endNs", "type", "name"):
        levels = _enum(base, "ENUM_API_TYPE")
        query = "SELECT type, name, total(endNs - startNs), count(*) FROM CANN_API GROUP BY type, name"
        for kind, name, spent, count in base.rows(query):
            if isinstance(spent, float) and isinstance(count, int) and spent >= 0 and name in names:
                one.calls.add(levels.get(kind, ""), clean(names[name]), spent / 1000, count)


def _enum(base: SqliteFile, table: str) -> dict[object, str]:
    if not base.has(table, "id", "name"):
        return {}
    return {key: str(value) for key, value in base.rows(f"SELECT id, name FROM {quoted(table)} LIMIT 1000")}


def _readings(base: SqliteFile, names: Mapping[object, str]) -> dict[object, tuple[str, bool]]:
    """Counter by id: the header op_summary has for it, and whether it is a time (in ns)."""
    if not base.has("TASK_PMU_INFO", *_PMU):
        return {}
    found: dict[object, tuple[str, bool]] = {}
    for (key,) in base.rows(f"SELECT DISTINCT name FROM TASK_PMU_INFO LIMIT {MOST_READINGS}"):
        name = names.get(key, "")
        timed = name.endswith("_time")
        stem = {"aic_total_time": "aicore_time", "aiv_total_time": "aiv_time", "total_time": "aicore_time"}
        head = f"{stem.get(name, name)}(us)" if timed else name
        if name and index((head,), "op_summary")[0]:
            found[key] = head, timed
    return dict(sorted(found.items(), key=lambda item: item[1]))


def _rank(base: SqliteFile) -> str | None:
    """The rank, where the file is of one; -1 stands for a run that is not distributed."""
    if not base.has("RANK_DEVICE_MAP", "rankId"):
        return None
    ranks = [rank for (rank,) in base.rows("SELECT DISTINCT rankId FROM RANK_DEVICE_MAP LIMIT 2")]
    return f"rank {ranks[0]}" if len(ranks) == 1 and isinstance(ranks[0], int) and ranks[0] >= 0 else None


def _lines(
    base: SqliteFile, one: _Read, names: Mapping[object, str], readings: Mapping[object, tuple[str, bool]]
) -> Iterator[Sequence[str]]:
    """Kernels and collectives in the order of their starts; a fault in the file ends them and is noticed."""
    used = 0
    try:
        for _, cells in merge(
            _kernels(base, names, readings), _collectives(base, names, len(readings)), key=itemgetter(0)
        ):
            used += 1
            yield cells
    except sqlite3.Error as fault:
        text = f"damaged ({clean(str(fault), 80)}); the {used} tasks before it are used"
        one.notices.append(Notice("file-cut-off", text, one.label))


def _kernels(
    base: SqliteFile, names: Mapping[object, str], readings: Mapping[object, tuple[str, bool]]
) -> Iterator[Line]:
    """Every task that has a row in the kernel table (all tasks where there is none), with its counters."""
    task = [f"t.{column}" if column in base.tables["TASK"] else "NULL" for column in _TASK]
    by_id = _by_id(base.tables.get("COMPUTE_TASK_INFO", ()))
    joined = "globalTaskId" in by_id.values()
    wanted = [name for name, _ in _KERNEL] + ["wait_ns"]
    kernel = [f"c.{quoted(by_id[name])}" if joined and name in by_id else "NULL" for name in wanted]
    join = "JOIN COMPUTE_TASK_INFO c ON c.globalTaskId = t.globalTaskId" if joined else ""
    order = "ORDER BY t.globalTaskId" if readings else ""
    query = f"SELECT {', '.join(task)}, {', '.join(kernel)} FROM TASK t {join} {order}"
    counters = _counters(base, readings)
    held: tuple[int, Mapping[object, object]] | None = next(counters, None)
    for row in base.rows(query):
        task_id = row[5]
        while held is not None and isinstance(task_id, int) and held[0] < task_id:
            held = next(counters, None)
        mine = held[1] if held is not None and held[0] == task_id else {}
        yield _kernel_line(
            row, names, [_reading(mine.get(key), timed) for key, (_, timed) in readings.items()]
        )


def _by_id(columns: Iterable[str]) -> dict[str | None, str]:
    """Columns of the kernel table by id. On 950 `gridDim` and `blockDim` are SIMT threads, and `blockNum` the blocks."""
    names = list(columns)
    simt = "gridDim" in names or "blockNum" in names
    return {lookup(name, "COMPUTE_TASK_INFO"): name for name in names if not (simt and name == "blockDim")}


def _counters(
    base: SqliteFile, readings: Mapping[object, tuple[str, bool]]
) -> Iterator[tuple[int, Mapping[object, object]]]:
    """The readings of one task after another, by task id."""
    if not readings:
        return
    query = "SELECT globalTaskId, name, value FROM TASK_PMU_INFO ORDER BY globalTaskId"
    for task, rows in groupby(base.rows(query), key=itemgetter(0)):
        found = {name: value for _, name, value in rows if name in readings}
        if isinstance(task, int):
            yield task, found


def _kernel_line(row: Row, names: Mapping[object, str], counters: list[str]) -> Line:
    start, end, device, stream, task_type, _ = row[:6]
    kernel = dict(zip((name for name, _ in _KERNEL), row[6:], strict=False))
    cells = {
        name: _whole(value) if name in _NUMBERS else names.get(value, "N/A") for name, value in kernel.items()
    }
    own = names.get(task_type, "N/A")
    if cells["op_name"] == "N/A":
        cells["op_name"] = own
    if cells["task_type"] in ("N/A", ""):
        cells["task_type"] = own
    front = [
        _whole(device),
        _whole(stream),
        *(cells[name] for name, _ in _KERNEL[:4]),
        *_times(start, end, row[-1]),
    ]
    return _key(start), [*front, *(cells[name] for name, _ in _KERNEL[4:]), *counters]


def _collectives(base: SqliteFile, names: Mapping[object, str], counters: int) -> Iterator[Line]:
    if not base.has("COMMUNICATION_OP", "opName", "startNs", "endNs"):
        return
    columns = base.tables["COMMUNICATION_OP"]
    only = base.one("SELECT deviceId FROM TASK LIMIT 1") if base.has("TASK", "deviceId") else None
    device = "deviceId" if "deviceId" in columns else "NULL"
    kind = "opType" if "opType" in columns else "NULL"
    query = f"SELECT startNs, endNs, {device}, opName, {kind} FROM COMMUNICATION_OP ORDER BY startNs"
    empty = ["N/A"] * (len(_BEHIND) + counters)
    for start, end, device_id, name, op_type in base.rows(query):
        device_id = only[0] if device_id is None and only else device_id  # noqa: PLW2901
        words = [names.get(name, "N/A"), names.get(op_type, "N/A"), "N/A", "COMMUNICATION"]
        yield _key(start), [_whole(device_id), "N/A", *words, *_times(start, end, None), *empty]


def _key(start: object) -> int:
    return start if isinstance(start, int) else 0


def _times(start: object, end: object, wait: object) -> list[str]:
    if not isinstance(start, int) or not isinstance(end, int):
        return ["", "", ""]
    return [
        microseconds(start),
        microseconds(end - start),
        microseconds(wait) if isinstance(wait, int) else "",
    ]


def _whole(value: object) -> str:
    return str(value) if isinstance(value, int) else "N/A"


def _reading(value: object, timed: bool) -> str:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return "N/A"
    return repr(value / 1000 if timed else value)
