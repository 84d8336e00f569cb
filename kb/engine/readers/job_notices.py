"""What to know about the tables of a job and about the run that they make: rows lost, cells damaged, what is not told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kb.engine.readers.columns import MOST_RATIO
from kb.engine.readers.launches import MOST_OPERATORS, Launches, TableResult
from kb.engine.readers.layout import Layout
from kb.engine.readers.operators import Built
from kb.engine.readers.source import Source
from kb.engine.readers.steps import lengths, together, warm_up_text
from kb.engine.readers.words import clean
from kb.model import Notice
from kb.units import percent

SHOWN = 40  # characters of a damaged cell that a notice shows


@dataclass
class Table:
    """A table that was read: where it lies, whose it is, its columns and what became of its rows."""

    source: Source
    label: str
    rank: str
    form: Layout
    result: TableResult


def table_notices(item: Table) -> list[Notice]:
    """What is to be said of one table."""
    result, label = item.result, item.label
    out = []
    if result.cut:
        out.append(
            Notice(
                "row-cut-off",
                f"the last row is cut off and was left out; {result.rows} complete rows used",
                label,
            )
        )
    if result.bad:
        out.append(
            Notice(
                "rows-lost",
                f"{result.bad} rows without a usable duration were left out; in the first {_held(item)}",
                label,
                result.bad_line,
            )
        )
    if result.ragged:
        text = (
            f"{result.ragged} rows have more or fewer cells than the header; what precedes the fault was used"
        )
        out.append(Notice("ragged-rows", text, label, result.ragged_line))
    if result.mangled:
        text = (
            "start times are in scientific notation, as a spreadsheet leaves them: no times between kernels"
        )
        out.append(Notice("excel-mangled", f"{text} ({result.mangled} rows)", label))
    elif result.untimed and "start_us" in item.form.at:
        text = f"{result.untimed} rows without a usable start time are in no idle time and in no order of launches"
        out.append(Notice("no-start", text, label))
    if item.form.unknown:
        names = clean(", ".join(item.form.unknown[:8])) + (" ..." if len(item.form.unknown) > 8 else "")
        out.append(Notice("unknown-columns", f"columns not known and not used: {names}", label, 1))
    if not result.rows:
        out.append(Notice("no-rows", "the table has a header but no usable row", label))
    return out


def _held(item: Table) -> str:
    """What a row without a usable duration has there."""
    column, cell = item.form.header[item.form.at_duration], clean(item.result.bad_cell)
    return f'{column} is "{cell[:SHOWN]}"' if cell else f"{column} is empty"


def run_notices(launches: Launches, built: Built, tables: Sequence[Table], apart: bool) -> list[Notice]:
    """What is to be said of all tables together; `apart` says that they share no moment."""
    out = []
    names = ", ".join(item.label for item in tables[:4])
    if built.operators and built.untyped == len([op for op in built.operators if op.core != "communication"]):
        text = "exported at task-time level 0: no core kinds, shapes or block counts"
        out.append(
            Notice("level0", f"{text}; collect with --task-time=l1 (msprof) or profiler level 1", names)
        )
    if built.zero_times:
        text = (
            f"pipe times are 0.0 for operators that ran ({built.zero_times}): left out, the ratios are used"
        )
        out.append(Notice("zero-times", text, names))
    if built.impossible:
        columns = clean(", ".join(sorted(built.impossible)))
        text = f"damaged cells: operators with shares above {percent(MOST_RATIO)} in {columns}; these were left out"
        out.append(Notice("shares-damaged", text, names))
    if built.damaged:
        columns = clean(", ".join(sorted(built.damaged)))
        text = f"damaged cells: what stands in {columns} is no number that a device writes; these cells were left out"
        out.append(Notice("cells-damaged", text, names))
    if built.twins:
        text = (
            f"{built.twins} helper rows ({built.twins_us:.0f} us) repeat collectives running beside them; "
            "they are neither added to the run nor blamed on AI CPU"
        )
        out.append(Notice("collective-twins", text, names))
    late = sum(line.late for line in launches.timelines.values())
    if late:
        out.append(
            Notice("unsorted", f"{late} rows lie far out of time order; idle times are approximate", names)
        )
    if launches.overflow:
        text = (
            f"more than {MOST_OPERATORS} operators with different shapes: {launches.overflow} launches of the rarest "
            f"ones ({launches.overflow_us:.0f} us) are counted by type, without their shapes"
        )
        out.append(Notice("shapes-folded", text, names))
    for rank in dict.fromkeys(item.rank for item in tables):
        mine = [item for item in tables if item.rank == rank]
        slow = warm_up_text(lengths(together(item.result.steps for item in mine)))
        if slow:
            out.append(Notice("warm-up-steps", clean(slow), mine[0].label))
    if apart:
        text = (
            f"the {len(tables)} tables share no moment: captures one after another, not ranks of one job. What follows adds "
            "them up; give one alone, or compare two with kb compare"
        )
        out.append(Notice("captures-apart", text, names))
    elif len({item.rank for item in tables}) > 1:
        out.append(Notice("ranks-summed", f"operators and times are sums over {len(tables)} tables", names))
    return out
