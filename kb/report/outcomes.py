"""Outcomes as pages: what one try gave, all of them, and all of one entry beside its published figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kb import units
from kb.experience import Outcome, shrunk, tally
from kb.model import Entry, to_dict
from kb.report.catalogue import say
from kb.report.comparison.words import signed
from kb.report.entries import entry_document
from kb.report.page import Block, Fields, Heading, Page, Para, Table


def kept_page(outcome: Outcome, entry: Entry, of_entry: Sequence[Outcome], lang: str) -> Page:
    """The answer to keeping an outcome: what it gave, and what that makes of the remedy."""
    title = say(
        "outcome.kept", lang, id=entry.id, change=signed(-outcome.saved), result=say(f"change.{outcome.result}", lang)
    )  # fmt: skip
    return Page(title, tuple(beside_published(entry, of_entry, lang)), note=outcome.id, lang=lang)


def list_page(outcomes: Sequence[Outcome], lang: str) -> Page:
    """All outcomes, the latest first."""
    if not outcomes:
        return Page(say("outcome.none", lang), lang=lang)
    return Page(
        say("outcome.count", lang, count=len(outcomes)),
        (outcomes_table(outcomes[::-1], lang, entry=True),),
        lang=lang,
    )


def beside_published(entry: Entry, outcomes: Sequence[Outcome], lang: str) -> Iterator[Block]:
    """Own outcomes of an entry, and what is expected of it with them; nothing where there are none."""
    tried = tally(outcomes)
    if tried is None:
        return
    yield Heading(say("outcome.head", lang))
    yield outcomes_table(outcomes, lang, entry=False)
    facts = [
        (
            say("outcome.tried", lang),
            say("outcome.tally", lang, count=tried.count, helped=tried.helped, failed=tried.failed),
        )
    ]
    if tried.imported:
        facts.append((say("outcome.imports", lang), str(tried.imported)))
    facts.append((say("outcome.mean", lang), signed(-tried.mean)))
    published = _published(entry)
    if published is not None:
        low, middle, high = published
        facts.append((say("entry.gains", lang), f"{units.percent(low)} – {units.percent(high)}"))
        expected = shrunk(middle, tried)
        facts.append(
            (say("outcome.expected", lang), say("outcome.saves", lang, saved=units.percent(expected)))
        )
    yield Fields(tuple(facts))
    if tried.sunk:
        yield Para(say("outcome.sunk", lang))  # fmt: skip


def outcomes_table(outcomes: Sequence[Outcome], lang: str, *, entry: bool) -> Table:
    """Outcomes as rows: of many entries (`entry`), or of one with what it was tried on; empty columns are left out."""
    heads = (
        "label.run", *(("label.entry", "label.operator", "label.chip") if entry else _DETAILS),
        "compare.change", "compare.verdict",
    )  # fmt: skip
    rows = [
        (
            item.id if item.origin == "own" else say("outcome.other_team", lang),
            *((item.entry, _of(item, lang), item.soc) if entry else _details(item, lang)),
            signed(-item.saved),
            say(f"change.{item.result}", lang),
        )
        for item in outcomes
    ]
    filled = [at for at in range(len(heads)) if any(row[at] for row in rows)]
    return Table(
        tuple(say(heads[at], lang) for at in filled),
        tuple(tuple(row[at] for at in filled) for row in rows),
        frozenset(
            place for place, at in enumerate(filled) if heads[at] in ("compare.change", "compare.band")
        ),
    )


_DETAILS = ("label.operator", "label.finding", "label.shapes", "label.chip", "compare.band")


def _details(item: Outcome, lang: str) -> tuple[str, ...]:
    return _of(item, lang), item.pattern, item.shapes, item.soc, f"±{item.band * 100:.1f} %"


def _of(item: Outcome, lang: str) -> str:
    return item.operator or say("gate.whole", lang)


def entry_with_outcomes(entry: Entry, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """An entry with what it gave here, where it was tried, as `kb.entry/1`."""
    tried = {"outcomes": to_dict(outcomes), "tried": tried_document(outcomes)} if outcomes else {}
    return {"schema": "kb.entry/1", **entry_document(entry), **tried}


def tried_document(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The outcomes of an entry taken together, for tools; empty without any."""
    tried = tally(outcomes)
    return {} if tried is None else {**to_dict(tried), "sunk": tried.sunk}


def _published(entry: Entry) -> tuple[float, float, float] | None:
    """Least, middle and most of the published fractions of an operator's or a run's time."""
    pairs = [
        (gain.saved_low, gain.saved_high)
        for gain in entry.gains
        if gain.of != "part" and gain.saved_low is not None and gain.saved_high is not None
    ]
    if not pairs:
        return None
    middles = sorted((low + high) / 2 for low, high in pairs)
    half = len(middles) // 2
    middle = middles[half] if len(middles) % 2 else (middles[half - 1] + middles[half]) / 2
    return min(low for low, _ in pairs), middle, max(high for _, high in pairs)
