"""The four-section Markdown report that users of the original skill know; the sections never change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kb.model import Finding, OperatorRef, Recommendation, Report
from kb.report import answer, forecast, job, named, parts
from kb.report.catalogue import say
from kb.report.escape import md, md_code, md_fence, md_prose
from kb.report.page import Block, Heading
from kb.report.page.markdown import block, table
from kb.report.sentences import tell
from kb.report.text import code_of
from kb.report.translated import told

NAME = "markdown"
EXTENSION = ".md"
BINARY = False

TOP = 5


def render(report: Report, *, lang: str = "en", width: int = 80, color: bool = False) -> str:  # noqa: ARG001
    """The report as Markdown; no text in it can become markup."""
    report = told(report, lang)
    sections = (
        ("basic", _basic),
        ("data", _data),
        ("bottleneck", _bottlenecks),
        ("suggestion", _suggestions),
    )
    lines: list[str] = []
    for number, (key, section) in enumerate(sections, 1):
        lines += [f"## {number} {say(f'skill.{key}', lang)}", "", *section(report, lang), ""]
    return "\n".join(lines).rstrip("\n")


def _basic(report: Report, lang: str) -> Iterator[str]:
    rows = [("label.target", md(report.target))]
    if len(report.operators) == 1:
        rows += _one_operator(report.operators[0], lang)
    rows += [
        ("label.chip", md(named.chip_text(report, lang))),
        ("label.capture", md(named.capture_text(report, lang))),
        ("label.time", parts.time_whole(report, lang)),
        ("label.run", md_code(report.run)),
        *(("label.warning", md(warning)) for warning in report.warnings),
    ]
    labelled = tuple((say(key, lang), value) for key, value in rows if value)
    yield from table((say("label.item", lang), say("label.value", lang)), labelled)
    if report.job is not None:
        yield ""
        yield f"**{say('head.job', lang)}**"
        yield from _within(job.blocks(report.job, lang))
    if report.forecast is not None:
        yield from _within(forecast.blocks(report.forecast, lang, most=20))
    elif len(report.operators) > 1:
        yield ""
        yield from _operators(report, lang)


def _one_operator(operator: OperatorRef, lang: str) -> list[tuple[str, str]]:
    return [
        ("label.operator", md(named.operator_name(operator, lang))),
        ("label.core", md(operator.core)),
        ("label.shapes", md(operator.shapes)),
        ("label.count", str(operator.count)),
    ]


def _operators(report: Report, lang: str) -> Iterator[str]:
    heads = tuple(say(f"label.{key}", lang) for key in ("operator", "core", "shapes", "count", "time"))
    longest = named.by_time(report)[:TOP]
    yield from table(heads, tuple(_operator_row(operator, lang) for operator in longest), frozenset({3, 4}))


def _within(parts: Iterable[Block]) -> Iterator[str]:
    """Blocks within a section: the report has four headings, and these are not among them."""
    for part in parts:
        yield ""
        if isinstance(part, Heading):
            note = f" ({md(part.note)})" if part.note else ""
            yield f"**{md(part.text)}**{note}"
        else:
            yield from block(part)


def _operator_row(operator: OperatorRef, lang: str) -> tuple[str, ...]:
    name = md(named.operator_name(operator, lang))
    return (
        name,
        md(operator.core),
        md(operator.shapes),
        str(operator.count),
        named.time_text(operator),
    )


def _data(report: Report, lang: str) -> Iterator[str]:
    data = named.key_data(report)[:TOP]
    if not data:
        yield say("skill.no_data", lang)
        return
    heads = tuple(say(f"label.{key}", lang) for key in ("metric", "value", "limit", "source"))
    rows = tuple(
        (md_code(item.metric), md(named.reading_of(item, lang)), md(item.limit), md(item.source))
        for item in data
    )
    yield from table(heads, rows, frozenset({1}))


def _bottlenecks(report: Report, lang: str) -> Iterator[str]:
    if report.findings or report.headline:
        yield from _answer(report, lang)
    if not report.findings:
        yield say("skill.no_bottleneck", lang)
    for number, finding in enumerate(report.findings[:TOP], 1):
        yield from _bottleneck(report, number, finding, lang)
    for (reason, collect), ids in named.unjudged_by_reason(report).items():
        how = f" ({say('label.collect', lang)}: {md_code(collect)})" if collect else ""
        yield ""
        yield f"{say('head.unjudged', lang)}: {', '.join(md_code(id) for id in ids)}: {md(reason)}{how}"


def _answer(report: Report, lang: str) -> Iterator[str]:
    """The answer as the other views have it on their first screen: the verdict in bold, the rest as points."""
    verdict, *further = answer.answer(report, lang)
    yield f"**{md(verdict.text)}**"
    yield ""
    if verdict.note:
        yield md(verdict.note, starts_line=True)
        yield ""
    for line in further:
        yield f"- {line.label}: {md(line.text)}"
        if line.note:
            yield f"  - {md(line.note, starts_line=True)}"
    yield ""


def _bottleneck(report: Report, number: int, finding: Finding, lang: str) -> Iterator[str]:
    conclusion = md(finding.summary or finding.pattern)
    share = parts.share_text(report, finding, lang)
    sure = f"{say('label.sure', lang)}: {named.sure(finding.confidence, lang)}"
    yield f"{number}. {say('skill.conclusion', lang)}: **{conclusion}** ({md_code(finding.pattern)}, {share}, {sure})"
    for operator in finding.operators[:TOP]:
        yield _point("label.operator", named.operator_text(operator, lang), lang)
    for item in finding.evidence:
        limit = f", {say('label.limit', lang)} {md(item.limit)}" if item.limit else ""
        source = f" ({md(item.source)})" if item.source else ""
        yield (
            _point("label.evidence", "", lang)
            + f" {md_code(item.metric)} = {md(named.reading(item))}{limit}{source}"
        )


def _suggestions(report: Report, lang: str) -> Iterator[str]:
    if not report.recommendations:
        yield say("skill.no_suggestion", lang)
    for advice in report.recommendations[:TOP]:
        yield from _suggestion(report, advice, lang)


def _suggestion(report: Report, advice: Recommendation, lang: str) -> Iterator[str]:
    yield f"{advice.rank}. {say('skill.suggestion_label', lang)}: **{md(advice.title)}** ({md_code(advice.id)})"
    facts = (
        ("skill.related", named.finding_text(report, advice.finding)),
        ("label.gain", parts.gain_text(report, advice, lang)),
        ("label.basis", tell(advice.gain.basis, lang)),
        ("label.evidence", "; ".join(advice.evidence)),
        ("label.who", named.who_text(advice.who, advice.effort, lang)),
        ("label.steps", advice.steps[0] if len(advice.steps) == 1 else ""),
    )
    yield from (_point(key, text, lang) for key, text in facts if text)
    if len(advice.steps) > 1:
        yield _point("label.steps", "", lang)
        yield from (f"     {number}. {md_prose(step)}" for number, step in enumerate(advice.steps, 1))
    further = (
        ("label.check", advice.check),
        ("label.not_when", advice.when_not),
        ("label.sources", "; ".join(advice.sources)),
    )
    yield from (_point(key, text, lang, written=True) for key, text in further if text)
    if advice.snippet:
        yield ""
        language, code = code_of(advice.snippet)
        yield from (f"   {line}".rstrip() for line in md_fence(code, language))
        yield ""


def _point(key: str, text: str, lang: str, *, written: bool = False) -> str:
    """A line of facts; `written` text comes from an entry and may mark code with backticks."""
    label = say(key, lang)
    return f"   - {label[:1].upper()}{label[1:]}: {md_prose(text) if written else md(text)}".rstrip()
