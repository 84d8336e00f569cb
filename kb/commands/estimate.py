"""`kb estimate`: operator times from shapes, before there is a device."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kb.commands import _options
from kb.commands._calibration import keep, kept_scales
from kb.commands._console import Common, emit, say
from kb.errors import UsageError
from kb.textfile import STDIN

if TYPE_CHECKING:
    from kb.engine.estimate.rows import Row
    from kb.engine.estimate.scales import Scales

PANEL, ORDER = "Main job", 4
FORMATS = ("text", "jsonl")  # a stream for programs: both print one JSON line a row


def run(
    common: Common,
    operators: Annotated[
        Path | None,
        typer.Argument(
            metavar="OPS.tsv",
            show_default=False,
            help="Operators, one a line: op_type, in_shapes, in_dtypes, in_formats, out_shapes, ...; - is standard input.",
        ),
    ] = None,
    soc: Annotated[str, _options.soc(help="Chip of the rows that name none, such as Ascend910B2.")] = "",
    calibrate: Annotated[
        Path | None,
        typer.Option(
            "--calibrate",
            metavar="PROFILE",
            show_default=False,
            help="Instead of a table: fit the classes to a profile of this chip, and keep the factors for later.",
        ),
    ] = None,
    uncalibrated: _options.Uncalibrated = False,
) -> int:
    """Estimate how long operators take on a chip, from their shapes alone.

    Reads a table with tab-separated columns and prints one JSON line a row: chip, op_type, low_us, mid_us, high_us,
    bound and basis, or not_estimated with the reason. The time is that of the kernel on the device; the range holds
    about six calls in seven on chips whose timings are public, and is an assumption on the others.

    Columns: chip, op_type, in_shapes (2,3;4 or (2,3);(4) or [[2,3],[4]]), in_dtypes, in_formats, out_shapes,
    out_dtypes, out_formats, core, block_dim, attrs, groups, kind. Only op_type has to be there; others are ignored.

    With --calibrate, one JSON line a class: the median of measured over estimated time. It is kept beside the run
    store and used for that chip from then on; --uncalibrated leaves it out.

    Exit status: 0 done, 2 unknown --soc, 3 the table or profile cannot be read, 5 it has no rows, or no kernels to
    calibrate on.

    Examples:
      kb estimate ops.tsv --soc Ascend310P3
      kb estimate ops.tsv > times.jsonl
      my_tool | kb estimate - --soc Ascend910B2
      kb estimate --calibrate op_summary.csv --soc Ascend310P3
    """
    from kb.commands._reports import stated_soc

    if (operators is None) == (calibrate is None):
        raise UsageError(
            "give a table, or --calibrate PROFILE", now="For example: kb estimate ops.tsv --soc Ascend310P3"
        )
    soc = stated_soc(soc)
    if calibrate is not None:
        return keep(common, calibrate, soc)
    assert operators is not None  # noqa: S101 - one of the two was given
    return _table(common, operators, soc, uncalibrated=uncalibrated)


def _table(common: Common, operators: Path, soc: str, *, uncalibrated: bool) -> int:
    from kb.errors import NothingToJudge
    from kb.report.dump import dumps

    if (
        operators != STDIN and operators.is_file()
    ):  # a pipe can be read only once; a file is checked whole before the first answer
        for row in _rows(operators, soc):
            _chip(row, soc)
    count = missing = 0
    known: dict[str, Scales | None] = {}
    for row in _rows(operators, soc):
        chip = _chip(row, soc)
        if chip.id not in known:
            known[chip.id] = None if uncalibrated else kept_scales(common, chip.id)
        answer = _answer(row, chip, row.chip or soc, known[chip.id])
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


def _answer(row: Row, chip: Any, name: str, scales: Scales | None) -> dict[str, Any]:
    from kb.engine.estimate import NotEstimated, estimate

    found = estimate(row.spec, chip, scales=scales)
    head: dict[str, Any] = {"chip": name, "op_type": row.spec.type}
    if isinstance(found, NotEstimated):
        return {**head, "not_estimated": found.reason}
    times = {"low_us": found.low_us, "mid_us": found.mid_us, "high_us": found.high_us}
    return {
        **head,
        **{name: round(value, 3) for name, value in times.items()},
        "bound": found.bound,
        "basis": found.basis,
    }
