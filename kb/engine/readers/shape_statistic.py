"""Operator performance database: one table an operator type, one row a shape, times and counters averaged.

The table does not name its operator; its file does. How often a shape ran is not in it, so the rows are kernels to
be looked at one by one, and adding them up means nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kb.engine.readers import chip, tasks, tensors
from kb.engine.readers.columns import all_columns, lookup, missing, number, time_us
from kb.engine.readers.records import Records
from kb.engine.readers.source import Bundle, Source
from kb.engine.readers.words import clean
from kb.model import Capture, Measure, Notice, Operator, Profile, SourceFile

NAME = "shape_statistic"
TITLE = "operator performance database, averages per shape (Input Shapes with Average Duration(us))"
FAMILY = "job"
RANK = 3

MOST_ROWS = 100_000
_AVERAGE = "average "
_TENSORS = (
    "input_shapes",
    "input_dtypes",
    "input_formats",
    "output_shapes",
    "output_dtypes",
    "output_formats",
)


def recognise(source: Source) -> int:
    """By shapes and an average duration."""
    cells = {cell.casefold() for cell in source.header}
    return 90 if {"input shapes", "average duration(us)"} <= cells else 0


def read(bundle: Bundle, soc: str | None = None) -> Profile:
    """One operator a row, by falling duration."""
    operators: list[Operator] = []
    files: list[SourceFile] = []
    notices = [*bundle.notices]
    for source in bundle.of(NAME):
        records = Records(source.path, NAME, bundle.label(source.path))
        records.at, records.unknown = _columns(records.header)
        kind = clean(source.path.stem, 80)
        split = False
        found: list[dict[str, str]] = []
        for row in records:
            duration = time_us(row["task_duration_us"])
            if duration is None or duration <= 0 or len(found) >= MOST_ROWS:
                records.reject()
                continue
            split = split or tasks.names_split_cores(row.get("task_type", ""))
            found.append(row)
        operators.extend(_operator(row, kind, records.label, split) for row in found)
        files.append(records.file)
        notices.extend(records.notices())
    text = "averages per shape: how often each ran is not known, so sums over rows mean nothing"
    notices.append(Notice("averages-per-shape", text))
    operators.sort(key=lambda op: (-op.duration.value, op.name))
    the_chip, chip_notices = chip.resolve(None, soc)
    return Profile(
        target=bundle.target,
        source=NAME,
        scope="operator",
        capture=Capture("operator performance database"),
        chip=the_chip,
        operators=tuple(operators),
        files=tuple(files),
        notices=(*notices, *chip_notices),
    )


def _columns(header: Sequence[str]) -> tuple[dict[str, int], tuple[str, ...]]:
    """Positions by column id, and unknown cells: kernel_details with "Average" before it, and a few of its own."""
    out: dict[str, int] = {}
    unknown: list[str] = []
    for place, cell in enumerate(header):
        bare = cell[len(_AVERAGE) :] if cell.casefold().startswith(_AVERAGE) else cell
        found = lookup(bare, "kernel_details") or lookup(cell, NAME)
        if found is not None:
            out.setdefault(found, place)
        elif cell:
            unknown.append(cell)
    return out, tuple(unknown)


def _operator(row: Mapping[str, str], kind: str, label: str, split: bool) -> Operator:
    task = row.get("task_type", "")
    shapes = [row.get(name, "") for name in _TENSORS]
    value = number(row["task_duration_us"]) or 0.0
    duration = Measure(value, "us", f"{label}:Average Duration(us)")
    extra = {
        name: clean(row[name])
        for name in ("median_us", "std_us", "avg_seq_len")
        if not missing(row.get(name, ""))
    }
    return Operator(
        name=kind,
        type=kind,
        core=tasks.core_of(task, kind, (), prefixed=True, split_chip=split),
        count=1,
        duration=duration,
        total_us=value,
        inputs=tensors.parse(*shapes[:3]),
        outputs=tensors.parse(*shapes[3:]),
        counters=_counters(row, label),
        attributes={"task_type": clean(task), "type_from": "file name", **extra},
    )


def _counters(row: Mapping[str, str], label: str) -> dict[str, Measure]:
    out = {}
    for name, cell in row.items():
        value = number(cell)
        if value is not None and name.startswith(("aic_", "aiv_", "cube_utilization")):
            out[name] = Measure(value, all_columns()[name].unit, f"{label}:Average {name}")
    return out
