"""`kb validate`: every fault of the knowledge base at once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kb.commands._console import Common, show

PANEL, ORDER = "Upkeep", 2


def run(
    common: Common,
    roots: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PATH]...",
            show_default=False,
            help="Entry files or folders; if left out, the shipped ones and those of KB_DATA.",
        ),
    ] = None,
) -> int:
    """Check entries and print every fault with its mend.

    Exit status: 0 no fault, 1 faults, 3 a path cannot be read.

    Examples:
      kb validate
      kb validate data/recipes/my-new-recipe.md
      kb validate --format json
    """
    from kb import shipped
    from kb.errors import SourceError
    from kb.knowledge import faults as known
    from kb.knowledge import own
    from kb.knowledge.validate import validate
    from kb.report.catalogue import say
    from kb.report.page import Items, Page

    given = list(roots or [shipped.root(), *own.folders()])
    for root in given:
        if not root.exists():
            raise SourceError(
                "no such file or folder", where=str(root), now="Give an entry file or a folder of entries."
            )
    found = validate(given)
    document = known.to_dict(found)
    wrong = known.errors(found)
    lines = tuple(
        f"{f.file}:{f.line}:{f.column}: {f.severity}: {f.id or '?'}: {f.what}; {f.mend} [{f.code}]"
        for f in found
    )
    title = say(
        "validate.faults" if found else "validate.fine",
        common.lang,
        count=len(wrong),
        further=len(found) - len(wrong),
    )
    show(
        common, Page(title, (Items(lines),) if lines else (), lang=common.lang), document, document["faults"]
    )
    return 1 if wrong else 0
