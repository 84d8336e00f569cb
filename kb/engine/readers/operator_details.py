"""operator_details.csv of the PyTorch profiler: operators of the framework with their time on host and device.

Beside a table of kernels it says where the host's time goes; alone it gives the operators that took device time,
without counters. Its call stacks hold line breaks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from kb.engine.readers import chip, tasks
from kb.engine.readers.columns import index, time_us
from kb.engine.readers.records import Records
from kb.engine.readers.source import Bundle, Source
from kb.engine.readers.words import clean
from kb.model import Capture, CoreKind, Measure, Notice, Operator, Profile, SourceFile
from kb.units import us

NAME = "operator_details"
TITLE = "PyTorch profiler framework operators (operator_details.csv)"
FAMILY = "job"
RANK = 6
ADDS = True

MOST_NAMES = 20_000
SHOWN = 3
_NEEDED = ("op_name", "host_self_us", "device_self_us")
_COLLECTIVE = ("hccl", "hcom_", "c10d::")


@dataclass
class _Sum:
    count: int = 0
    device: float = 0.0
    low: float = float("inf")
    high: float = 0.0


@dataclass
class _Found:
    device: dict[str, _Sum] = field(default_factory=dict)
    host: dict[str, list[float]] = field(default_factory=dict)
    files: list[SourceFile] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)


def recognise(source: Source) -> int:
    """By the operator's name with its own time on host and device."""
    known, _ = index(source.header, NAME)
    return 90 if all(name in known for name in _NEEDED) else 0


def contribute(profile: Profile, bundle: Bundle) -> Profile:
    """Where the host's time goes, for a profile made from other files of the same run."""
    found = _gather(bundle)
    return replace(profile, files=(*profile.files, *found.files), notices=(*profile.notices, *found.notices))


def read(bundle: Bundle, soc: str | None = None) -> Profile:
    """One operator a framework operator that took device time, by falling time."""
    found = _gather(bundle)
    label = found.files[0].path
    operators = [
        _operator(name, item, label)
        for name, item in sorted(found.device.items(), key=lambda item: (-item[1].device, item[0]))
    ]
    the_chip, chip_notices = chip.resolve(None, soc)
    text = "operators of the framework, not kernels: no counters and no times between kernels"
    return Profile(
        target=bundle.target,
        source=NAME,
        scope="run",
        capture=Capture("Ascend PyTorch Profiler"),
        chip=the_chip,
        operators=tuple(operators),
        files=tuple(found.files),
        notices=(*bundle.notices, Notice("framework-operators", text), *found.notices, *chip_notices),
    )


def _gather(bundle: Bundle) -> _Found:
    found = _Found()
    for source in bundle.of(NAME):
        label = bundle.label(source.path)
        records = Records(source.path, NAME, label)
        for cells in records:
            if not _take(found, cells):
                records.reject()
        found.files.append(records.file)
        found.notices.extend(records.notices())
    ranked = sorted(found.host.items(), key=lambda item: (-item[1][0], item[0]))[:SHOWN]
    if ranked:
        parts = (f"{clean(name, 80)} {us(spent)} in {count:.0f} calls" for name, (spent, count) in ranked)
        text = "most host time in the framework: " + "; ".join(parts)
        found.notices.append(Notice("host-operators", text, found.files[0].path))
    return found


def _take(found: _Found, cells: Mapping[str, str]) -> bool:
    name = clean(cells["op_name"], 120)
    host, device = time_us(cells["host_self_us"]), time_us(cells["device_self_us"])
    if not name or host is None or device is None:
        return False
    if name in found.host or len(found.host) < MOST_NAMES:
        sums = found.host.setdefault(name, [0.0, 0.0])
        sums[0] += host
        sums[1] += 1
    if device and (name in found.device or len(found.device) < MOST_NAMES):
        item = found.device.setdefault(name, _Sum())
        item.count += 1
        item.device += device
        item.low, item.high = min(item.low, device), max(item.high, device)
    return True


def _operator(name: str, item: _Sum, label: str) -> Operator:
    core: CoreKind = "communication" if name.casefold().startswith(_COLLECTIVE) else "unknown"
    many = item.count > 1
    mean = item.device / item.count
    where = f"{label}:Device Self Duration(us)"
    duration = Measure(mean, "us", where, item.low if many else None, item.high if many else None, item.count)
    return Operator(name, tasks.type_from_name(name), core, item.count, duration, item.device)
