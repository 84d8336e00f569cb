"""`kb report`: a kept run once more, in any format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kb.commands import _options
from kb.commands._console import Common, say, screen_width
from kb.commands._files import write_file
from kb.commands._reports import FORMATS, print_reports
from kb.report.translated import in_language
from kb.textfile import STDIN as STDOUT  # both are `-`

__all__ = ["FORMATS", "ORDER", "PANEL", "run"]

PANEL, ORDER = "Runs", 1


def run(
    common: Common,
    run_id: Annotated[str, typer.Argument(metavar="RUN", help="Id of a kept run, or the beginning of it.")],
    output: Annotated[
        Path | None,
        _options.output(
            help="Write here; the ending (.html, .md, .json, .jsonl, .txt) says which format; - is standard output."
        ),
    ] = None,
) -> int:
    """Show a kept run again, in any format.

    Exit status: 0 printed, 2 no such run.

    Examples:
      kb report 4be1c0ff -o report.html
      kb report 4be1c0ff --format markdown -o -
    """
    from kb.kept import load
    from kb.report import views

    report = load(run_id, db=common.db or None)
    if output is None or output == STDOUT:
        print_reports(common, [report])
        return 0
    name = common.format if common.asked and common.format != "text" else views.view_for(output).NAME
    write_file(
        output,
        views.render(
            name, [in_language(report, common.lang)], lang=common.lang, width=screen_width(), color=False
        ),
    )
    say(common, f"wrote {output}")
    return 0
