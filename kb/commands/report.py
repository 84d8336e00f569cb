"""`kb report`: a kept run once more, in any format."""

from __future__ import annotations

from typing import Annotated

import typer

from kb.commands import _options
from kb.commands._console import Common
from kb.commands._reports import FORMATS, give_reports

__all__ = ["FORMATS", "ORDER", "PANEL", "run"]

PANEL, ORDER = "Runs", 1


def run(
    common: Common,
    run_id: Annotated[str, typer.Argument(metavar="RUN", help="Id of a kept run, or the beginning of it.")],
    output: _options.ReportFile = None,
) -> int:
    """Show a kept run again, in any format.

    Exit status: 0 printed, 2 no such run.

    Examples:
      kb report 4be1c0ff -o report.html
      kb report 4be1c0ff --format markdown -o -
    """
    from kb.kept import load

    give_reports(common, [load(run_id, db=common.db or None)], output)
    return 0
