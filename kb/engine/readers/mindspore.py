"""Tables of the MindSpore profiler: execution times, the graph's operators with their shapes, and step times.

Times of operators come from aicore_intermediate_*_detail (or, summed up by type, *_type), shapes and blocks from
framework_raw_* or a table like it, joined by the operator's full name. Times are milliseconds in the one, units of
ten nanoseconds in the step table.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from kb.engine.readers import chip, tasks
from kb.engine.readers.columns import LONGEST_US, index, integer, number
from kb.engine.readers.mindspore_steps import Steps, read_steps
from kb.engine.readers.mindspore_tensors import tensors_of
from kb.engine.readers.records import Records
from kb.engine.readers.run_times import total
from kb.engine.readers.source import Bundle, Source
from kb.engine.readers.step_trace import in_order
from kb.engine.readers.words import clean
from kb.errors import SourceError
from kb.model import Capture, CoreKind, Measure, Notice, Operator, Profile, RunTimes, SourceFile, Tensor

NAME = "mindspore"
TITLE = "MindSpore profiler (aicore_intermediate_*, framework_raw_*, step_trace_raw_*)"
FAMILY = "job"
RANK = 26

MOST_NAMES = 200_000
LONGEST_MS = LONGEST_US / 1000
_ID = re.compile(r"_(\d{1,6})(?=[_.])")
_COLLECTIVES = frozenset(
    ("AllReduce", "AllGather", "ReduceScatter", "AlltoAll", "AlltoAllV", "Broadcast", "NeighborExchange")
)
_EVENTS = (
    "StreamSend",
    "StreamRecv",
    "StreamSwitch",
    "StreamActive",
    "Send",
    "Recv",
    "EventWait",
    "EventRecord",
)


def recognise(source: Source) -> int:
    """By the header of one of its tables."""
    return 90 if kind_of(source) else 0


def kind_of(source: Source) -> str | None:
    """Name of the table in the table of columns, None for a file of something else."""
    cells = {cell.casefold() for cell in source.header}
    full = cells & {"full_kernel_name", "full_op_name", "full_kernel_time"}
    if full and "op_info" in cells:
        return "mindspore_operators"
    if full and "execution_time" in cells:
        return "mindspore_times"
    if {"step_num", "fp_point", "bp_point", "total"} <= cells:
        return "mindspore_steps"
    known, _ = index(source.header, "mindspore_types")
    return "mindspore_types" if {"graph_type", "type_total_ms", "executions"} <= known.keys() else None


@dataclass
class _About:
    """What the graph's table says of one operator."""

    kind: str
    blocks: int | None
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]


@dataclass
class _Group:
    name: str
    about: _About
    origin: str
    count: int = 0
    total: float = 0.0
    low: float = float("inf")
    high: float = 0.0


@dataclass
class _Found:
    graph: dict[str, _About] = field(default_factory=dict)  # by full name
    groups: dict[object, _Group] = field(default_factory=dict)
    steps: dict[str, Steps] = field(default_factory=dict)
    files: list[SourceFile] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    events: int = 0


def read(bundle: Bundle, soc: str | None = None) -> Profile:
    """Operators by falling total time, and where the time of the steps went.

    Raises:
        SourceError: when the tables hold the graph but no time.
    """
    found = _Found()
    sources = {kind: [s for s in bundle.of(NAME) if kind_of(s) == kind] for kind in _TAKE}
    timed = {source.path.parent for source in sources["mindspore_times"]}
    for kind, take in _TAKE.items():
        for source in sources[kind]:
            if kind == "mindspore_types" and source.path.parent in timed:  # says less of the same
                found.files.append(SourceFile(bundle.label(source.path), kind))
                continue
            records = Records(source.path, kind, bundle.label(source.path))
            take(found, records, source.path)
            found.files.append(records.file)
            found.notices.extend(
                records.notices() if kind != "mindspore_steps" else _without_unknown(records)
            )
    if not found.groups and not found.steps:
        raise SourceError(
            "operators of a MindSpore graph, without their times",
            where=str(bundle.of(NAME)[0].path),
            now="give aicore_intermediate_*_detail.csv of the same run too, or its folder",
        )
    return _profile(bundle, found, soc)


def _profile(bundle: Bundle, found: _Found, soc: str | None) -> Profile:
    ranks = {name: steps.times() for name, steps in found.steps.items()}
    the_chip, chip_notices = chip.resolve(None, soc)
    groups = sorted(found.groups.values(), key=lambda group: (-group.total, group.name))
    if found.events:
        text = f"{found.events} tasks that are no kernels (events between streams) were left out"
        found.notices.append(Notice("other-tasks", text))
    return Profile(
        target=bundle.target,
        source=NAME,
        scope="run",
        capture=Capture("MindSpore profiler"),
        chip=the_chip,
        operators=tuple(_operator(group) for group in groups),
        times=total(list(ranks.values())) if ranks else RunTimes(),
        ranks=in_order(ranks) if len(ranks) > 1 else (),
        files=tuple(found.files),
        notices=(*bundle.notices, *found.notices, *chip_notices),
    )


def _without_unknown(records: Records) -> list[Notice]:
    """The step table has columns per stream of the run, which no table of columns can list."""
    return [notice for notice in records.notices() if notice.code != "unknown-columns"]


def _take_operators(found: _Found, records: Records, path: Path) -> None:
    for cells in records:
        name = cells["full_name"].strip()
        if not name:
            records.reject()
        elif len(found.graph) < MOST_NAMES:
            inputs, outputs = tensors_of(cells["op_info"])
            kind = clean(cells.get("graph_type", ""), 80) or tasks.type_from_name(name) or clean(name, 80)
            blocks = integer(cells.get("graph_blocks", ""))
            found.graph[name] = _About(kind, blocks if blocks and blocks > 0 else None, inputs, outputs)


def _take_times(found: _Found, records: Records, path: Path) -> None:
    for cells in records:
        name, mean = cells["full_name"].strip(), number(cells["execution_ms"])
        count = integer(cells["executions"]) if "executions" in cells else 1
        if not name or mean is None or not 0 <= mean < LONGEST_MS or not count or count < 0:
            records.reject()
            continue
        about = found.graph.get(name) or _About(tasks.type_from_name(name) or clean(name, 80), None, (), ())
        _add(found, about, clean(name), mean * 1000, count, f"{records.label}:execution_time")


def _take_types(found: _Found, records: Records, path: Path) -> None:
    for cells in records:
        kind, spent, count = (
            clean(cells["graph_type"], 80),
            number(cells["type_total_ms"]),
            integer(cells["executions"]),
        )
        if not kind or spent is None or not 0 <= spent < LONGEST_MS or not count or count < 0:
            records.reject()
            continue
        where = f"{records.label}:{records.header[records.at['type_total_ms']]} / execution_frequency"
        _add(found, _About(kind, None, (), ()), kind, spent * 1000 / count, count, where)


def _take_steps(found: _Found, records: Records, path: Path) -> None:
    device = _ID.search(path.name)
    name = f"device {device[1]}" if device else path.stem
    read_steps(records, found.steps.setdefault(name, Steps(records.label)))


_TAKE = {
    "mindspore_operators": _take_operators,
    "mindspore_times": _take_times,
    "mindspore_types": _take_types,
    "mindspore_steps": _take_steps,
}


def _add(found: _Found, about: _About, name: str, mean_us: float, count: int, origin: str) -> None:
    if about.kind in _EVENTS:
        found.events += count
        return
    key = (about.kind, about.blocks, about.inputs, about.outputs)
    if key not in found.groups and len(found.groups) >= MOST_NAMES:
        return
    group = found.groups.setdefault(key, _Group(name, about, origin))
    group.count += count
    group.total += mean_us * count
    group.low, group.high = min(group.low, mean_us), max(group.high, mean_us)


def _operator(group: _Group) -> Operator:
    about = group.about
    core: CoreKind = "communication" if about.kind in _COLLECTIVES else "unknown"
    many = group.high > group.low
    mean = group.total / group.count
    return Operator(
        name=group.name,
        type=about.kind,
        core=core,
        count=group.count,
        duration=Measure(
            mean, "us", group.origin, group.low if many else None, group.high if many else None, group.count
        ),
        total_us=group.total,
        block_dim=about.blocks if core == "unknown" else None,
        inputs=about.inputs,
        outputs=about.outputs,
    )
