"""`kb new`: start an entry of your own."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from kb.commands._console import Common, show
from kb.commands._entries import Kind

PANEL, ORDER = "Knowledge base", 5


def run(
    common: Common,
    kind: Annotated[Kind, typer.Argument(metavar="KIND", help="recipe, case, pattern or tip.")],
    id: Annotated[
        str, typer.Argument(metavar="ID", help="Its name for good: small letters, digits and dashes.")
    ],
    into: Annotated[
        Path | None,
        typer.Option(
            "--into",
            metavar="DIR",
            show_default=False,
            help="Folder of entries to write into (default: the first of KB_DATA).",
        ),
    ] = None,
) -> int:
    """Write the template of a new entry.

    Fill in what it marks as TODO, then let `kb validate` check it. Entries in a folder that KB_DATA names are
    searched and used like the shipped ones. An existing file is never overwritten.

    Exit status: 0 written or printed, 2 the name is taken.

    Examples:
      kb new recipe conv-our-padding --into my-entries
      KB_DATA=my-entries kb new tip log-our-message
    """  # fmt: skip
    from kb.knowledge.entry import FOLDERS
    from kb.knowledge.template import template
    from kb.report.catalogue import say
    from kb.report.page import Code, Page, Para

    path = folder_for(into) / FOLDERS[kind.value] / f"{free_id(id)}.md"
    write_new(path, template(kind.value, id))
    blocks = (Para(say("new.fill", common.lang)), Code(f"kb validate {shlex.quote(str(path))}", "sh"))
    page = Page(say("new.written", common.lang, path=path), blocks, lang=common.lang)
    show(common, page, {"schema": "kb.new/1", "id": id, "kind": kind.value, "path": str(path)})
    return 0


def folder_for(into: Path | None) -> Path:
    """The folder of entries to write into: the one given, else the first of KB_DATA.

    Raises:
        UsageError: neither is there.
    """
    from kb.errors import UsageError
    from kb.knowledge import own

    if into is not None:
        return into
    folders = own.named()
    if not folders:
        raise UsageError(
            "nowhere to write to", now="Give --into DIR, or let KB_DATA name your folder of entries."
        )
    return folders[0]


def free_id(entry_id: str) -> str:
    """The id, when it is one and nobody has it.

    Raises:
        UsageError: it is none, or taken.
    """
    from kb.errors import UsageError
    from kb.knowledge.store import load_entries
    from kb.knowledge.validate import ID
    from kb.textfile import reserved

    if not ID.fullmatch(entry_id) or len(entry_id) > 80:
        raise UsageError(
            f"{entry_id!r} is no id",
            where="ID",
            now="Use small letters and digits, joined by - or ., at most 80.",
        )
    if reserved(entry_id):
        raise UsageError(
            f"{entry_id!r} names a device on Windows", where="ID", now="Choose another id: it names a file."
        )
    if entry_id in load_entries():
        raise UsageError(
            f"an entry {entry_id!r} exists",
            where="ID",
            now=f"Choose another id, or read it: kb show {entry_id}",
        )
    return entry_id


def write_new(path: Path, text: str) -> None:
    """Write a file that does not exist yet.

    Raises:
        UsageError: it exists, or cannot be written.
    """
    from kb.errors import UsageError

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            try:
                file.write(text)
                file.flush()
            except OSError:  # no half file stays
                path.unlink(missing_ok=True)
                raise
    except FileExistsError as fault:
        raise UsageError(
            "the file exists", where=str(path), now="Choose another id, or go on in this file."
        ) from fault
    except OSError as fault:
        now = "Give a folder that you may write to and that has room."
        raise UsageError(f"cannot be written: {fault.strerror}", where=str(path), now=now) from fault
