"""The page of a migration report: coverage, fallbacks with remedies, similar cases, hot list, plan, what to profile first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kb import units
from kb.forecast import Forecast
from kb.model import Entry
from kb.report import forecast as forecasts
from kb.report.catalogue import say
from kb.report.coverage import ENGINES
from kb.report.page import Block, Fields, Heading, Items, Page, Para, Table
from kb.report.sentences import tell, tell_all

Row = Mapping[str, Any]
HOT = 15
_WIDE = ("zh", "ja")  # languages with full-width signs
STEPS = ("import", "limit", "fallback", "unknown", "advice", "measure")


def migration_page(
    document: Row, forecast: Forecast, entries: Mapping[str, Entry], lang: str, *, room: int = 200
) -> Page:
    """The page of a `kb.migration/1` document."""
    blocks: list[Block] = [
        Fields(tuple(_facts(document, forecast, lang))),
        *_fallbacks(document, entries, lang),
        *_cases(document, entries, lang),
        Heading(say("migrate.hot", lang), say("forecast.note", lang)),
        *forecasts.type_blocks(forecast, lang, room=room),
        *(forecasts.call_blocks(forecast, lang, most=HOT) if room > forecasts.LISTED else ()),
        Heading(say("migrate.plan", lang)),
        Items(tuple(_plan(document, entries, lang)), ordered=True),
        *_shared(document["plan"], lang),
        Heading(say("migrate.profile", lang)),
        Items(tuple(_profile(document, lang))),
        *forecasts.ground_blocks(forecast, lang),
    ]
    title = say("migrate.title", lang, model=document["model"], soc=document["soc"])
    return Page(title, tuple(blocks), lang=lang)


def _facts(document: Row, forecast: Forecast, lang: str) -> Iterator[tuple[str, str]]:
    coverage = document["coverage"]
    known = [name for name in ENGINES if name in coverage["summary"]]
    parts = [f"{say(f'engine.{name}', lang)} {coverage['summary'][name]}" for name in known]
    yield say("migrate.coverage", lang), " · ".join(parts)
    if coverage["opset"] is not None:
        yield say("check.opset", lang), str(coverage["opset"])
    family = coverage["family"]
    if family is not None:
        confidence = f"{family['confidence']:.2f}"
        line = say("check.family_line", lang, name=family["name"], confidence=confidence)
        yield say("check.family", lang), line
    yield from forecasts.facts(forecast, lang)
    yield say("check.tables", lang), tell(coverage["tables"], lang)


def _fallbacks(document: Row, entries: Mapping[str, Entry], lang: str) -> Iterator[Block]:
    yield Heading(say("migrate.fallbacks", lang))
    rows = [row for row in document["coverage"]["operators"] if _troubled(row)]
    stops = [step for step in document["plan"] if step["kind"] == "import" and step["subject"] == "weights"]
    if not rows and document["coverage"]["importable"]:
        if stops:
            yield Items(tuple(tell(step["why"], lang) for step in stops))
            return
        limited = document["coverage"]["breaks_limits"] > 0
        yield Para(say("migrate.limited" if limited else "migrate.fine", lang))
        return
    lines = []
    for row in rows:
        reason = "; ".join(tell_all(row.get("broken", ()), lang)) or tell(row["restriction"] or "", lang)
        engine = str(row["engine"])
        line = f"{row['type']} x{row['count']}: {say(f'engine.{engine}', lang)}; {reason}"
        lines.append("; ".join([line, *_named(row["remedies"], entries, lang)]))
    lines += [
        tell(text, lang)
        for text in document["coverage"]["warnings"]
        if not document["coverage"]["importable"]
    ]
    yield Items(tuple(lines))


def _troubled(row: Row) -> bool:
    return row["engine"] in ("ai_cpu", "host", "no_importer", "unknown") or (
        row["engine"] == "no_kernel" and row["runs"]
    )


def _named(ids: list[str], entries: Mapping[str, Entry], lang: str) -> list[str]:
    return [f"{entries[id].title.get(lang)} ({id})" if id in entries else id for id in ids[:3]]


def _cases(document: Row, entries: Mapping[str, Entry], lang: str) -> Iterator[Block]:
    yield Heading(say("migrate.cases", lang))
    cases = document["cases"]
    if not cases:
        yield Para(say("migrate.no_cases", lang))
        return
    heads = tuple(
        say(key, lang)
        for key in ("label.entry", "entry.title", "gain.before", "gain.after", "gain.conditions")
    )
    rows = []
    for case in cases:
        title = entries[case["id"]].title.get(lang) if case["id"] in entries else case["title"]
        results = [row for row in case["results"] if row.get("before") and row.get("after")]
        for gain in results[:2] or [{}]:
            where = ", ".join(str(gain[key]) for key in ("shapes", "chip", "note", "grade") if gain.get(key))
            unit = gain.get("unit", "")
            rows.append(
                (
                    case["id"], title, f"{gain.get('before', '')} {unit}".strip() if gain else "",
                    f"{gain.get('after', '')} {unit}".strip() if gain else "",
                    where or say("migrate.no_figure", lang),
                )
            )  # fmt: skip
    yield Table(heads, tuple(rows), frozenset({2, 3}))
    yield Items(tuple(f"{case['id']}: {tell(case['why'], lang)}" for case in cases))


def _plan(document: Row, entries: Mapping[str, Entry], lang: str) -> Iterator[str]:
    """The steps; the reason of several pieces of advice stands at the first of them."""
    seen: dict[str, int] = {}
    for number, step in enumerate(document["plan"], 1):
        first = seen.setdefault(step.get("finding") or str(number), number)
        why = tell(step.get("why", ""), lang) if first == number else say("migrate.same", lang, number=first)
        yield _step(step, why, document, entries, lang)


def _shared(plan: Iterable[Row], lang: str) -> Iterator[Block]:
    """That advice against one finding works on the same time: savings of such steps do not add up."""
    groups: dict[str, list[str]] = {}
    for number, step in enumerate(plan, 1):
        if step.get("finding"):
            groups.setdefault(step["finding"], []).append(str(number))
    for numbers in groups.values():
        if len(numbers) > 1:
            yield Para(say("migrate.shared", lang, numbers=", ".join(numbers)), quiet=True)


def _step(step: Row, why: str, document: Row, entries: Mapping[str, Entry], lang: str) -> str:
    kind = step["kind"] if step["kind"] in STEPS else "unknown"
    if kind == "measure":
        then = say("migrate.calibrate", lang, soc=document["soc"])
        return _sentence(say("migrate.measure", lang), [say("migrate.collect", lang), then], lang)
    ids = list(step.get("entries", ()))
    subject = step["subject"]
    if kind == "advice" and ids and ids[0] in entries:
        subject = f"{entries[ids[0]].title.get(lang)} ({ids[0]})"
        ids = []
    parts = [subject, why]
    if step.get("saves_high") is not None:
        parts.append(_saves(step, lang))
    parts += tell_all(step.get("mind", ()), lang)
    return _sentence(say(f"migrate.{kind}", lang), [*parts, *_named(ids, entries, lang)], lang)


def _saves(step: Row, lang: str) -> str:
    """What a step saves, the likely part first; that it can cost time where it was seen to."""
    low, high = step["saves_low"], step["saves_high"]
    likely = units.percent(step.get("saves_likely", high))
    if low < 0:
        return say(
            "migrate.may_cost", lang, likely=likely, high=units.percent(high), cost=units.percent(-low)
        )
    return say("migrate.saves", lang, likely=likely, low=units.percent(low), high=units.percent(high))


def _sentence(head: str, parts: Iterable[str], lang: str) -> str:
    colon, semicolon = ("：", "；") if lang in _WIDE else (": ", "; ")
    return f"{head}{colon}{semicolon.join(part for part in parts if part)}"


def _profile(document: Row, lang: str) -> Iterator[str]:
    for row in document["profile_first"]:
        common = {"type": row["type"], "count": row["count"], "name": row["name"]}
        if row.get("not_estimated"):
            yield say("migrate.unestimated", lang, **common, reason=tell(row["not_estimated"], lang))
        else:
            span = units.us_range(row["low_us"], row["high_us"])
            yield say("migrate.uncertain", lang, **common, range=span)
    yield say("migrate.collect", lang)
