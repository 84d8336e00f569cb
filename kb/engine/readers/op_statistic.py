"""op_statistic*.csv of msprof and the PyTorch profiler: totals per operator type, no shapes and no
counters.
"""

from __future__ import annotations

from kb.engine.readers import chip, tasks
from kb.engine.readers.columns import index, integer, time_us
from kb.engine.readers.rows import Rows
from kb.engine.readers.source import Bundle, Source
from kb.engine.readers.words import clean
from kb.model import Capture, Measure, Notice, Operator, Profile, SourceFile

NAME = "op_statistic"
TITLE = "operator totals of msprof or the PyTorch profiler (op_statistic.csv)"
FAMILY = "job"
RANK = 20

MOST_ROWS = 100_000
_NEEDED = ("op_type", "core_type", "launches", "total_us")


def recognise(source: Source) -> int:
    """By type, core type, count and total."""
    known, _ = index(source.header, NAME)
    return 90 if all(name in known for name in _NEEDED) else 0


def read(bundle: Bundle, soc: str | None = None) -> Profile:
    """One operator a row, by falling total."""
    operators: list[Operator] = []
    files: list[SourceFile] = []
    notices = list(bundle.notices)
    for source in bundle.of(NAME):
        label = bundle.label(source.path)
        found, lost = _read_one(source, label)
        operators.extend(found)
        files.append(SourceFile(label, NAME, len(found), lost))
        if lost:
            notices.append(Notice("rows-lost", f"{lost} rows without numbers were left out", label))
    notices.append(
        Notice("totals-only", "totals per type only: no counters, shapes or times between kernels")
    )
    operators.sort(key=lambda op: (-op.total_us, op.name, op.core))
    found_chip, chip_notices = chip.resolve(None, soc)
    return Profile(
        target=bundle.target,
        source=NAME,
        scope="run",
        capture=Capture("msprof"),
        chip=found_chip,
        operators=tuple(operators),
        files=tuple(files),
        notices=(*notices, *chip_notices),
    )


def _read_one(source: Source, label: str) -> tuple[list[Operator], int]:
    rows = Rows(source.path)
    at, _ = index(rows.header, NAME)
    width = max(at.values()) + 1
    found: list[Operator] = []
    lost = 0
    for row in rows:
        count = integer(row[at["launches"]]) if len(row) >= width else None
        total = time_us(row[at["total_us"]]) if len(row) >= width else None
        if not count or count < 0 or total is None or len(found) >= MOST_ROWS:
            lost += 1
            continue
        low, high = (time_us(row[at[name]]) if name in at else None for name in ("min_us", "max_us"))
        kind, core = clean(row[at["op_type"]]), row[at["core_type"]]
        found.append(
            Operator(
                name=kind,
                type=kind,
                core=tasks.core_of(core, kind, (), prefixed=True, split_chip=True),
                count=count,
                duration=Measure(total / count, "us", f"{label}:Total Time(us) / Count", low, high, count),
                total_us=total,
                attributes={"task_type": clean(core)},
            )
        )
    return found, lost
