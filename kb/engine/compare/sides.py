"""One side of a comparison: a report's operators, equal ones merged, ready to be paired."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from kb import operators
from kb.addition import plain_sum
from kb.measured import Measured
from kb.model import OperatorRef, Report


@dataclass(frozen=True, slots=True)
class Side:
    """A run to compare; `kernels` says that it is a capture of kernels and not the export of a whole run.

    Random fills and what belongs to them are left out of `rows` and of `total_us`. `rough`: the report holds only its largest operators and their times (it was kept by an earlier version, or read
    from a file), so nothing else can be told.
    """

    report: Report
    rows: tuple[Measured, ...]
    total_us: float | None
    kernels: bool
    rough: bool


def side(report: Report) -> Side:
    """The side that a report makes."""
    rough = not report.measured
    rows = report.measured or tuple(_from_ref(ref) for ref in report.operators if ref.time_us is not None)
    kernels = report.capture.tool.startswith("msopprof") or report.capture.tool == "typed in"
    work = [row for row in rows if not row.setup]
    setup_us = plain_sum(row.total_us for row in rows if row.setup)
    total = None if report.total_us is None else max(0.0, report.total_us - setup_us)
    return Side(report, _merged(work), total, kernels, rough)


def alike(before: Side, after: Side) -> tuple[Side, Side]:
    """Both sides with operators of one type taken together, where either of them carries no shapes at all."""
    if before.kernels or after.kernels:
        return before, after
    if all(any(row.shapes for row in one.rows) for one in (before, after)):
        return _without_ranges(before), _without_ranges(after)
    return _by_type(before), _by_type(after)


def _without_ranges(one: Side) -> Side:
    """Collectives carry no shapes: of different sizes side by side the range is no noise."""
    rows = (
        row if row.shapes or row.core != "communication" else replace(row, low_us=None, high_us=None)
        for row in one.rows
    )
    return replace(one, rows=tuple(rows))


def _by_type(one: Side) -> Side:
    groups: dict[str, list[Measured]] = {}
    for row in one.rows:
        kind = plain_type(row)
        groups.setdefault(kind, []).append(
            replace(row, type=kind, shapes="", dtypes="", formats="", low_us=None, high_us=None)
        )
    merged = [_merge(rows) for rows in groups.values()]
    rows = sorted(merged, key=lambda row: (-row.total_us, row.name))
    # Means of different shapes side by side: their range is no noise.
    return replace(one, rows=tuple(replace(row, low_us=None, high_us=None) for row in rows))


def plain_type(row: Measured) -> str:
    """The type without the number that a model gives its nodes: exports without shapes have it from the name."""
    kind = row.type or row.name
    plain = kind.rstrip("0123456789")
    return plain if plain != kind and operators.is_known(plain) and not operators.is_known(kind) else kind


def key(row: Measured) -> tuple[str, ...]:
    """What makes two groups of launches the same work; a kernel without a type goes by its name."""
    return (row.type or row.name, row.core, row.shapes, row.dtypes, row.formats)


def _merged(rows: Iterable[Measured]) -> tuple[Measured, ...]:
    groups: dict[tuple[str, ...], list[Measured]] = {}
    for row in rows:
        # Without shapes the name is all that tells kernels of one type apart.
        groups.setdefault((*key(row), "" if row.shapes else row.name), []).append(row)
    merged = [_merge(group) for group in groups.values()]
    return tuple(sorted(merged, key=lambda row: (-row.total_us, row.name, row.shapes)))


def _merge(rows: Sequence[Measured]) -> Measured:
    if len(rows) == 1:
        return rows[0]
    count, total = sum(row.count for row in rows), plain_sum(row.total_us for row in rows)
    lows = [row.mean_us if row.low_us is None else row.low_us for row in rows]
    highs = [row.mean_us if row.high_us is None else row.high_us for row in rows]
    shared = set(rows[0].readings).intersection(*(row.readings for row in rows[1:]))
    readings = {
        name: plain_sum(row.readings[name] * row.count for row in rows) / count
        for name in rows[0].readings
        if name in shared
    }
    largest = max(rows, key=lambda row: row.total_us)
    return replace(
        largest,
        count=count, total_us=total, mean_us=total / count if count else largest.mean_us,
        low_us=min(lows), high_us=max(highs), readings=readings,
    )  # fmt: skip


def _from_ref(ref: OperatorRef) -> Measured:
    time = ref.time_us or 0.0
    return Measured(
        ref.name, ref.type, ref.core, ref.count, time / max(1, ref.count), time, shapes=ref.shapes
    )
