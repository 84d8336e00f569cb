"""What the panes of `kb browse` show, as pages."""

from __future__ import annotations

from collections.abc import Iterator

from kb.model import Finding, Report
from kb.report import answer, named, parts
from kb.report.catalogue import say
from kb.report.page import Block, Fields, Heading, Items, Page, Para, Table


def report_page(report: Report, lang: str) -> Page:
    """The answer of a run: what the first screen of its report says."""
    facts = [
        named.chip_text(report, lang),
        named.capture_text(report, lang),
        parts.time_whole(report, lang),
    ]
    return Page(report.target, tuple(_answer(report, lang)), note=" · ".join(filter(None, facts)), lang=lang)


def _answer(report: Report, lang: str) -> Iterator[Block]:
    lines = answer.answer(report, lang)
    yield Fields(tuple(pair for line in lines for pair in ((line.label, line.text), ("", line.note))))
    data = named.key_data(report)
    if data:
        yield Heading(say("head.data", lang))
        yield Table(
            (say("label.metric", lang), say("label.value", lang), say("label.limit", lang)),
            tuple((item.metric, named.reading(item), item.limit) for item in data),
            frozenset({1}),
        )
    if report.not_judged:
        yield Heading(say("head.unjudged", lang))
        yield Items(
            tuple(
                f"{', '.join(ids)}: {reason}" for (reason, _), ids in named.unjudged_by_reason(report).items()
            )
        )
    if report.warnings:
        yield Heading(say("head.warnings", lang))
        yield Items(report.warnings)


def finding_page(report: Report, finding: Finding, lang: str) -> Page:
    """One finding: what says so, whom it concerns, and what to do about it."""
    note = f"{finding.pattern} · {parts.share_text(report, finding, lang)} · {say('label.sure', lang)}: {named.sure(finding.confidence, lang)}"
    return Page(
        finding.summary or finding.pattern, tuple(_finding(report, finding, lang)), note=note, lang=lang
    )


def _finding(report: Report, finding: Finding, lang: str) -> Iterator[Block]:
    if finding.operators:
        yield Items(tuple(named.operator_text(operator, lang) for operator in finding.operators[:10]))
    if finding.evidence:
        yield Heading(say("label.evidence", lang))
        yield Table(
            tuple(say(f"label.{key}", lang) for key in ("metric", "value", "limit", "source")),
            tuple((item.metric, named.reading(item), item.limit, item.source) for item in finding.evidence),
            frozenset({1}),
        )
    for advice in report.recommendations:
        if advice.finding == finding.id:
            yield Heading(f"{advice.rank} {advice.title}", advice.id)
            yield Para(parts.gain_text(report, advice, lang))
            yield Items(advice.steps, ordered=True)
            if advice.when_not:
                yield Fields(((say("label.not_when", lang), advice.when_not),))
