"""A report in another language: what entries say from their translations, what the engine says from its templates.

The engine computes in English. Names of metrics, figures and units are the same in every language. `in_language` is for
every format; `told` for people only, because documents keep the sentences of the engine as programs know them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from kb.errors import KbError
from kb.model import Capture, Entry, Evidence, Finding, NotJudged, Recommendation, Report, SimilarCase
from kb.report import named, parts
from kb.report.catalogue import say
from kb.report.forecast import total_text
from kb.report.sentences import tell, tell_all

NO_REMEDY = "No remedy is ranked"  # how the engine's headline ends without advice
READINGS = 2  # of a finding that its summary repeats


def in_language(report: Report, lang: str) -> Report:
    """The report with findings, advice and cases in `lang`, as far as their entries are translated."""
    if lang == "en":
        return report
    entries = _entries()
    findings = tuple(_finding(item, entries, lang) for item in report.findings)
    advice = tuple(_advice(item, entries, lang) for item in report.recommendations)
    return replace(
        report,
        headline=_headline(report, findings, advice, lang),
        findings=findings,
        recommendations=advice,
        similar_cases=tuple(_case(item, entries, lang) for item in report.similar_cases),
    )


def told(report: Report, lang: str) -> Report:
    """The report with the sentences of the engine in `lang`, for the views that people read.

    The basis of a gain stays as it is: views say it with `kb.report.sentences.tell`, and read before whether it is modelled.
    """
    if lang == "en":
        return report
    return replace(
        report,
        headline=tell(report.headline, lang),
        chip=replace(report.chip, how=tell(report.chip.how, lang)),
        capture=_told_capture(report.capture, lang),
        findings=tuple(_told_finding(item, lang) for item in report.findings),
        not_judged=tuple(
            NotJudged(item.id, tell(item.reason, lang), tell(item.collect, lang))
            for item in report.not_judged
        ),
        recommendations=tuple(
            replace(item, evidence=tell_all(item.evidence, lang)) for item in report.recommendations
        ),
        similar_cases=tuple(replace(item, why=tell(item.why, lang)) for item in report.similar_cases),
        warnings=tell_all(report.warnings, lang),
        key_data=tuple(_told_evidence(item, lang) for item in report.key_data),
    )


def _told_capture(item: Capture, lang: str) -> Capture:
    """Its versions: where they were inferred, a remark says from what."""
    tool, cann = (version and tell(version, lang) for version in (item.tool_version, item.cann_version))
    return replace(item, tool_version=tool, cann_version=cann)


def _told_finding(item: Finding, lang: str) -> Finding:
    evidence = tuple(_told_evidence(found, lang) for found in item.evidence)
    return replace(item, summary=tell(item.summary, lang), evidence=evidence)


def _told_evidence(item: Evidence, lang: str) -> Evidence:
    value = tell(item.value, lang) if isinstance(item.value, str) and " " in item.value else item.value
    return replace(item, value=value, limit=tell(item.limit, lang), source=tell(item.source, lang))


def _headline(
    report: Report, findings: Sequence[Finding], advice: Sequence[Recommendation], lang: str
) -> str:
    """The first finding and its operator, then the first advice; before them, where nothing was measured, the time foretold."""
    text = ""
    if findings:
        name = named.subject(findings[0], lang) if findings[0].scope == "operator" else ""
        summary = findings[0].summary or findings[0].pattern
        text = f"{name}: {summary}" if name and not summary.startswith(name) else summary
        text = say("headline.verdict", lang, text=text, then=_then(report, advice, lang))
    if report.forecast is not None:
        return f"{say('forecast.verdict', lang, total=total_text(report.forecast))} {text}".rstrip()
    return text or report.headline


def _then(report: Report, advice: Sequence[Recommendation], lang: str) -> str:
    """What to do first, or that no remedy is ranked, as the engine's headline ends."""
    if not advice:
        at = report.headline.find(NO_REMEDY)
        return tell(report.headline[at:], lang) if at >= 0 else ""
    best = advice[0]
    numbers = {finding.id: number for number, finding in enumerate(report.findings, 1)}
    words = {"title": best.title, "gain": parts.gain_brief(report, best, lang)}
    number = numbers.get(best.finding, 1)
    if number == 1:
        return say("headline.first", lang, **words)
    found, verdict = report.findings[number - 1], report.findings[0]
    name = named.subject(found, lang)
    pattern = f"{found.pattern}, {name}" if name and name != named.subject(verdict, lang) else found.pattern
    return say("headline.first.other", lang, number=number, pattern=pattern, **words)


def _finding(item: Finding, entries: Mapping[str, Entry], lang: str) -> Finding:
    """Its sentence; where that is not known in `lang`, the title of its pattern with the readings that it rests on."""
    summary = tell(item.summary, lang)
    if summary != item.summary:
        return replace(item, summary=summary)
    entry = entries.get(item.pattern)
    if entry is None:
        return item
    readings = (f"{found.metric} {named.reading(found)}" for found in item.evidence[:READINGS])
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


def headline_in(headline: str, lang: str) -> str:
    """The headline of a kept run where its report is not at hand: the engine's sentence, and the title of its advice."""
    if lang == "en":
        return headline
    titles = {
        entry.title.en: entry.title.get(lang) for entry in _entries().values() if entry.title.en in headline
    }
    best = max(titles, key=len, default="")
    return tell(headline, lang).replace(best, titles[best]) if best else tell(headline, lang)


def title_of(entry: str, title: str, lang: str) -> str:
    """The title of an entry in `lang`; as it is given for English and for what is no entry."""
    found = None if lang == "en" else _entries().get(entry)
    return title if found is None else found.title.get(lang)


def _entries() -> Mapping[str, Entry]:
    """All entries; none where the knowledge base is at fault, which must not cost the report."""
    from kb.knowledge.store import load_entries  # noqa: PLC0415 - English needs none of them

    try:
        return load_entries()
    except KbError:
        return {}
