"""Draft a case of your own from what was measured.

Examples:
  kb case from-compare 4be1c0ff 77aa01bc --applied vector-larger-copies --into my-entries
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from kb.commands._console import Common, emit, show
from kb.commands.new import folder_for, free_id, write_new

PANEL, ORDER = "Knowledge base", 6


def _from_compare(
    common: Common,
    before: Annotated[
        str, typer.Argument(metavar="BEFORE", help="The earlier run: id of a kept run, or a profile.")
    ],
    after: Annotated[str, typer.Argument(metavar="AFTER", help="The run with the change applied.")],
    applied: Annotated[
        str, typer.Option("--applied", metavar="ID", help="The entry whose advice was applied.")
    ],
    into: Annotated[
        Path | None,
        typer.Option(
            "--into",
            metavar="DIR",
            show_default=False,
            help="Folder of entries to write into (default: the first of KB_DATA; without one it is printed).",
        ),
    ] = None,
    id: Annotated[
        str,
        typer.Option("--id", metavar="ID", show_default=False, help="Its name for good (default: made from the remedy)."),
    ] = "",
    soc: Annotated[
        str,
        typer.Option("--soc", metavar="SOC", show_default=False, help="Chip that both profiles ran on."),
    ] = "",
) -> int:  # fmt: skip
    """Draft a case from two runs and the remedy between them.

    Times, counters, findings, shapes and chip are filled in; what only you know is marked TODO, and `kb validate`
    names every place until nothing is left. An existing file is never overwritten.

    Exit status: 0 drafted, 3 a profile cannot be read, 5 the two runs cannot be compared.

    Examples:
      kb case from-compare 4be1c0ff 77aa01bc --applied vector-larger-copies --into my-entries
      kb case from-compare ./before ./after --applied vector-larger-copies --id cummin-larger-writes
    """
    from kb.commands._outcomes import measured_outcome
    from kb.knowledge.draft import draft
    from kb.knowledge.entry import FOLDERS, entry_to_text
    from kb.knowledge.own import folders
    from kb.report.catalogue import say
    from kb.report.dump import dumps
    from kb.report.page import Code, Page, Para

    folder = folder_for(into) if into is not None or folders() else None
    entry, outcome, found, report = measured_outcome(common, before, after, applied, soc)
    name = free_id(id or f"{entry.id[:60]}-{outcome.id[:6]}")
    text = entry_to_text(draft(found, outcome, report, entry, name))
    if folder is None:
        document = {"schema": "kb.new/1", "id": name, "kind": "case", "text": text}
        emit(text if common.format in ("text", "markdown") else dumps(document))
        return 0
    path = folder / FOLDERS["case"] / f"{name}.md"
    write_new(path, text)
    blocks = (Para(say("new.fill", common.lang)), Code(f"kb validate {shlex.quote(str(path))}", "sh"))
    page = Page(say("new.written", common.lang, path=path), blocks, lang=common.lang)
    show(common, page, {"schema": "kb.new/1", "id": name, "kind": "case", "path": str(path)})
    return 0


COMMANDS = {"from-compare": _from_compare}
