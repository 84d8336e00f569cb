"""Asking the store the question that was understood."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kb.ask.tables import Intent, sql
from kb.ask.understand import understand
from kb.ask.words import LONGEST, Heard, hear
from kb.errors import UsageError
from kb.store.answers import Answer
from kb.store.query import query
from kb.store.runs import LAST, find_runs, list_runs

ROWS = 10  # where the question names no number
_NAMES = "select distinct name from operators where run = :run union select distinct type from operators where run = :run and type is not null"


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of a question: the answer with its query and parameters, or near questions where it was refused.

    `ignored` are words that were not understood although the question was.
    """

    question: str
    run: str | None
    intent: Intent | None
    near: tuple[Intent, ...]
    ignored: tuple[str, ...]
    parameters: Mapping[str, Any]
    sql: str = ""
    found: Answer | None = None


def ask(question: str, *, run: str = LAST, db: str | None = None) -> Reply:
    """Answer a question about a run, or about all that are kept.

    Raises:
        UsageError: no such run, or the question is empty or too long. SourceError: the store cannot be read.
    """
    if not question.strip():
        raise UsageError("an empty question", now='Try: kb ask "which operators take longest"')
    if len(question) > LONGEST:
        raise UsageError(
            f"longer than {LONGEST} characters", where="QUESTION", now="Ask one thing at a time."
        )
    if run == LAST and not list_runs(db=db, limit=1) and (about_all := _of_no_run(question, db)):
        return about_all
    (id,) = find_runs([run], db=db)
    names = query(_NAMES, {"run": id}, db=db, rows=20_000)
    heard = hear(question, [str(name) for (name,) in names.rows])
    found = understand(heard)
    if found.intent is None:
        return Reply(question, id, None, found.near, heard.unknown, {})
    text = sql(found.intent.id)
    parameters = _parameters(text, heard, id)
    answer = query(text, parameters, db=db)
    return Reply(question, id, found.intent, found.near, heard.unknown, parameters, text, answer)


def _of_no_run(question: str, db: str | None) -> Reply | None:
    """The answer where no run is kept and none is needed: how many there are, for instance."""
    heard = hear(question, [])
    found = understand(heard)
    text = sql(found.intent.id) if found.intent else ""
    if found.intent is None or ":run" in text:
        return None
    parameters = _parameters(text, heard, "")
    answer = query(text, parameters, db=db)
    return Reply(question, None, found.intent, found.near, heard.unknown, parameters, text, answer)


def _parameters(text: str, heard: Heard, run: str) -> dict[str, Any]:
    """Those that the query names, in the order of the table."""
    all_of_them = {"operator": None, "pattern": None, "n": ROWS, **heard.slots, "run": run}
    return {name: all_of_them[name] for name in sorted(all_of_them) if f":{name}" in text}
