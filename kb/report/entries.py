"""Entries of the knowledge base as pages and rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kb import units
from kb.knowledge.fingerprint import fingerprints
from kb.model import Condition, Entry, PublishedGain, to_dict
from kb.report.catalogue import say
from kb.report.named import who_text
from kb.report.page import Block, Code, Fields, Heading, Items, Page, Para, Table
from kb.report.text import code_of


def entry_page(entry: Entry, lang: str) -> Page:
    """Everything an entry says, in one language."""
    kind = kind_of(entry, lang)
    return Page(entry.title.get(lang), tuple(_blocks(entry, lang)), note=f"{entry.id} · {kind}", lang=lang)


def kind_of(entry: Entry, lang: str) -> str:
    """What an entry is; a recipe that is no remedy says so."""
    role = entry.facts.get("role", "remedy")
    return say(f"kind.{entry.kind}" if role == "remedy" else f"role.{role}", lang)


def _blocks(entry: Entry, lang: str) -> Iterator[Block]:
    yield Fields(_head(entry, lang))
    for key, text in (("entry.symptom", entry.symptom.get(lang)), ("entry.remedy", entry.remedy.get(lang))):
        if text:
            yield Heading(say(key, lang))
            yield from _listed(text)
    body = entry.body(lang)
    if body.cause:
        yield Heading(say("entry.cause", lang))
        yield Para(body.cause)
    signs = [_condition(condition) for condition in entry.when]
    signs += [f"{item.text} ({item.basis})" for item in entry.observe]
    if signs:
        yield Heading(say("entry.conditions", lang))
        yield Items(tuple(signs))
    if body.steps or entry.snippet:
        yield Heading(say("entry.steps", lang))
        yield Items(body.steps, ordered=len(body.steps) > 1)
        if entry.snippet:
            language, code = code_of(entry.snippet)
            yield Code(code, language)
    for key, text in (
        ("entry.why", body.why),
        ("entry.check", body.check),
        ("entry.when_not", body.when_not),
    ):
        if text:
            yield Heading(say(key, lang))
            yield from _listed(text)
    if entry.gains:
        yield Heading(say("entry.gains", lang), f"{say('entry.grade', lang)}: {entry.grade}")
        yield _gains(entry.gains, lang)
    if entry.facts:
        yield Heading(say("entry.facts", lang))
        yield from _facts(entry.facts)
        yield from _fingerprint(str(entry.facts.get("fingerprint", "")), lang)
    if entry.sources:
        yield Heading(say("entry.sources", lang))
        yield Items(entry.sources)


def _listed(text: str) -> Iterator[Block]:
    """A section's text, with its list lines as a list: joined, their dashes read like minus signs."""
    prose: list[str] = []
    items: list[str] = []
    for line in [*text.splitlines(), ""]:
        if line.startswith(("- ", "* ")):
            items.append(line[2:])
            continue
        if items:
            if prose:
                yield Para("\n".join(prose))
            yield Items(tuple(items))
            prose, items = [], []
        prose.append(line)
    if rest := "\n".join(prose).strip():
        yield Para(rest)


def _head(entry: Entry, lang: str) -> tuple[tuple[str, str], ...]:
    names = dict.fromkeys(
        name for names in (entry.aliases.get(lang, ()), entry.aliases.get("en", ())) for name in names
    )
    return (
        (say("entry.state", lang), entry.state),
        (say("entry.bottlenecks", lang), ", ".join(entry.bottlenecks)),
        (say("entry.not_for", lang), ", ".join(entry.not_for)),
        (say("entry.not_when", lang), ", ".join(map(_condition, entry.not_when))),
        (say("entry.operators", lang), ", ".join(entry.operators)),
        (say("entry.chips", lang), ", ".join(entry.chips)),
        (say("label.who", lang), who_text(entry.who, entry.effort, lang)),
        (say("entry.bounded_by", lang), entry.bounded_by),
        (say("entry.aliases", lang), ", ".join(names)),
        (say("entry.links", lang), ", ".join(entry.links)),
    )


def _condition(condition: Condition) -> str:
    value = condition.value
    shown = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return f"{condition.metric} {condition.op} {shown} ({condition.basis})"


def _gains(gains: Sequence[PublishedGain], lang: str) -> Table:
    heads = ("gain.before", "gain.after", "gain.saved", "gain.conditions", "entry.grade")
    rows = tuple(
        (
            _with_unit(gain.before, gain.unit),
            _with_unit(gain.after, gain.unit),
            _saved(gain),
            _where(gain),
            gain.grade,
        )
        for gain in gains
    )
    return Table(tuple(say(head, lang) for head in heads), rows, frozenset({0, 1, 2}))


def _with_unit(value: str, unit: str) -> str:
    return f"{value} {unit}".strip() if value else ""


def _saved(gain: PublishedGain) -> str:
    known = [units.percent(value) for value in (gain.saved_low, gain.saved_high) if value is not None]
    return f"{' – '.join(dict.fromkeys(known))} ({gain.of})" if known else ""


def _where(gain: PublishedGain) -> str:
    signs = (_condition(condition) for condition in gain.when)
    return ", ".join(part for part in (gain.shapes, gain.chip, gain.version, gain.note, *signs) if part)


def _facts(facts: Mapping[str, Any]) -> Iterator[Block]:
    """Facts of a case: plain ones as fields, lists of records as tables."""
    plain: list[tuple[str, str]] = []
    tables: list[Block] = []
    for name, value in facts.items():
        label = name.replace("_", " ")
        if isinstance(value, (list, tuple)) and value and all(isinstance(item, Mapping) for item in value):
            keys = tuple(dict.fromkeys(key for item in value for key in item))
            rows = tuple(tuple(_plain(item.get(key)) for key in keys) for item in value)
            tables += [Heading(label), Table(tuple(key.replace("_", " ") for key in keys), rows)]
        else:
            plain.append((label, _plain(value)))
    if plain:
        yield Fields(tuple(plain))
    yield from tables


def _fingerprint(name: str, lang: str) -> Iterator[Block]:
    """The operator mix of the architecture that a case names."""
    found = fingerprints().get(name) if name else None
    if found is not None:
        yield Heading(say("entry.fingerprint", lang), found.id)
        unit = {"count": "", "time_percent": " %", "time_us": " us"}[found.measure]
        yield Para(", ".join(f"{kind} {number:g}{unit}" for kind, number in found.operators.items()))
        yield Para(f"{found.basis}; {found.how}")


def _plain(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, Mapping):
        return ", ".join(
            f"{key.replace('_', ' ')} {_plain(item)}" for key, item in value.items() if item not in (None, "")
        )
    if isinstance(value, (list, tuple)):
        return "; ".join(_plain(item) for item in value)
    return str(value)


def entry_document(entry: Entry) -> dict[str, Any]:
    """All members of an entry, its texts in every language; the file it was read from is left out."""
    return {key: value for key, value in to_dict(entry).items() if key != "file"}


def entry_row(entry: Entry, lang: str) -> dict[str, Any]:
    """An entry in one row of `kb list`."""
    return {
        "id": entry.id,
        "kind": entry.kind,
        "title": entry.title.get(lang),
        "state": entry.state,
        "grade": entry.grade,
        "operators": list(entry.operators),
        "chips": list(entry.chips),
        "bottlenecks": list(entry.bottlenecks),
    }


def entries_table(entries: Sequence[Entry], lang: str, *, kind: bool = True) -> Table:
    """Entries by id and title."""
    heads = ("label.entry", *(("label.type",) if kind else ()), "entry.title")
    rows = tuple(
        (entry.id, *((kind_of(entry, lang),) if kind else ()), entry.title.get(lang)) for entry in entries
    )
    return Table(tuple(say(head, lang) for head in heads), rows)
