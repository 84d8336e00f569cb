"""The report as one self-contained page, fit to print and to pass on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kb.model import Evidence, Finding, Recommendation, Report
from kb.report import answer, forecast
from kb.report.catalogue import say
from kb.report.page.html import block, table
from kb.report.sheet import esc, sheet
from kb.report.text import clean_lines, code_of

NAME = "html"
EXTENSION = ".html"
BINARY = False


def render(report: Report, *, lang: str = "en", width: int = 80, color: bool = False) -> str:  # noqa: ARG001
    """The report as a page; no text in it can become markup."""
    return sheet(_title(report, lang), "\n".join(_body(report, lang)), lang=lang)


def render_many(reports: Sequence[Report], *, lang: str = "en", width: int = 80, color: bool = False) -> str:  # noqa: ARG001
    """Several reports below one another on one page."""
    bodies = ("\n".join(_body(report, lang)) for report in reports)
    return sheet(say("report.title", lang), "\n<hr>\n".join(bodies), lang=lang)


def _title(report: Report, lang: str) -> str:
    return f"{report.target} · {say('report.title', lang)}"


def _body(report: Report, lang: str) -> Iterator[str]:
    facts = [answer.chip_text(report, lang), answer.capture_text(report, lang)]
    facts.append(answer.time_whole(report, lang))
    yield f'<h1>{esc(report.target)}</h1>\n<p class="quiet">{esc(" · ".join(filter(None, facts)))}</p>'
    yield from _answer(report, lang)
    for key, section in (
        ("head.data", _key_data), ("forecast.title", _forecast), ("head.operators", _operators), ("head.findings", _findings),
        ("head.recommendations", _recommendations), ("head.cases", _cases), ("head.unjudged", _unjudged),
        ("head.warnings", _warnings), ("head.files", _files),
    ):  # fmt: skip
        lines = list(section(report, lang))
        if lines:
            yield f"<section>\n<h2>{esc(say(key, lang))}</h2>"
            yield from lines
            yield "</section>"
    versions = ", ".join(f"{name} {version}" for name, version in report.versions.items())
    footer = " · ".join(
        part for part in (f"{say('label.run', lang)} {report.run}" if report.run else "", versions) if part
    )
    if footer:
        yield f"<footer>{esc(footer)}</footer>"


def _answer(report: Report, lang: str) -> Iterator[str]:
    yield '<div class="card answer"><dl>'
    for line in answer.answer(report, lang):
        note = f" <small>{esc(line.note)}</small>" if line.note else ""
        yield f"<dt>{esc(line.label)}</dt><dd>{esc(line.text)}{note}</dd>"
    yield "</dl></div>"


def _evidence(items: Sequence[Evidence], lang: str) -> Iterator[str]:
    if not items:
        return
    metric, value, limit, source = (
        say(f"label.{key}", lang) for key in ("metric", "value", "limit", "source")
    )
    rows = tuple(
        (
            f"<code>{esc(item.metric)}</code>",
            esc(answer.reading(item)),
            _bar(item),
            esc(item.limit),
            f"<small>{esc(item.source)}</small>",
        )
        for item in items
    )
    yield from table((metric, value, "", limit, source), rows, frozenset({1}))


def _bar(item: Evidence) -> str:
    share = answer.fraction(item)
    return "" if share is None else f'<span class="bar"><i style="width:{share * 100:.1f}%"></i></span>'


def _key_data(report: Report, lang: str) -> Iterator[str]:
    yield from _evidence(answer.key_data(report), lang)


def _operators(report: Report, lang: str) -> Iterator[str]:
    if not report.operators or report.forecast is not None:
        return
    heads = tuple(say(f"label.{key}", lang) for key in ("operator", "core", "shapes", "count", "time"))
    longest = answer.by_time(report)
    rows = tuple(
        (
            esc(answer.operator_name(item, lang)),
            esc(item.core),
            esc(item.shapes),
            str(item.count),
            esc(answer.time_text(item)),
        )
        for item in longest[:30]
    )
    yield from table(heads, rows, frozenset({3, 4}))
    if len(longest) > len(rows):
        yield f'<p class="quiet">{esc(say("count.more", lang, count=len(longest) - len(rows)))}</p>'


def _forecast(report: Report, lang: str) -> Iterator[str]:
    if report.forecast is None:
        return
    for part in forecast.blocks(report.forecast, lang, most=40):
        yield from block(part)


def _findings(report: Report, lang: str) -> Iterator[str]:
    for number, finding in enumerate(report.findings, 1):
        yield from _finding(number, finding, lang)


def _finding(number: int, finding: Finding, lang: str) -> Iterator[str]:
    share = answer.share_text(finding, lang)
    facts = (
        f"{finding.pattern} · {share} · {say('label.sure', lang)}: {answer.sure(finding.confidence, lang)}"
    )
    yield f'<div class="card"><h3><span class="rank">{number}</span>{esc(finding.summary or finding.pattern)}</h3>'
    yield f'<p class="quiet">{esc(facts)}</p>'
    yield from (f"<p>{esc(answer.operator_text(operator, lang))}</p>" for operator in finding.operators[:5])
    if len(finding.operators) > 5:
        yield f'<p class="quiet">{esc(say("count.more", lang, count=len(finding.operators) - 5))}</p>'
    yield from _evidence(finding.evidence, lang)
    yield "</div>"


def _recommendations(report: Report, lang: str) -> Iterator[str]:
    for advice in report.recommendations:
        yield from _recommendation(report, advice, lang)


def _recommendation(report: Report, advice: Recommendation, lang: str) -> Iterator[str]:
    yield f'<div class="card"><h3><span class="rank">{advice.rank}</span>{esc(advice.title)}</h3>'
    yield f'<p class="gain">{esc(answer.gain_text(report, advice, lang))}</p>'
    effort = f"{say('label.effort', lang)}: {advice.effort}" if advice.effort else ""
    facts = (
        ("label.basis", esc(advice.gain.basis)),
        ("label.finding", esc(answer.finding_text(report, advice.finding))),
        ("label.evidence", _list(advice.evidence)),
        ("label.who", esc(", ".join(part for part in (advice.who, effort) if part))),
        ("label.steps", _list(advice.steps, ordered=True)),
        ("label.check", esc(advice.check)),
        ("label.not_when", esc(advice.when_not)),
        ("label.sources", _list(advice.sources)),
        ("label.entry", f"<code>{esc(advice.id)}</code> ({esc(advice.kind)})"),
    )
    yield (
        "<dl>"
        + "".join(f"<dt>{esc(say(key, lang))}</dt><dd>{text}</dd>" for key, text in facts if text)
        + "</dl>"
    )
    if advice.snippet:
        code = "\n".join(esc(line, keep_blanks=True) for line in clean_lines(code_of(advice.snippet)[1]))
        yield f"<details><summary>{esc(say('label.snippet', lang))}</summary><pre><code>{code}</code></pre></details>"
    yield "</div>"


def _list(items: Sequence[str], *, ordered: bool = False) -> str:
    if len(items) < 2:
        return esc(items[0]) if items else ""
    tag = "ol" if ordered else "ul"
    return f"<{tag}>" + "".join(f"<li>{esc(item)}</li>" for item in items) + f"</{tag}>"


def _cases(report: Report, lang: str) -> Iterator[str]:  # noqa: ARG001
    for case in report.similar_cases:
        yield f"<p>{esc(case.title)} <code>{esc(case.id)}</code> <small>{case.score:.2f} · {esc(case.why)}</small></p>"


def _unjudged(report: Report, lang: str) -> Iterator[str]:
    for (reason, collect), ids in answer.unjudged_by_reason(report).items():
        how = f"<br>{esc(say('label.collect', lang))}: <code>{esc(collect)}</code>" if collect else ""
        names = ", ".join(f"<code>{esc(id)}</code>" for id in ids)
        yield f"<p>{esc(reason)}{how}<br><small>{names}</small></p>"


def _warnings(report: Report, lang: str) -> Iterator[str]:  # noqa: ARG001
    yield from (f'<p class="warn">{esc(warning)}</p>' for warning in report.warnings)


def _files(report: Report, lang: str) -> Iterator[str]:
    if not report.files:
        return
    heads = (say("label.file", lang), say("label.type", lang), say("label.rows", lang))
    rows = []
    for item in report.files:
        count = "" if item.rows is None else str(item.rows)
        if item.rows_lost:
            count = say("rows.lost", lang, rows=count, lost=item.rows_lost)
        rows.append((esc(item.path), esc(item.kind), esc(count)))
    yield from table(heads, tuple(rows), frozenset({2}))
