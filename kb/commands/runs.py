"""List and show the runs that were kept.

Examples:
  kb runs list
  kb runs show 4be1c0ff
"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from kb import units
from kb.commands._common import Common, show
from kb.commands._reports import FORMATS, print_reports
from kb.report.catalogue import say
from kb.report.page import Page, Table
from kb.report.text import clean, shorten

__all__ = ["COMMANDS", "FORMATS", "ORDER", "PANEL"]

PANEL, ORDER = "Runs", 2
HEADLINE, TARGET = 60, 32  # columns of a line in the list; the other formats have all of it


def _list(
    common: Common,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, metavar="N", help="At most this many, the newest.")
    ] = 50,
) -> int:
    """List the runs that were kept, the newest first.

    Examples:
      kb runs list
      kb runs list -n 5 --format json
    """
    from kb.store.database import location
    from kb.store.runs import list_runs

    found = list_runs(db=common.db or None, limit=limit)
    rows: list[dict[str, Any]] = [
        {"id": item.id, "created": item.created, "target": item.target, "soc": item.soc, "total_us": item.total_us,
         "headline": item.headline}
        for item in found
    ]  # fmt: skip
    where = str(location(common.db or None))
    if not found:
        page = Page(say("runs.none", common.lang), note=where, lang=common.lang)
    else:
        heads = tuple(
            say(key, common.lang)
            for key in ("runs.id", "runs.created", "label.target", "label.time", "runs.headline")
        )
        cells = tuple(
            (
                item.id,
                item.created.replace("T", " ").removesuffix("+00:00"),
                _end(item.target),
                "" if item.total_us is None else units.us(item.total_us),
                shorten(clean(item.headline), HEADLINE),
            )
            for item in found
        )
        title = say("runs.count", common.lang, count=len(found), db=where)
        page = Page(title, (Table(heads, cells, frozenset({3})),), lang=common.lang)
    show(common, page, {"schema": "kb.runs/1", "runs": rows}, rows)
    return 0


def _show(
    common: Common,
    run_id: Annotated[str, typer.Argument(metavar="RUN", help="Id of a kept run, or the beginning of it.")],
) -> int:
    """Show the report of a kept run.

    Examples:
      kb runs show 4be1c0ff
      kb runs show 4be1c0ff --format json
    """
    from kb.report.load import report_from_dict
    from kb.store.runs import load_run

    report = report_from_dict(load_run(run_id, db=common.db or None), where=f"run {run_id}")
    print_reports(common, [report])
    return 0


def _end(path: str) -> str:
    """The end of a path, which tells runs apart."""
    return path if len(path) <= TARGET else "…" + path[1 - TARGET :]


COMMANDS = {"list": _list, "show": _show}
