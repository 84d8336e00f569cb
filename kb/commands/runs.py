"""List and show the runs that were kept.

Examples:
  kb runs list
  kb runs show 4be1c0ff
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from kb import units
from kb.commands._console import Common, show
from kb.commands._reports import FORMATS, print_reports
from kb.report.catalogue import say
from kb.report.page import Page, Table
from kb.report.text import clean, shorten

if TYPE_CHECKING:
    from kb.store.runs import RunSummary

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
    from kb.model import to_dict
    from kb.store.database import location
    from kb.store.runs import list_runs

    found = list_runs(db=common.db or None, limit=limit)
    rows: list[dict[str, Any]] = [to_dict(item) for item in found]
    page = _page(found, str(location(common.db or None)), common.lang)
    show(common, page, {"schema": "kb.runs/1", "runs": rows}, rows)
    return 0


def _page(found: list[RunSummary], where: str, lang: str) -> Page:
    if not found:
        return Page(say("runs.none", lang), note=where, lang=lang)
    heads = ("runs.id", "runs.created", "label.target", "label.time", "runs.headline")
    table = Table(tuple(say(head, lang) for head in heads), tuple(map(_cells, found)), frozenset({3}))
    return Page(say("runs.count", lang, count=len(found), db=where), (table,), lang=lang)


def _cells(run: RunSummary) -> tuple[str, ...]:
    return (
        run.id,
        run.created.replace("T", " ").removesuffix("+00:00"),
        _end(run.target),
        "" if run.total_us is None else units.us(run.total_us),
        shorten(clean(run.headline), HEADLINE),
    )


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
