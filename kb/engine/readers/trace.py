"""Traces for a timeline viewer: trace_view.json of the PyTorch profiler, msprof_*.json and task_time_*.json of msprof.

Device tasks are the events that name their task type, collectives the events of the communication lane; they are
written as lines of an op_summary and read as one. Traces hold no shapes and no counters. What the host did is added
up on the way. The file is streamed, and one that ends early gives all events before its end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kb.engine.readers import host_calls, simulator_trace, tasks
from kb.engine.readers.host_calls import HostCalls
from kb.engine.readers.job import Opened, read_job
from kb.engine.readers.json_stream import Stopped, values
from kb.engine.readers.simulator_trace import micro
from kb.engine.readers.source import Bundle, Source
from kb.engine.readers.table_text import TableText
from kb.engine.readers.task_time import times_only
from kb.engine.readers.words import clean
from kb.errors import SourceError
from kb.model import Notice, Profile
from kb.units import us

NAME = "trace"
TITLE = "timelines of msprof or the PyTorch profiler (trace_view.json, msprof_*.json, task_time_*.json)"
FAMILY = "job"
RANK = 16

MOST_LANES = 100_000
MOST_NAMES = 20_000
SHOWN = 3
LATEST_US = 1e19
_HEADER = (
    "Device_id", "Stream ID", "Op Name", "OP Type", "Task Type", "Task Start Time(us)", "Task Duration(us)",
    "Task Wait Time(us)",
)  # fmt: skip
_LEVELS = {"AscendCL": "acl", "Runtime": "runtime", "Node": "node", "Model": "model"}
_COMMUNICATION = ("HCCL", "Communication")
# Words that only a trace of an Ascend device or of its host runtime has.
_ASCEND = frozenset(("async_npu", "HostToDevice", "async_task_queue", "enqueue", "dequeue"))


def recognise(source: Source) -> int:
    """A list of events, or an object that holds one, and no simulator's trace."""
    text = source.text.lstrip()
    if '"ph"' not in text or simulator_trace.is_trace(source):
        return 0
    return 80 if text.startswith("[") or (text.startswith("{") and '"traceEvents"' in text) else 0


@dataclass
class _Read:
    """One trace while it is read."""

    label: str
    processes: dict[object, str] = field(default_factory=dict)
    threads: dict[tuple[object, object], str] = field(default_factory=dict)
    calls: HostCalls = field(default_factory=HostCalls)
    framework: dict[str, list[float]] = field(default_factory=dict)  # operator -> us with children, calls
    clock: list[float] = field(default_factory=list)  # lowest and highest
    ascend: bool = False
    others: int = 0  # device tasks that are no kernels
    events: int = 0
    stopped: Stopped = field(default_factory=Stopped)


def read(bundle: Bundle, soc: str | None = None) -> Profile:
    """See `read_job`; what the host did and the clock are added.

    Raises:
        SourceError: for a whole trace without anything of an Ascend device.
    """
    sources, notices = _chosen(bundle)
    reads = {source.path: _Read(bundle.label(source.path)) for source in sources}

    def opened(source: Source) -> Opened:
        return Opened(TableText(source.path, _HEADER, _lines(source, reads[source.path])))

    tool = "Ascend PyTorch Profiler" if any('"cpu_op"' in source.text for source in sources) else "msprof"
    profile = read_job(bundle, sources, "op_summary", tool, soc, reader=NAME, opened=opened)
    found = list(reads.values())
    if not profile.operators and not any(one.ascend or one.stopped for one in found):
        raise SourceError(
            "a trace without a task of an Ascend device",
            where=str(sources[0].path),
            now="give trace_view.json, msprof_*.json or the folder of the run",
        )
    own = [notice for notice in profile.notices if notice.code not in ("no-rows", "level0")]
    if profile.operators:
        own.append(times_only(found[0].label))
    else:
        text = f"no kernel among {sum(one.events for one in found)} events"
        own.append(Notice("no-rows", text, found[0].label))
    return replace(
        profile,
        counters={**profile.counters, **(host_calls.counters(found[0].calls) if len(found) == 1 else {})},
        notices=(*own, *notices, *(note for one in found for note in _notices(one))),
    )


def _chosen(bundle: Bundle) -> tuple[list[Source], list[Notice]]:
    """One trace a folder, the largest, since the others repeat its tasks; slices of one export are all read."""
    kept: dict[Path, Source] = {}
    slices: list[Source] = []
    notices: list[Notice] = []
    for source in sorted(bundle.of(NAME), key=lambda item: (-item.size, str(item.path))):
        if "_slice_" in source.path.name:
            slices.append(source)
        elif kept.setdefault(source.path.parent, source) is not source:
            text = f"shows the same tasks as {bundle.label(kept[source.path.parent].path)} and was left out"
            notices.append(Notice("second-table", text, bundle.label(source.path)))
    return sorted([*kept.values(), *slices], key=lambda item: item.path), notices


def _lines(source: Source, one: _Read) -> Iterator[Sequence[str]]:
    one.calls.origin = one.label
    depth = 1 if source.text.lstrip().startswith("[") else 2
    for keys, event in values(source.path, depth, one.stopped):
        if len(keys) == depth and keys[0] in ("", "traceEvents") and isinstance(event, dict):
            one.events += 1
            line = _event(event, one)
            if line is not None:
                yield line


def _event(event: Mapping[str, Any], one: _Read) -> Sequence[str] | None:
    phase = event.get("ph")
    kind = event.get("cat")
    one.ascend |= isinstance(kind, str) and kind in _ASCEND
    if phase == "X":
        return _span(event, one)
    args = event.get("args")
    if phase == "M" and isinstance(args, dict):
        _lane(event, args, one)
    elif phase == "C" and event.get("name") == "AI Core Freq" and isinstance(args, dict):
        clock = micro(args.get("MHz"))
        if clock:
            one.clock = [min([clock, *one.clock]), max([clock, *one.clock])]
    return None


def _lane(event: Mapping[str, Any], args: Mapping[str, Any], one: _Read) -> None:
    process, thread, name = event.get("pid"), event.get("tid"), args.get("name")
    if not isinstance(name, str) or not isinstance(process, (int, str)):
        return
    if event.get("name") == "process_name" and len(one.processes) < MOST_LANES:
        one.processes[process] = name
        one.ascend |= name in ("Ascend Hardware", "CANN")
    elif (
        event.get("name") == "thread_name"
        and isinstance(thread, (int, str))
        and len(one.threads) < MOST_LANES
    ):
        one.threads[process, thread] = name


def _span(event: Mapping[str, Any], one: _Read) -> Sequence[str] | None:
    """A line for a kernel or a collective; anything else of the host is added up."""
    name, process, thread = event.get("name"), event.get("pid"), event.get("tid")
    if not isinstance(name, str) or not isinstance(process, (int, str)) or not isinstance(thread, (int, str)):
        return None
    args = event.get("args")
    task = args.get("Task Type") if isinstance(args, dict) else None
    if isinstance(task, str):
        one.ascend = True
        if tasks.core_of(task, name, (), prefixed=False, split_chip=False) == "other":
            one.others += 1
            return None
        # at level 0 traces say AI_CORE of vector kernels too, so that it names no kind of core
        return _line(event, name, str(process), str(thread), "N/A" if task == "AI_CORE" else task)
    if _is_collective(process, thread, one):
        return _line(event, name, _device(process, one), str(thread), "COMMUNICATION")
    _host(event, name, one)
    return None


def _is_collective(process: object, thread: object, one: _Read) -> bool:
    lane = one.threads.get((process, thread), "")
    return one.processes.get(process) in _COMMUNICATION and "Communication" in lane


def _device(process: object, one: _Read) -> str:
    """The process of the device's kernels, so that collectives lie on the same time line."""
    hardware = [key for key, name in one.processes.items() if name == "Ascend Hardware"]
    return str(hardware[0] if len(hardware) == 1 else process)


def _line(event: Mapping[str, Any], name: str, device: str, stream: str, task: str) -> Sequence[str]:
    length = micro(event.get("dur"))
    duration = "" if length is None else f"{length:.3f}"
    return (device[:40], stream[:40], name[:512], "N/A", task[:40], _stamp(event.get("ts")), duration, "")


def _stamp(cell: object) -> str:
    """A time stamp as digits; as a float its last digits would be lost, so text stays text."""
    if isinstance(cell, str):
        return cell[:40]
    if isinstance(cell, int) and not isinstance(cell, bool):
        return str(cell) if 0 <= cell < LATEST_US else ""
    return f"{cell:.3f}" if isinstance(cell, float) and 0 <= cell < LATEST_US else ""


def _host(event: Mapping[str, Any], name: str, one: _Read) -> None:
    spent = micro(event.get("dur"))
    if spent is None:
        return
    level, found, api = name.partition("@")
    if found and level in _LEVELS:
        one.ascend = True
        one.calls.add(_LEVELS[level], clean(api, 120), spent, 1)
    elif event.get("cat") == "cpu_op" and (name in one.framework or len(one.framework) < MOST_NAMES):
        sums = one.framework.setdefault(name, [0.0, 0.0])
        sums[0] += spent
        sums[1] += 1


def _notices(one: _Read) -> list[Notice]:
    out = []
    if one.stopped:
        text = f"{one.stopped.why} at character {one.stopped.at}; the {one.events} events before it are used"
        out.append(Notice("file-cut-off", text, one.label))
    if one.others:
        text = f"{one.others} tasks that are no kernels (events, copies, parts of collectives) were left out"
        out.append(Notice("other-tasks", text, one.label))
    if one.clock and one.clock[0] < 0.95 * one.clock[1]:
        text = f"the AI Core clock fell from {one.clock[1]:.0f} to {one.clock[0]:.0f} MHz during the run"
        out.append(Notice("clock-varied", text, one.label))
    ranked = sorted(one.framework.items(), key=lambda item: (-item[1][0], item[0]))[:SHOWN]
    if ranked:
        parts = (f"{clean(name, 80)} {us(spent)} in {count:.0f} calls" for name, (spent, count) in ranked)
        text = "most host time in the framework, inner operators included: " + "; ".join(parts)
        out.append(Notice("host-operators", text, one.label))
    return [*out, *host_calls.notices(one.calls)]
