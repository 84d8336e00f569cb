"""`kb schema`: the JSON Schema of a document."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from kb.commands._console import Common, emit, show

PANEL, ORDER = "Upkeep", 10


def run(
    common: Common,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]", show_default=False, help="A document, such as report or kb.report/1; all where left out."
        ),
    ] = None,
) -> int:  # fmt: skip
    """Print the JSON Schema of a document that commands print with --format json.

    Without NAME the documents are listed. A schema is JSON in every format; within a version members are only added, so
    it leaves objects open.

    Exit status: 0 printed, 2 no document of that name.

    Examples:
      kb schema
      kb schema report
      kb schema kb.search/1
    """
    from kb.report.catalogue import say
    from kb.report.dump import dumps
    from kb.report.page import Page, Table
    from kb.schema import DOCUMENTS

    if name is not None:
        found = _found(name, tuple(DOCUMENTS))
        emit(dumps(DOCUMENTS[found].schema(found), indent=None if common.format == "jsonl" else 2))
        return 0
    rows: list[dict[str, Any]] = [
        {"name": _short(schema), "schema": schema, "printed_by": printed.command}
        for schema, printed in DOCUMENTS.items()
    ]
    heads = (say("schema.document", common.lang), "schema", say("schema.printed", common.lang))
    table = Table(heads, tuple(tuple(row.values()) for row in rows))
    page = Page(say("schema.list", common.lang, count=len(rows)), (table,), lang=common.lang)
    show(common, page, {"schema": "kb.schema/1", "documents": rows}, rows)
    return 0


def _short(schema: str) -> str:
    return schema.removeprefix("kb.").partition("/")[0]


def _found(name: str, known: tuple[str, ...]) -> str:
    from kb.knowledge.near import no_such_id

    for schema in reversed(known):  # the last version of a name
        if name in (schema, _short(schema)):
            return schema
    raise no_such_id("document", name, map(_short, known))
