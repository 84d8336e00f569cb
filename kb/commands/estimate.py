"""`kb estimate`: operator times from shapes, before there is a device."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kb.commands._console import Common, emit, say
from kb.textfile import STDIN

if TYPE_CHECKING:
    from kb.engine.estimate.rows import Row

PANEL, ORDER = "Main job", 4
FORMATS = ("text", "jsonl")  # a stream for programs: both print one JSON line a row


def run(
    common: Common,
    operators: Annotated[
        Path,
        typer.Argument(
            metavar="OPS.tsv",
            show_default=False,
            help="Operators, one a line: op_type, in_shapes, in_dtypes, in_formats, out_shapes, ...; - is standard input.",
        ),
    ],
    soc: Annotated[
        str,
        typer.Option(
            "--soc",
            metavar="SOC",
            show_default=False,
            help="Chip of the rows that name none, such as Ascend910B2.",
        ),
    ] = "",
) -> int:
    """Estimate how long operators take on a chip, from their shapes alone.

    Reads a table with tab-separated columns and prints one JSON line a row: chip, op_type, low_us, mid_us, high_us,
    bound and basis, or not_estimated with the reason. The time is that of the kernel on the device; the range holds
    about six calls in seven on chips whose timings are public, and is an assumption on the others.

    Columns: chip, op_type, in_shapes (2,3;4 or [[2,3],[4]]), in_dtypes, in_formats, out_shapes, out_dtypes,
    out_formats, core, block_dim, attrs, kind. Only op_type has to be there; others are ignored.

    Exit status: 0 done, 2 unknown --soc, 3 the table cannot be read, 5 it has no rows.

    Examples:
      kb estimate ops.tsv --soc Ascend310P3
      kb estimate ops.tsv > times.jsonl
      my_tool | kb estimate - --soc Ascend910B2
    """
    from kb import settings
    from kb.errors import NothingToJudge
    from kb.report.dump import dumps

    soc = soc or settings.value("soc")
    if (
        operators != STDIN and operators.is_file()
    ):  # a pipe can be read only once; a file is checked whole before the first answer
        for row in _rows(operators, soc):
            _chip(row, soc)
    count = missing = 0
    for row in _rows(operators, soc):
        answer = _answer(row, soc)
        emit(dumps(answer, indent=None))
        count, missing = count + 1, missing + ("not_estimated" in answer)
    sys.stdout.flush()
    if not count:
        raise NothingToJudge(
            "no rows", where=str(operators), now="Write one operator a line below the header."
        )
    if missing:
        say(common, f"{missing} of {count} operators not estimated; each says why")
    return 0


def _rows(path: Path, soc: str) -> Iterator[Row]:
    from kb import targets
    from kb.engine.estimate.rows import read_rows

    if soc:
        targets.typical(soc)
    yield from read_rows(path)


def _chip(row: Row, soc: str) -> Any:
    """The chip of a row; a fault in it is the table's fault and names the line."""
    from kb import targets
    from kb.errors import SourceError, UsageError

    if not row.chip and not soc:
        raise SourceError(
            "the row names no chip", where=row.where, now="Fill the column chip, or give --soc SOC."
        )
    try:
        return targets.typical(row.chip or soc)
    except UsageError as fault:
        raise SourceError(fault.what, where=row.where, now=fault.now) from fault


def _answer(row: Row, soc: str) -> dict[str, Any]:
    from kb.engine.estimate import NotEstimated, estimate

    found = estimate(row.spec, _chip(row, soc))
    head: dict[str, Any] = {"chip": row.chip or soc, "op_type": row.spec.type}
    if isinstance(found, NotEstimated):
        return {**head, "not_estimated": found.reason}
    times = {"low_us": found.low_us, "mid_us": found.mid_us, "high_us": found.high_us}
    return {
        **head,
        **{name: round(value, 3) for name, value in times.items()},
        "bound": found.bound,
        "basis": found.basis,
    }
