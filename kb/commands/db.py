"""Look after the store: what it holds, copying it, and a team's database.

Examples:
  kb db status
  kb db copy ~/.local/share/kb/kb.db postgresql://kb@db.example/kb
  kb db publish --db postgresql://kb@db.example/kb
  kb db grant analyst --db postgresql://kb@db.example/kb
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from kb.commands._console import Common, say, show
from kb.commands._progress import counted, working
from kb.errors import UsageError
from kb.report.catalogue import say as text
from kb.report.page import Fields, Page, Table

PANEL, ORDER = "Upkeep", 11


def _status(common: Common) -> int:
    """Say what the store is, which schema it has, what it holds and what this role may do.

    Exit status: 0 told, 3 it cannot be reached or understood.

    Examples:
      kb db status
      kb db status --db postgresql://kb@db.example/kb --format json
    """
    from kb.store.status import status

    found = status(common.db or None)
    fields = tuple(
        (text(f"db.{name}", common.lang), _told(found[name], common.lang))
        for name in (
            "kind",
            "version",
            "pgvector",
            "role",
            "may_write",
            "schema",
            "newest",
            "entries",
            "model",
        )
        if name in found
    )
    blocks: list[Any] = [Fields(fields)]
    if "rows" in found:
        heads = (text("db.table", common.lang), text("db.rows", common.lang))
        cells = tuple((name, str(count)) for name, count in found["rows"].items())
        blocks.append(Table(heads, cells, frozenset({1})))
    note = ""
    if copy := found.get("unfinished_copy"):
        note = text("db.unfinished", common.lang, done=copy["done"], runs=copy["runs"], source=copy["source"])
    show(
        common,
        Page(found["place"], tuple(blocks), note=note, lang=common.lang),
        {"schema": "kb.db/1", "store": found},
    )
    return 0


def _told(value: Any, lang: str) -> str:
    return text("db.yes" if value else "db.no", lang) if isinstance(value, bool) else str(value)


def _copy(
    common: Common,
    source: Annotated[str, typer.Argument(metavar="SRC", help="A store: a file, or postgresql://…")],
    destination: Annotated[str, typer.Argument(metavar="DST", help="The store that gets what SRC has.")],
) -> int:
    """Copy runs and outcomes from one store to another, of either kind, and compare every table.

    What is there already stays. A copy that was interrupted goes on when the command is given again; until it is complete
    the destination says so.

    Exit status: 0 all is there, 1 the tables differ in the end, 3 a store cannot be reached or understood.

    Examples:
      kb db copy ~/.local/share/kb/kb.db postgresql://kb@db.example/kb
      kb db copy postgresql://kb@db.example/kb copy.db
    """
    from kb.store.copying import copy

    with counted(common, "copying runs") as update:
        found = copy(source, destination, progress=update and (lambda done, of: update(done, done / of)))
    rows = [
        {"table": table.table, "rows": table.rows, "arrived": table.arrived, "equal": table.equal}
        for table in found.tables
    ]
    document = {
        "schema": "kb.db.copy/1", "runs": found.runs, "outcomes": found.outcomes, "complete": found.complete, "tables": rows,
    }  # fmt: skip
    heads = tuple(text(name, common.lang) for name in ("db.table", "db.rows", "db.arrived", "db.equal"))
    cells = tuple(
        (row.table, str(row.rows), str(row.arrived), _told(row.equal, common.lang)) for row in found.tables
    )
    title = "db.copied" if found.complete else "db.differs"
    page = Page(
        text(title, common.lang, runs=found.runs, outcomes=found.outcomes),
        (Table(heads, cells, frozenset({1, 2})),),
        lang=common.lang,
    )
    show(common, page, document, rows)
    return 0 if found.complete else 1


def _publish(common: Common) -> int:
    """Put the knowledge of this installation, and your own entries, into a team's database.

    It takes the place of the knowledge there; whoever searches sees the old or the new.

    Exit status: 0 published, 2 --db names no server, 3 it cannot be reached or written.

    Examples:
      kb db publish --db postgresql://kb@db.example/kb
    """
    from kb.knowledge.publish import publish
    from kb.knowledge.store import local
    from kb.store.status import server_only

    with working(common, "publishing the knowledge"):
        found = publish(local(), server_only(common.db or None))
    rows = [{"table": table, "rows": count} for table, count in found.rows.items()]
    heads = (text("db.table", common.lang), text("db.rows", common.lang))
    table = Table(heads, tuple((name, str(count)) for name, count in found.rows.items()), frozenset({1}))
    page = Page(text("db.published", common.lang, count=found.entries), (table,), lang=common.lang)
    show(common, page, {"schema": "kb.db.publish/1", "entries": found.entries, "tables": rows}, rows)
    return 0


def _fetch(
    common: Common,
    path: Annotated[Path, typer.Argument(metavar="FILE", help="Where the index is written.")],
) -> int:
    """Write the knowledge of a team's database as an index file, which KB_INDEX can name.

    Exit status: 0 written, 2 the file is there already or --db names no server, 3 the server cannot be reached.

    Examples:
      kb db fetch team.db --db postgresql://kb@db.example/kb
    """
    from kb.knowledge import chosen
    from kb.knowledge.publish import fetch
    from kb.store.status import server_only

    place = server_only(common.db or None)
    if path.exists():
        raise UsageError(
            "this file is there already", where=str(path), now="Give another name, or move it away."
        )
    try:
        with working(common, "fetching the knowledge"):
            count = fetch(place, path, chosen.encoder(chosen.name()))
    except OSError as fault:
        raise UsageError(
            f"cannot be written: {fault.strerror or fault}", where=str(path), now="Give another name."
        ) from fault
    page = Page(text("db.fetched", common.lang, count=count, path=str(path)), lang=common.lang)
    show(common, page, {"schema": "kb.db.fetch/1", "entries": count, "path": str(path)})
    return 0


def _migrate(common: Common) -> int:
    """Bring the schema of the store up to date; on a server only its owner can, once everybody has this version.

    Exit status: 0 it is up to date, 3 it cannot be reached or written.

    Examples:
      kb db migrate --db postgresql://kb@db.example/kb
    """
    from kb.store.status import migrate

    newest = migrate(common.db or None)
    page = Page(text("db.migrated", common.lang, step=newest), lang=common.lang)
    show(common, page, {"schema": "kb.db.migrate/1", "newest": newest})
    return 0


def _grant(
    common: Common,
    role: Annotated[
        str, typer.Argument(metavar="ROLE", help="Name of the role; it is made where it is missing.")
    ],
) -> int:
    """Let a role read runs, outcomes and knowledge, and write nothing.

    Exit status: 0 granted, 2 --db names no server, 3 it cannot be reached or this role may not grant.

    Examples:
      kb db grant analyst --db postgresql://kb@db.example/kb
    """
    from kb.knowledge.publish import grant_knowledge
    from kb.store.status import grant, server_only

    made = grant(role, common.db or None)
    grant_knowledge(server_only(common.db or None), role)
    page = Page(text("db.granted", common.lang, role=role), lang=common.lang)
    show(common, page, {"schema": "kb.db.grant/1", "role": role, "made": made})
    if made:
        say(
            common,
            f"{role} was made without a password: set one (\\password {role} in psql), or let pg_hba.conf say how it logs in",
        )
    return 0


COMMANDS = {
    "status": _status, "copy": _copy, "publish": _publish, "fetch": _fetch, "migrate": _migrate, "grant": _grant,
}  # fmt: skip
