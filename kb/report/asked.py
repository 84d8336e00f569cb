"""Answers to questions in words, as pages and documents: the rows, the query they came from, or why there are none."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kb import units
from kb.ask.tables import heads, sql
from kb.report.catalogue import say
from kb.report.page import Block, Code, Fields, Heading, Items, Page, Para, Table
from kb.report.rows import rows_table
from kb.report.sentences import tell
from kb.report.text import clean
from kb.report.translated import title_of

if TYPE_CHECKING:
    from kb.ask.answer import Reply
    from kb.ask.tables import Intent
    from kb.store.answers import Answer

_SHARES = frozenset(
    {"share", "running_share", "slower", "held_up", "headroom", "stake", "confidence", "gain_low", "gain_likely", "gain_high", "mean_share",
     "largest_share"}
)  # fmt: skip
_SLOT = re.compile(r"\{(\w+)\}")
_SHOWN = {"operator": "MatMulV2", "metric": "l2_hit_rate", "core": "vector", "us": "50", "percent": "80"}


def known_page(known: Iterable[Intent], lang: str) -> Page:
    """The questions that can be answered, with examples in their slots."""
    rows = tuple((intent.id, title(intent, lang, _SHOWN)) for intent in known)
    heads = (say("ask.id", lang), say("ask.question", lang))
    return Page(say("ask.known", lang, count=len(rows)), (Table(heads, rows),), lang=lang)


def known_rows(known: Iterable[Intent], lang: str) -> list[dict[str, Any]]:
    """The same for programs, with the query of each."""
    return [
        {"id": intent.id, "title": title(intent, lang, _SHOWN), "sql": sql(intent.id)} for intent in known
    ]


def title(intent: Intent, lang: str, values: Any) -> str:
    """The question in words, with the values in their places; a slot that was not filled shows its name."""
    text = intent.title.get(lang) or intent.title["en"]
    return _SLOT.sub(lambda slot: _plain(values.get(slot[1])).replace(" ", " / ") or f"<{slot[1]}>", text)


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else "" if value is None else str(value)


def answer_page(reply: Reply, intent: Intent, found: Answer, lang: str) -> Page:
    """The answer with the query and what its parameters were."""
    blocks: list[Block] = [_shown(found, lang)] if found.rows else [Para(say("rows.none", lang))]
    if found.cut:
        blocks.append(Para(say("ask.cut", lang), quiet=True))
    if reply.ignored:
        blocks.append(Para(say("ask.ignored", lang, words=", ".join(reply.ignored)), quiet=True))
    bound = ", ".join(f":{name} = {_plain(value) or 'null'}" for name, value in reply.parameters.items())
    blocks.append(Code(reply.sql, "sql"))
    if bound:
        blocks.append(Fields(((say("ask.bound", lang), bound),)))
    return Page(title(intent, lang, reply.parameters), tuple(blocks), note=intent.id, lang=lang)


def _shown(found: Answer, lang: str) -> Block:
    """The rows as a table; a single one with its whole texts, under one another."""
    found = _told(found, lang)
    table = _table(found, lang)
    if len(found.rows) > 1 or len(table.headers) < 2:
        return table
    values = [value for value in found.rows[0] if value not in (None, "")]
    pairs = zip(table.headers, table.rows[0], values, strict=True)
    return Fields(tuple((head, clean(raw) if isinstance(raw, str) else cell) for head, cell, raw in pairs))


def _told(found: Answer, lang: str) -> Answer:
    """The sentences among the rows in the language of the answer; names and commands are none."""
    rows = [
        [tell(value, lang) if isinstance(value, str) and " " in value else value for value in row]
        for row in found.rows
    ]
    if {"entry", "title"} <= set(found.columns):
        entry, title = found.columns.index("entry"), found.columns.index("title")
        for row in rows:
            row[title] = title_of(str(row[entry]), row[title], lang)
    return replace(found, rows=tuple(map(tuple, rows)))


def _table(found: Answer, lang: str) -> Table:
    named = heads()
    texts = [named[column][lang] if column in named else column for column in found.columns]
    table = rows_table(found, texts)
    # A column without any value says nothing.
    kept = [at for at in range(len(texts)) if any(row[at] not in (None, "") for row in found.rows)]
    rows = tuple(
        tuple(_cell(found.columns[at], raw[at], shown[at]) for at in kept)
        for raw, shown in zip(found.rows, table.rows, strict=True)
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


def answer_rows(found: Answer) -> list[dict[str, Any]]:
    """The rows, each with its columns by name."""
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


def answer_document(reply: Reply, intent: Intent, found: Answer, lang: str) -> dict[str, Any]:
    """The answer as `kb.ask/1`."""
    return {
        "schema": "kb.ask/1",
        "question": reply.question,
        "answered": True,
        "intent": {"id": intent.id, "title": title(intent, lang, reply.parameters)},
        "run": reply.run,
        "sql": reply.sql,
        "parameters": dict(reply.parameters),
        "columns": list(found.columns),
        "rows": answer_rows(found),
        "cut": found.cut,
        "ignored": list(reply.ignored),
    }


def _near(intents: Iterable[Intent], lang: str) -> list[tuple[str, str]]:
    return [(intent.id, title(intent, lang, {})) for intent in intents]


def refusal_page(reply: Reply, lang: str) -> Page:
    """That it was not answered, and what is near to the question."""
    near = _near(reply.near, lang)
    blocks: list[Block] = []
    if reply.ignored:
        blocks.append(Para(say("ask.strange", lang, words=", ".join(reply.ignored))))
    if near:
        blocks += [Heading(say("ask.near", lang)), Items(tuple(text for _, text in near))]
    blocks.append(Para(say("ask.more", lang), quiet=True))
    return Page(say("ask.refused", lang), tuple(blocks), lang=lang)


def refusal_document(reply: Reply, lang: str) -> dict[str, Any]:
    """The refusal as `kb.ask/1`."""
    return {
        "schema": "kb.ask/1",
        "question": reply.question,
        "answered": False,
        "run": reply.run,
        "ignored": list(reply.ignored),
        "near": [{"id": id, "title": text} for id, text in _near(reply.near, lang)],
    }
