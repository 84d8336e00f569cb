"""trace.json of the msopprof simulator: how long each pipe of each core was active.

A Chrome trace whose process is a core and whose thread is a lane; of a lane's events the union counts, since they
overlap. The first and last event of a core bound its time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from kb.engine.readers.intervals import Union
from kb.engine.readers.json_stream import Stopped, values
from kb.engine.readers.source import Source
from kb.engine.readers.visualize_cores import MOST_CORES
from kb.model import Notice

PIPES = {
    "SCALAR": "scalar",
    "VECTOR": "vec",
    "CUBE": "mac",
    "MTE1": "mte1",
    "MTE2": "mte2",
    "MTE3": "mte3",
    "FIXP": "fixpipe",
}
LATEST_US = 1e12
_CORE = re.compile(r"core(\d{1,5})(?:\.(cube|vec)core(\d))?(?=[._]|$)", re.IGNORECASE)

Core = tuple[int, str]  # block and sub-block, as in the tables of a device run


@dataclass
class CoreTrace:
    """One core: active time in us by pipe, and what all its lanes span."""

    pipes: dict[str, Union] = field(default_factory=dict)
    all: Union = field(default_factory=Union)

    @property
    def span_us(self) -> float:
        """Time from the first event to the last end."""
        first, last = self.all.first, self.all.last
        return 0.0 if first is None or last is None else last - first


def core_named(name: str) -> Core | None:
    """The core that a folder, file or process is named after: core3.veccore0 is block 3, vector0."""
    found = _CORE.match(name)
    if not found:
        return None
    kind = {"cube": "cube", "vec": "vector"}.get((found[2] or "").casefold())
    return int(found[1]), f"{kind}{found[3]}" if kind else "core"


def is_trace(source: Source) -> bool:
    """A trace object that says it is of an operator."""
    text = source.text.lstrip()
    return text.startswith("{") and '"profilingType"' in text and '"traceEvents"' in text


def read(
    source: Source, alone: Core | None, label: str, notices: list[Notice]
) -> tuple[dict[Core, CoreTrace], int]:
    """The cores of a trace and the number of events used.

    Args:
        source: the file.
        alone: the core of the folder it lies in, for processes that are not named after one.
        label: how reports name the file.
        notices: what went wrong is added to them.
    """
    cores: dict[Core, CoreTrace] = {}
    stopped = Stopped()
    used = 0
    for keys, event in values(source.path, 2, stopped):
        if keys[0] == "traceEvents" and isinstance(event, dict) and event.get("ph") == "X":
            used += _add(event, alone, cores)
    for trace in cores.values():
        trace.all.finish()
        for union in trace.pipes.values():
            union.finish()
    if stopped:
        text = f"{stopped.why} at character {stopped.at}; the {used} instructions before it are used"
        notices.append(Notice("file-cut-off", text, label))
    return cores, used


def _add(event: dict[str, Any], alone: Core | None, cores: dict[Core, CoreTrace]) -> bool:
    core = core_named(str(event.get("pid", ""))[:64]) or alone
    pipe = PIPES.get(str(event.get("tid", ""))[:16].upper())
    start, length = micro(event.get("ts")), micro(event.get("dur"))
    if core is None or pipe is None or start is None or length is None:
        return False
    if core not in cores and len(cores) >= MOST_CORES:
        return False
    trace = cores.setdefault(core, CoreTrace())
    trace.all.add(start, start + length)
    trace.pipes.setdefault(pipe, Union()).add(start, start + length)
    return True


def micro(cell: object) -> float | None:
    """A time in microseconds that makes sense, as number or text."""
    if isinstance(cell, bool) or not isinstance(cell, (int, float, str)):
        return None
    try:
        value = float(cell) if not isinstance(cell, str) else float(cell[:64])
    except (ValueError, OverflowError):
        return None
    return value if 0 <= value < LATEST_US else None
