"""`kb outcome`: what was applied and what it gave, kept beside the published figures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kb.commands._console import Common, say, show
from kb.errors import SourceError, UsageError

if TYPE_CHECKING:
    from kb.experience import Outcome
    from kb.model import Entry

PANEL, ORDER = "Runs", 3


def run(
    common: Common,
    before: Annotated[
        str | None,
        typer.Argument(
            metavar="RUN_BEFORE", show_default=False, help="The earlier run: id of a kept run, or a profile."
        ),
    ] = None,
    after: Annotated[
        str | None,
        typer.Argument(metavar="RUN_AFTER", show_default=False, help="The run with the change applied."),
    ] = None,
    applied: Annotated[
        str,
        typer.Option("--applied", metavar="ID", show_default=False, help="The entry whose advice was applied."),
    ] = "",
    soc: Annotated[
        str,
        typer.Option("--soc", metavar="SOC", show_default=False, help="Chip that both profiles ran on."),
    ] = "",
    export: Annotated[
        Path | None,
        typer.Option(
            "--export",
            metavar="DIR",
            show_default=False,
            help="Write the outcomes as entries for other teams, without names or paths.",
        ),
    ] = None,
    take: Annotated[
        Path | None,
        typer.Option("--import", metavar="PATH", show_default=False, help="Take outcomes that another team exported."),
    ] = None,
    forget: Annotated[
        str,
        typer.Option("--forget", metavar="ID", show_default=False, help="Delete an outcome that was a mistake."),
    ] = "",
) -> int:  # fmt: skip
    """Keep what was applied and what it gave; without runs, list it.

    Outcomes stand beside the published figures in `kb show`, and shift the expected gain by their number. A remedy
    that failed twice here stands last in later reports, and the report says so. Runs that cannot be compared give
    no outcome.

    Exit status: 0 kept or listed, 2 an unknown entry or run, 3 a file to import cannot be read, 5 the two runs cannot be compared.

    Examples:
      kb outcome 4be1c0ff 77aa01bc --applied vector-larger-copies
      kb outcome
      kb outcome --export outcomes/
      kb outcome --import outcomes/
    """
    chosen = [
        name
        for name, given in (
            ("RUN_BEFORE", before),
            ("--export", export),
            ("--import", take),
            ("--forget", forget),
        )
        if given
    ]
    if len(chosen) > 1:
        raise UsageError(f"{' and '.join(chosen)} at once", now="Do one thing at a time.")
    if export is not None:
        return _export(common, export)
    if take is not None:
        return _import(common, take)
    if forget:
        return _forget(common, forget)
    if before is None:
        return _list(common)
    if after is None or not applied:
        raise _missing(before, after)
    return _keep(common, before, after, applied, soc)


def _missing(before: str, after: str | None) -> UsageError:
    """What has to be given besides, and where it is found."""
    if after is None:
        return UsageError("RUN_AFTER is missing", now="kb outcome RUN_BEFORE RUN_AFTER --applied ID")
    now = f"Give the entry that was applied: kb advise and kb report name it with each advice ({_report_of(before)}), kb list names all."
    return UsageError("--applied ID is missing", now=now)


def _report_of(run: str) -> str:
    """The command that shows the advice of a run: a kept one, or a profile."""
    return f"kb advise {run}" if Path(run).exists() else f"kb report {run}"


def _keep(common: Common, before: str, after: str, applied: str, soc: str) -> int:
    from kb.commands._outcomes import measured_outcome
    from kb.model import to_dict
    from kb.report.outcomes import kept_page, tried_document
    from kb.store import outcomes

    entry, outcome, _, _ = measured_outcome(common, before, after, applied, soc)
    outcomes.keep([outcome], db=common.db or None)
    all_of_entry = outcomes.load(entry.id, db=common.db or None)
    document = {"schema": "kb.outcome/1", "outcome": to_dict(outcome), "tried": tried_document(all_of_entry)}
    show(common, kept_page(outcome, entry, all_of_entry, common.lang), document)
    return 0


def _list(common: Common) -> int:
    from kb.model import to_dict
    from kb.report.outcomes import list_page
    from kb.store.outcomes import load

    found = load(db=common.db or None)
    rows = [to_dict(item) for item in found]
    show(common, list_page(found, common.lang), {"schema": "kb.outcomes/1", "outcomes": rows}, rows)
    return 0


def _export(common: Common, folder: Path) -> int:
    from kb.commands._files import write_file
    from kb.knowledge.entry import FOLDERS
    from kb.knowledge.outcomes import exported, text_of
    from kb.knowledge.store import load_entries
    from kb.report.catalogue import say as text
    from kb.report.page import Items, Page
    from kb.store.outcomes import load

    made = exported(load(db=common.db or None), load_entries())
    if not made:
        raise UsageError(
            "there is no outcome to export", now="Keep one: kb outcome RUN_BEFORE RUN_AFTER --applied ID"
        )
    place = folder / FOLDERS["case"]
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise UsageError(
            f"cannot be written: {fault.strerror}", where=str(place), now="Give another folder."
        ) from fault
    paths = [place / f"{entry.id}.md" for entry in made]
    for entry, path in zip(made, paths, strict=True):
        write_file(path, text_of(entry))
    page = Page(
        text("outcome.exported", common.lang, count=len(made)),
        (Items(tuple(map(str, paths))),),
        lang=common.lang,
    )
    show(common, page, {"schema": "kb.outcome-export/1", "files": [str(path) for path in paths]})
    return 0  # fmt: skip


def _import(common: Common, path: Path) -> int:
    from kb.knowledge.outcomes import imported
    from kb.knowledge.store import load_entries
    from kb.report.catalogue import say as text
    from kb.report.page import Page
    from kb.store.outcomes import keep

    if not path.exists():
        raise SourceError("no such file or folder", where=str(path), now="Check the path.")
    entries = load_entries()
    found = imported(path)
    known = [item for item in found if item.entry in entries]
    _tell_unknown(common, found, entries)
    added = keep(known, db=common.db or None)
    page = Page(text("outcome.imported", common.lang, count=added, found=len(found)), lang=common.lang)
    show(common, page, {"schema": "kb.outcome-import/1", "found": len(found), "added": added})
    return 0


def _tell_unknown(common: Common, found: list[Outcome], entries: dict[str, Entry]) -> None:
    names = sorted({item.entry for item in found if item.entry not in entries})
    if names:
        say(common, f"left out: no entry here is called {', '.join(names[:5])}")


def _forget(common: Common, outcome: str) -> int:
    from kb.model import to_dict
    from kb.report.catalogue import say as text
    from kb.report.page import Page
    from kb.store.outcomes import forget

    found = forget(outcome, db=common.db or None)
    page = Page(text("outcome.forgotten", common.lang, id=found.id, entry=found.entry), lang=common.lang)
    show(common, page, {"schema": "kb.outcome/1", "outcome": to_dict(found)})
    return 0
