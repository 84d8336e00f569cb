"""step_trace_time.csv of the PyTorch profiler, and the cluster table made of many: time per step and rank.

The vendor's own union of intervals; preferred to what we compute where it is there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kb.addition import plain_sum
from kb.engine.readers import chip
from kb.engine.readers.columns import all_columns, index, time_us
from kb.engine.readers.profiler_info import Settings, settings
from kb.engine.readers.rows import Rows
from kb.engine.readers.run_times import total
from kb.engine.readers.source import Bundle, Source
from kb.model import Capture, Measure, Notice, Profile, Rank, RunTimes, SourceFile

NAME = "step_trace"
TITLE = "PyTorch profiler step times (step_trace_time.csv, cluster_step_trace_time.csv)"
FAMILY = "job"
RANK = 10
ADDS = True

_NEEDED = ("computing_us", "communication_exposed_us", "free_us")
_OUTPUT_FOLDERS = frozenset(
    ("ASCEND_PROFILER_OUTPUT", "mindstudio_profiler_output", "cluster_analysis_output")
)
_RANK = re.compile(r"rank[_-]?(\d+)", re.IGNORECASE)
MOST_ROWS = 1_000_000


@dataclass
class _Sum:
    steps: int = 0
    values: dict[str, float] = field(default_factory=dict)


def recognise(source: Source) -> int:
    """By the three parts that make up a step."""
    known, _ = index(source.header, NAME)
    return 90 if all(name in known for name in _NEEDED) else 0


def rank_name(path: Path, known: Mapping[Path, Settings]) -> str:
    """How the rank that a file belongs to is called: its rank id, else its folder."""
    folder = path.parent.parent if path.parent.name in _OUTPUT_FOLDERS else path.parent
    for place in (folder, path.parent, folder.parent):
        found = known.get(place)
        if found and found.rank is not None:
            return f"rank {found.rank}"
    match = _RANK.search(folder.name)
    return f"rank {match[1]}" if match else folder.name


def read_ranks(
    bundle: Bundle, known: Mapping[Path, Settings]
) -> tuple[dict[str, RunTimes], list[SourceFile], list[Notice]]:
    """Times of every rank that the bundle's step traces name, steps added up."""
    ranks: dict[str, RunTimes] = {}
    files: list[SourceFile] = []
    notices: list[Notice] = []
    for source in bundle.of(NAME):
        label = bundle.label(source.path)
        sums, used, lost = _read_one(source, rank_name(source.path, known))
        for rank, item in sums.items():
            ranks[rank] = _times(item, label)
        files.append(SourceFile(label, NAME, used, lost))
        if lost:
            notices.append(Notice("rows-lost", f"{lost} rows without numbers were left out", label))
    return ranks, files, notices


def _read_one(source: Source, rank: str) -> tuple[dict[str, _Sum], int, int]:
    rows = Rows(source.path)
    at, _ = index(rows.header, NAME)
    wanted = [name for name in at if all_columns()[name].unit == "us"]
    sums: dict[str, _Sum] = {}
    used = lost = 0
    for row in rows:
        if used + lost >= MOST_ROWS:
            break
        if "row_kind" in at and len(row) > at["row_kind"] and row[at["row_kind"]].strip() == "stage":
            used += 1  # a pipeline stage repeats the sum of its ranks
            continue
        values = {name: time_us(row[at[name]]) for name in wanted if at[name] < len(row)}
        if any(values.get(name) is None for name in _NEEDED):
            lost += 1
            continue
        used += 1
        cell = row[at["row_index"]].strip() if "row_index" in at and at["row_index"] < len(row) else ""
        item = sums.setdefault(f"rank {cell}" if cell else rank, _Sum())
        item.steps += 1
        for name, value in values.items():
            item.values[name] = item.values.get(name, 0.0) + (value or 0.0)
    return sums, used, lost


def _times(item: _Sum, label: str) -> RunTimes:
    def one(column: str) -> Measure | None:
        value = item.values.get(column)
        spelling = all_columns()[column].spellings[0]
        return None if value is None else Measure(value, "us", f"{label}:{spelling}", n=item.steps)

    def add(*columns: str) -> Measure:
        names = " + ".join(all_columns()[column].spellings[0] for column in columns)
        value = plain_sum(item.values[column] for column in columns)
        return Measure(value, "us", f"{label}:{names}", n=item.steps, computed=True)

    return RunTimes(
        span=add("computing_us", "communication_exposed_us", "free_us"),
        busy=add("computing_us", "communication_exposed_us"),
        compute=one("computing_us"),
        communication=one("communication_us"),
        exposed=one("communication_exposed_us"),
        idle=one("free_us"),
        steps=item.steps,
    )


def all_settings(bundle: Bundle) -> dict[Path, Settings]:
    """The profiler settings in the bundle, by folder."""
    found = (settings(source) for source in bundle.of("profiler_info"))
    return {item.folder: item for item in found if item is not None}


def read(bundle: Bundle, soc: str | None = None) -> Profile:
    """A profile without operators: where the time of each rank went."""
    known = all_settings(bundle)
    ranks, files, notices = read_ranks(bundle, known)
    listed = in_order(ranks)
    found_chip, chip_notices = chip.resolve(None, soc)
    return Profile(
        target=bundle.target,
        source=NAME,
        scope="run",
        capture=Capture(
            "Ascend PyTorch Profiler", cann_version=next((s.cann_version for s in known.values()), None)
        ),
        chip=found_chip,
        operators=(),
        times=total([rank.times for rank in listed]) if listed else RunTimes(),
        ranks=listed if len(listed) > 1 else (),
        files=tuple(files),
        notices=(*bundle.notices, *notices, *chip_notices),
    )


def _numeric(name: str) -> tuple[int, str]:
    digits = "".join(c for c in name if c.isdecimal())
    return (int(digits[:9]) if digits else -1, name)


def in_order(ranks: Mapping[str, RunTimes]) -> tuple[Rank, ...]:
    """Ranks by number."""
    return tuple(Rank(name, ranks[name]) for name in sorted(ranks, key=_numeric))
