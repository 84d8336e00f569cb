"""`kb ask`: a question in words about a kept run, answered by a named query."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kb import units
from kb.commands._console import Common, show
from kb.errors import UsageError
from kb.report.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kb.ask.answer import Reply
    from kb.ask.tables import Intent
    from kb.report.page import Block, Page, Table

PANEL, ORDER = "Runs", 4
REFUSED = 2
_ID = re.compile(r"[0-9a-f]{2,64}")
_SHARES = frozenset(
    {"share", "running_share", "headroom", "stake", "confidence", "gain_low", "gain_likely", "gain_high", "mean_share",
     "largest_share"}
)  # fmt: skip
_SLOT = re.compile(r"\{(\w+)\}")
_SHOWN = {"operator": "MatMulV2", "metric": "l2_hit_rate", "core": "vector", "us": "50", "percent": "80"}


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

    of, question = _apart(common, words)
    reply = ask(question, run=of, db=common.db or None)
    if reply.intent is None or reply.found is None:
        show(common, _refusal(reply, common.lang), _refused(reply, common.lang))
        return REFUSED
    rows = [dict(zip(reply.found.columns, row, strict=True)) for row in reply.found.rows]
    show(
        common,
        _page(reply, reply.intent, common.lang),
        _document(reply, reply.intent, rows, common.lang),
        rows,
    )
    return 0


def _apart(common: Common, words: list[str]) -> tuple[str, str]:
    """Run and question; the first word is a run where a run has that name."""
    from kb.store.runs import LAST, find_runs

    first, rest = words[0], " ".join(words[1:])
    if len(words) == 2 and " " in rest and " " not in first and not first.isalpha():
        return find_runs([first], db=common.db or None)[
            0
        ], rest  # a question in quotes behind something: a run
    if not rest or not (first == LAST or _ID.fullmatch(first)):
        return LAST, " ".join(words)
    try:
        return find_runs([first], db=common.db or None)[0], rest
    except UsageError:
        if first != LAST and first.isalpha():  # "add" is a word too
            return LAST, " ".join(words)
        raise


def _list(common: Common) -> int:
    from kb.ask.tables import intents, sql
    from kb.report.catalogue import say
    from kb.report.page import Page, Table

    found = [(intent.id, title(intent, common.lang, _SHOWN)) for intent in intents().values()]
    heads = (say("ask.id", common.lang), say("ask.question", common.lang))
    page = Page(
        say("ask.known", common.lang, count=len(found)), (Table(heads, tuple(found)),), lang=common.lang
    )
    rows: list[dict[str, Any]] = [{"id": id, "title": text, "sql": sql(id)} for id, text in found]
    show(common, page, {"schema": "kb.ask.questions/1", "questions": rows}, rows)
    return 0


def title(intent: Intent, lang: str, values: Any) -> str:
    """The question in words, with the values in their places; a slot that was not filled shows its name."""
    text = intent.title.get(lang) or intent.title["en"]
    return _SLOT.sub(lambda slot: _plain(values.get(slot[1])).replace(" ", " / ") or f"<{slot[1]}>", text)


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else "" if value is None else str(value)


def _page(reply: Reply, intent: Intent, lang: str) -> Page:
    from kb.report.catalogue import say
    from kb.report.page import Code, Fields, Page, Para

    assert reply.found is not None  # noqa: S101 - it was answered
    blocks: list[Block] = [_shown(reply, lang)] if reply.found.rows else [Para(say("rows.none", lang))]
    if reply.found.cut:
        blocks.append(Para(say("ask.cut", lang), quiet=True))
    if reply.ignored:
        blocks.append(Para(say("ask.ignored", lang, words=", ".join(reply.ignored)), quiet=True))
    bound = ", ".join(f":{name} = {_plain(value) or 'null'}" for name, value in reply.parameters.items())
    blocks.append(Code(reply.sql, "sql"))
    if bound:
        blocks.append(Fields(((say("ask.bound", lang), bound),)))
    return Page(title(intent, lang, reply.parameters), tuple(blocks), note=intent.id, lang=lang)


def _shown(reply: Reply, lang: str) -> Block:
    """The rows as a table; a single one with its whole texts, under one another."""
    from kb.report.page import Fields

    assert reply.found is not None  # noqa: S101 - it was answered
    table = _table(reply, lang)
    if len(reply.found.rows) > 1 or len(table.headers) < 2:
        return table
    values = [value for value in reply.found.rows[0] if value not in (None, "")]
    pairs = zip(table.headers, table.rows[0], values, strict=True)
    return Fields(tuple((head, clean(raw) if isinstance(raw, str) else cell) for head, cell, raw in pairs))


def _table(reply: Reply, lang: str) -> Table:
    from kb.ask.tables import heads
    from kb.commands._rows import rows_table

    assert reply.found is not None  # noqa: S101 - it was answered
    named = heads()
    texts = [named[column][lang] if column in named else column for column in reply.found.columns]
    table = rows_table(reply.found, texts)
    # A column without any value says nothing.
    kept = [at for at in range(len(texts)) if any(row[at] not in (None, "") for row in reply.found.rows)]
    rows = tuple(
        tuple(_cell(reply.found.columns[at], raw[at], shown[at]) for at in kept)
        for raw, shown in zip(reply.found.rows, table.rows, strict=True)
    )
    numeric = frozenset(place for place, at in enumerate(kept) if at in table.numeric)
    return type(table)(tuple(texts[at] for at in kept), rows, numeric)


def _cell(column: str, value: Any, shown: str) -> str:
    """A value with its unit, where the column says it."""
    if not isinstance(value, (int, float)):
        return shown
    if column.endswith("_us"):
        return units.us(value)
    return units.percent(value) if column in _SHARES else shown


def _document(reply: Reply, intent: Intent, rows: list[dict[str, Any]], lang: str) -> dict[str, Any]:
    assert reply.found is not None  # noqa: S101 - it was answered
    return {
        "schema": "kb.ask/1",
        "question": reply.question,
        "answered": True,
        "intent": {"id": intent.id, "title": title(intent, lang, reply.parameters)},
        "run": reply.run,
        "sql": reply.sql,
        "parameters": dict(reply.parameters),
        "columns": list(reply.found.columns),
        "rows": rows,
        "cut": reply.found.cut,
        "ignored": list(reply.ignored),
    }


def _near(intents: Iterable[Intent], lang: str) -> list[tuple[str, str]]:
    return [(intent.id, title(intent, lang, {})) for intent in intents]


def _refusal(reply: Reply, lang: str) -> Page:
    from kb.report.catalogue import say
    from kb.report.page import Heading, Items, Page, Para

    near = _near(reply.near, lang)
    blocks: list[Block] = []
    if reply.ignored:
        blocks.append(Para(say("ask.strange", lang, words=", ".join(reply.ignored))))
    if near:
        blocks += [Heading(say("ask.near", lang)), Items(tuple(text for _, text in near))]
    blocks.append(Para(say("ask.more", lang), quiet=True))
    return Page(say("ask.refused", lang), tuple(blocks), lang=lang)


def _refused(reply: Reply, lang: str) -> dict[str, Any]:
    return {
        "schema": "kb.ask/1",
        "question": reply.question,
        "answered": False,
        "run": reply.run,
        "ignored": list(reply.ignored),
        "near": [{"id": id, "title": text} for id, text in _near(reply.near, lang)],
    }
