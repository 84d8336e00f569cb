"""List, show, export, delete and query the runs that were kept.

Examples:
  kb runs list
  kb runs show last
  kb runs export last -o operators.csv
  kb runs sql "select type, time_us, share from type_times order by time_us desc"
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Annotated

import typer

from kb.commands import _options
from kb.commands._console import PAGE_FORMATS, Common, emit, show
from kb.commands._console import say as remark_on
from kb.commands._files import whole_file
from kb.commands._reports import FORMATS, print_reports
from kb.errors import UsageError
from kb.report.catalogue import say
from kb.report.page import Page

__all__ = ["COMMANDS", "FORMATS", "FORMATS_OF", "ORDER", "PANEL"]

PANEL, ORDER = "Runs", 2


def _list(
    common: Common,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, metavar="N", help="At most this many, the newest.")
    ] = 50,
) -> int:
    """List the runs that were kept, the newest first.

    Exit status: 0 printed, 3 the store cannot be read.

    Examples:
      kb runs list
      kb runs list -n 5 --format json
    """
    from kb.report.runs import runs_document, runs_page
    from kb.store.database import location
    from kb.store.runs import list_runs

    found = list_runs(db=common.db or None, limit=limit)
    document = runs_document(found)
    page = runs_page(found, str(location(common.db or None)), common.lang)
    show(common, page, document, document["runs"])
    return 0


def _show(
    common: Common,
    run_id: Annotated[str, typer.Argument(metavar="RUN", help="Id of a kept run, or the beginning of it.")],
) -> int:
    """Show the report of a kept run.

    Exit status: 0 printed, 2 no such run.

    Examples:
      kb runs show 4be1c0ff
      kb runs show 4be1c0ff --format json
    """
    from kb.kept import load

    report = load(run_id, db=common.db or None)
    print_reports(common, [report])
    return 0


def _export(
    common: Common,
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RUN...]",
            show_default=False,
            help="Ids of kept runs, or the beginning of one; none: all.",
        ),
    ] = None,
    *,
    table: Annotated[
        str,
        typer.Option(
            "--table", "-t", metavar="NAME", help="What to export: a view or table of docs/database.md."
        ),
    ] = "operator_times",
    output: Annotated[
        Path | None,
        _options.output(help="Write here; the ending (.csv, .json, .jsonl, .parquet) says which format."),
    ] = None,
) -> int:
    """Export rows of kept runs as CSV, JSON, JSON Lines or Parquet.

    Parquet needs pyarrow and a file (-o). In CSV, a text that a spreadsheet would run as a formula gets an
    apostrophe in front.

    Exit status: 0 written, 2 no such run.

    Examples:
      kb runs export last -o operators.csv
      kb runs export --table bottlenecks --format json
      kb runs export --table run_overview -o runs.parquet
    """
    from kb.store import export
    from kb.store.runs import find_runs

    form = _form(common.format, output)
    found = find_runs(runs or (), db=common.db or None)
    with export.exported(table, found, db=common.db or None) as (columns, rows):
        if output is None:
            text = io.StringIO()
            export.TEXT[form](text, columns, rows)
            emit(text.getvalue())
            return 0
        with whole_file(output) as part:
            if form == "parquet":
                export.write_parquet(part, columns, rows)
            else:
                with part.open("w", encoding="utf-8", errors="replace", newline="") as stream:
                    export.TEXT[form](stream, columns, rows)
    remark_on(common, say("export.wrote", common.lang, file=output))
    return 0


def _form(asked: str, output: Path | None) -> str:
    """The format of an export: the one asked for, else what the ending says."""
    from kb.store.export import FORMATS as KNOWN

    ending = output.suffix.lower().removeprefix(".") if output else ""
    form = ending if output and asked == "csv" and ending in KNOWN else asked
    if output and ending and ending not in KNOWN and asked == "csv":
        endings = ", ".join(f".{name}" for name in KNOWN)
        raise UsageError(
            f"the ending .{ending} names no format", where=f"-o {output}", now=f"Use one of {endings}."
        )
    if output is None and form == "parquet":
        raise UsageError("Parquet is no text", where="--format parquet", now="Give a file with -o.")
    return form


def _delete(
    common: Common,
    runs: Annotated[
        list[str], typer.Argument(metavar="RUN...", help="Ids of kept runs, or the beginning of one.")
    ],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask, even on a terminal.")] = False,
) -> int:
    """Delete kept runs, all of those named or none.

    Asks first on a terminal. The profiles themselves are left alone.

    Exit status: 0 deleted, 2 one of them is not there (then none is).

    Examples:
      kb runs delete 4be1c0ff --yes
    """
    from kb.store.runs import delete_runs, find_runs

    found = find_runs(runs, db=common.db or None)
    if not yes and sys.stdin.isatty():
        typer.confirm(say("runs.delete", common.lang, runs=", ".join(found)), abort=True, err=True)
    gone = delete_runs(found, db=common.db or None)
    page = Page(say("runs.deleted", common.lang, count=len(gone), runs=", ".join(gone)), lang=common.lang)
    show(common, page, {"schema": "kb.runs.deleted/1", "deleted": list(gone)}, [{"id": run} for run in gone])
    return 0


def _sql(
    common: Common,
    sql: Annotated[str, typer.Argument(metavar="SQL", help="One select; - reads it from stdin.")],
    *,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, metavar="N", help="At most this many rows.")
    ] = 1000,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.01, max=3600, metavar="SECONDS", help="At most this long.")
    ] = 10.0,
) -> int:
    """Ask the store in SQL, read-only.

    Tables and views are described in docs/database.md; any tool that opens SQLite files can be pointed at the file
    too (`kb runs list` names it).

    Exit status: 0 answered, 2 no query that only reads.

    Examples:
      kb runs sql "select type, time_us, share from type_times order by time_us desc limit 5"
      kb runs sql "select pattern, runs from bottleneck_history order by runs desc" --format json
    """
    from kb.report.rows import rows_page
    from kb.store.query import query

    text = sys.stdin.read() if sql == "-" else sql
    found = query(text, db=common.db or None, rows=limit, seconds=seconds)
    rows = [dict(zip(found.columns, row, strict=False)) for row in found.rows]
    document = {"schema": "kb.runs.sql/1", "columns": list(found.columns), "rows": rows, "cut": found.cut}
    show(common, rows_page(found, common.lang), document, rows)
    return 0


COMMANDS = {"list": _list, "show": _show, "export": _export, "delete": _delete, "sql": _sql}
FORMATS_OF = {
    "list": PAGE_FORMATS,
    "export": ("csv", "json", "jsonl", "parquet"),
    "delete": PAGE_FORMATS,
    "sql": PAGE_FORMATS,
}
