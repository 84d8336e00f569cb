"""A report in another language: what entries say is taken from their translations.

The engine computes in English. Names of metrics, figures and units are the same in every language; sentences that
only the engine has (warnings, reasons, the basis of a gain) stay in English.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from kb.errors import KbError
from kb.model import Entry, Finding, Recommendation, Report, SimilarCase
from kb.report import answer
from kb.report.catalogue import say
from kb.report.forecast import total_text

READINGS = 2  # of a finding that its summary repeats


def in_language(report: Report, lang: str) -> Report:
    """The report with findings, advice and cases in `lang`, as far as their entries are translated."""
    if lang == "en":
        return report
    entries = _entries()
    findings = tuple(_finding(item, entries, lang) for item in report.findings)
    return replace(
        report,
        headline=_headline(report, findings, lang),
        findings=findings,
        recommendations=tuple(_advice(item, entries, lang) for item in report.recommendations),
        similar_cases=tuple(_case(item, entries, lang) for item in report.similar_cases),
    )


def _headline(report: Report, findings: Sequence[Finding], lang: str) -> str:
    """The first finding and its operator; before it, where nothing was measured, that and the time foretold."""
    text = ""
    if findings:
        name = answer.subject(findings[0], lang) if findings[0].scope == "operator" else ""
        text = f"{name}: {findings[0].summary}" if name else findings[0].summary or findings[0].pattern
    if report.forecast is not None:
        return f"{say('forecast.verdict', lang, total=total_text(report.forecast))} {text}".rstrip()
    return text or report.headline


def _finding(item: Finding, entries: Mapping[str, Entry], lang: str) -> Finding:
    """The title of its pattern, with the readings that it rests on."""
    entry = entries.get(item.pattern)
    if entry is None:
        return item
    readings = (f"{found.metric} {answer.reading(found)}" for found in item.evidence[:READINGS])
    return replace(item, summary=f"{entry.title.get(lang)} ({', '.join(readings)})")


def _advice(item: Recommendation, entries: Mapping[str, Entry], lang: str) -> Recommendation:
    """Title and body; where only the remedy is translated it comes before the English steps."""
    entry = entries.get(item.id)
    if entry is None:
        return item
    title = entry.title.get(lang)
    if lang in entry.bodies:
        body = entry.body(lang)
        return replace(item, title=title, steps=body.steps, check=body.check, when_not=body.when_not)
    remedy = entry.remedy.get(lang)
    return replace(item, title=title, steps=(remedy, *item.steps) if remedy else item.steps)


def _case(item: SimilarCase, entries: Mapping[str, Entry], lang: str) -> SimilarCase:
    entry = entries.get(item.id)
    return item if entry is None else replace(item, title=entry.title.get(lang))


def _entries() -> Mapping[str, Entry]:
    """All entries; none where the knowledge base is at fault, which must not cost the report."""
    from kb.knowledge.store import load_entries  # noqa: PLC0415 - English needs none of them

    try:
        return load_entries()
    except KbError:
        return {}
