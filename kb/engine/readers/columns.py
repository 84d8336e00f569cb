"""Every column of every export, named once in `columns.tsv`: our id, unit, spellings, tables, versions.

Readers look columns up by our id, never by position: order and spelling change between versions. The unit is
the file's own (`KB` of msopprof is KiB, its `GB/s` is GiB/s); converting is the metrics'
business.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

MSOPPROF_TABLES = (
    "PipeUtilization",
    "Memory",
    "ArithmeticUtilization",
    "ResourceConflictRatio",
    "L2Cache",
    "MemoryUB",
    "MemoryL0",
)

_UNIT_SUFFIX = {"us": "us", "%": "%", "KB": "KiB", "GB/s": "GiB/s"}
_SUFFIX = re.compile(r"^(.*?)\s*\(\s*(us|%|KB|GB/s)\s*\)(\(estimate\))?$")
LARGEST = 2.0**64  # no counter is wider
LONGEST_US = 1e12  # eleven days
# A part of a whole, and a percentage of one: the ratios of a short mix kernel are divided by whole microseconds, at least
# one of them, so by no less than half of the time; 1.012 is the largest seen.
MOST_RATIO = 2.0
_MOST = {"1": MOST_RATIO, "%": 100 * MOST_RATIO}
MISSING = frozenset(("", "NA", "N/A", "null", "None", "nan", "NaN", "-"))


@dataclass(frozen=True, slots=True)
class Column:
    """One column: `unit` as the file writes it ("" a count, "text" a word), `since`/`until` a version
    or date.
    """

    id: str
    unit: str
    tables: tuple[str, ...]
    families: tuple[str, ...]
    spellings: tuple[str, ...]
    since: str = ""
    until: str = ""
    note: str = ""


@cache
def all_columns() -> dict[str, Column]:
    """The table, keyed by column id."""
    lines = (files(__package__) / "columns.tsv").read_text(encoding="utf-8").splitlines()
    out = {}
    for line in lines[1:]:
        name, unit, tables, families, spellings, since, until, note = line.split("\t")
        out[name] = Column(
            name,
            unit,
            tuple(tables.split()),
            tuple(families.split()),
            tuple(spellings.split("|")),
            since,
            until,
            note,
        )
    return out


@cache
def _by_spelling(table: str | None) -> dict[str, str]:
    """Spelling, folded, to column id; a second entry without unit suffix where that is no other column."""
    exact: dict[str, str] = {}
    bare: dict[str, str] = {}
    for column in all_columns().values():
        if table is None or table in column.tables:
            for spelling in (*column.spellings, column.id):
                exact.setdefault(_fold(spelling), column.id)
                match = _SUFFIX.match(spelling)
                if match:
                    bare.setdefault(_fold(match[1]), column.id)
    return bare | exact


def _fold(name: str) -> str:
    return " ".join(name.casefold().split())


def lookup(name: str, table: str | None = None) -> str | None:
    """The column id a header cell stands for in `table` (in any table when None), None when unknown.

    A unit suffix that contradicts the column's unit makes it unknown: `(ms)` is not read as `(us)`.
    """
    found = _by_spelling(table).get(_fold(name))
    if found is None:
        match = _SUFFIX.match(name.strip())
        if match and not match[3]:
            bare = _by_spelling(table).get(_fold(match[1]))
            if bare and all_columns()[bare].unit == _UNIT_SUFFIX[match[2]]:
                return bare
    return found


def index(header: Sequence[str], table: str) -> tuple[dict[str, int], tuple[str, ...]]:
    """Column id to position for the cells of a header that `table` knows, and the cells it does not.

    The nameless last column of msopprof's trailing comma is neither. The first of two equal names counts.
    """
    known: dict[str, int] = {}
    unknown: list[str] = []
    for position, cell in enumerate(header):
        found = lookup(cell, table)
        if found is not None:
            known.setdefault(found, position)
        elif cell.strip():
            unknown.append(cell.strip())
    return known, tuple(unknown)


def is_table_of_launches(header: Sequence[str], table: str, *, core: str) -> bool:
    """Whether a header has name, type and duration of launches, and `core`, the table's own word for the kind of core."""
    known, _ = index(header, table)
    return {"op_name", "op_type", "task_duration_us"} <= known.keys() and core in map(str.casefold, header)


@cache
def marks(table: str) -> frozenset[str]:
    """Ids that occur in this msopprof table and in no other one: what tells it apart by content."""
    others = set(MSOPPROF_TABLES) - {table}
    return frozenset(
        column.id
        for column in all_columns().values()
        if table in column.tables and not others.intersection(column.tables)
    )


def msopprof_table(header: Sequence[str]) -> str | None:
    """Which of msopprof's per-core tables a header belongs to, by the columns it holds; None when none."""
    named = sum(1 for cell in header if cell.strip())
    best: tuple[int, str] | None = None
    for table in MSOPPROF_TABLES:
        known, unknown = index(header, table)
        hits = len(marks(table).intersection(known))
        # 310P has no block columns; there only a header known to the last cell is taken for this tool's
        mine = "block_id" in known or not unknown
        if hits and mine and 2 * len(known) >= named and (best is None or hits > best[0]):
            best = (hits, table)
    return best[1] if best else None


def families(header: Sequence[str], table: str) -> frozenset[str]:
    """Chip families whose msopprof writes every known column of this header; empty when none does."""
    known, _ = index(header, table)
    sets = [set(all_columns()[name].families) for name in known if all_columns()[name].families]
    return frozenset(set.intersection(*sets)) if sets else frozenset()


def number(cell: str) -> float | None:
    """The number in a cell; None for NA, N/A, an empty cell, what is no finite number, or none that a counter of 64
    bits can hold. Never 0 for absent.
    """
    text = cell.strip()
    if text in MISSING or "_" in text:
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return value if -LARGEST < value < LARGEST else None


def time_us(cell: str) -> float | None:
    """The microseconds in a cell, None when absent or no time that can be meant: below zero, or weeks long."""
    value = number(cell)
    return value if value is not None and 0 <= value < LONGEST_US else None


def counter(cell: str) -> float | None:
    """The reading in a cell of a counter or duration; None when absent or below zero."""
    value = number(cell)
    return value if value is not None and value >= 0 else None


def impossible(value: float, unit: str) -> bool:
    """Whether a share is far above the whole that it is a part of."""
    return value > _MOST.get(unit, LARGEST)


def damaged(cell: str, unit: str = "") -> bool:
    """Whether a cell of a counter says something that is neither a reading nor its absence."""
    value = time_us(cell) if unit == "us" else counter(cell)
    return not missing(cell) if value is None else impossible(value, unit)


def integer(cell: str) -> int | None:
    """A whole number in a cell, None when absent or not whole."""
    value = number(cell)
    return int(value) if value is not None and value == int(value) and abs(value) < 2**53 else None


def missing(cell: str) -> bool:
    """Whether a cell says that there is no value."""
    return cell.strip() in MISSING
