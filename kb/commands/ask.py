"""`kb ask`: a question in words about a kept run, answered by a named query."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from kb.commands._console import Common, show
from kb.errors import UsageError

PANEL, ORDER = "Runs", 4
REFUSED = 2
_ID = re.compile(r"[0-9a-f]{2,64}")


def run(
    common: Common,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RUN] QUESTION",
            show_default=False,
            help="Id of a kept run, the beginning of it, or last (the default); and the question.",
        ),
    ] = None,
    known: Annotated[bool, typer.Option("--list", help="List the questions that can be answered.")] = False,
) -> int:
    """Ask about a kept run, or about all of them, in words: English, Chinese or Japanese.

    The question is mapped to a named query, which is shown with its parameters; nothing that is typed here
    becomes SQL. What cannot be mapped is refused, and near questions are named.

    Exit status: 0 answered (no row is an answer too), 2 refused.

    Examples:
      kb ask last "which operators take longest"
      kb ask 4be1c0ff "what is the evidence for under-parallel" --format json
      kb ask "哪些算子耗时最长？" --lang zh
      kb ask --list
    """
    if known:
        return _list(common)
    if not words:
        raise UsageError("no question", now='Try: kb ask "which operators take longest", or kb ask --list')
    from kb.ask.answer import ask
    from kb.report.asked import answer_document, answer_page, answer_rows, refusal_document, refusal_page

    of, question = _apart(common, words)
    reply = ask(question, run=of, db=common.db or None)
    if reply.intent is None or reply.found is None:
        show(common, refusal_page(reply, common.lang), refusal_document(reply, common.lang))
        return REFUSED
    show(
        common,
        answer_page(reply, reply.intent, reply.found, common.lang),
        answer_document(reply, reply.intent, reply.found, common.lang),
        answer_rows(reply.found),
    )
    return 0


def _apart(common: Common, words: list[str]) -> tuple[str, str]:
    """Run and question; the first word is a run where a run has that name."""
    from kb.store.runs import LAST, find_runs

    first, rest = words[0], " ".join(words[1:])
    if not rest or not (first == LAST or _ID.fullmatch(first)):
        return LAST, " ".join(words)
    try:
        return find_runs([first], db=common.db or None)[0], rest
    except UsageError:
        if first != LAST and first.isalpha():  # "add" is a word too
            return LAST, " ".join(words)
        raise


def _list(common: Common) -> int:
    from kb.ask.tables import intents
    from kb.report.asked import known_page, known_rows

    known = tuple(intents().values())
    rows = known_rows(known, common.lang)
    show(common, known_page(known, common.lang), {"schema": "kb.ask.questions/1", "questions": rows}, rows)
    return 0
