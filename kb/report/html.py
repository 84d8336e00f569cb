"""The report as one self-contained page, fit to print and to pass on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from kb.model import Evidence, Finding, Recommendation, Report
from kb.report import answer, forecast, job, named, parts
from kb.report.catalogue import say
from kb.report.chart import CHARTS
from kb.report.page import Block, Heading
from kb.report.page.html import block, table
from kb.report.sentences import tell
from kb.report.sheet import esc, sheet
from kb.report.text import clean_lines, code_of
from kb.report.translated import told

NAME = "html"
EXTENSION = ".html"
BINARY = False
_ADDRESS = re.compile(r"https://[0-9A-Za-z.-]+(/[\w./%#?=&~+@:-]*)?", re.ASCII)


def render(report: Report, *, lang: str = "en", width: int = 80, color: bool = False) -> str:  # noqa: ARG001
    """The report as a page; no text in it can become markup."""
    return sheet(_title(report, lang), "\n".join(_body(report, lang, "")), lang=lang, scripted=True)


def still(report: Report, *, lang: str = "en") -> str:
    """The same page without its script, for a place where none may run."""
    return sheet(_title(report, lang), "\n".join(_body(report, lang, "")), lang=lang)


def render_many(reports: Sequence[Report], *, lang: str = "en", width: int = 80, color: bool = False) -> str:  # noqa: ARG001
    """Several reports below one another on one page."""
    bodies = ("\n".join(_body(report, lang, f"{at}-")) for at, report in enumerate(reports, 1))
    return sheet(say("report.title", lang), "\n<hr>\n".join(bodies), lang=lang, scripted=True)


def _title(report: Report, lang: str) -> str:
    return f"{report.target} · {say('report.title', lang)}"


# Heading and what stands below it; also the contents of the page.
_Section = Callable[[Report, str, str], Iterator[str]]


def _sections() -> tuple[tuple[str, _Section], ...]:
    return (
        ("head.charts", _charts), ("head.data", _key_data), ("head.forecast", _forecast), ("head.job", _job), ("head.operators", _operators), ("head.findings", _findings),
        ("head.recommendations", _recommendations), ("head.cases", _cases), ("head.unjudged", _unjudged),
        ("head.warnings", _warnings), ("head.files", _files),
    )  # fmt: skip


def _body(report: Report, lang: str, prefix: str) -> Iterator[str]:
    """The whole page of one report; `prefix` keeps its anchors apart from those of others on the page."""
    report = told(report, lang)
    facts = [named.chip_text(report, lang), named.capture_text(report, lang)]
    facts.append(parts.time_whole(report, lang))
    yield f'<main>\n<h1>{esc(report.target)}</h1>\n<p class="quiet">{esc(" · ".join(filter(None, facts)))}</p>'
    yield from _answer(report, lang, prefix)
    drawn = [(key, list(section(report, lang, prefix))) for key, section in _sections()]
    drawn = [(key, lines) for key, lines in drawn if lines]
    links = (f'<a href="#{prefix}{key.removeprefix("head.")}">{esc(say(key, lang))}</a>' for key, _ in drawn)
    yield f'<nav aria-label="{esc(say("page.contents", lang))}">{" ".join(links)}</nav>'
    label, counted = esc(say("page.filter", lang)), esc(say("page.filtered", lang))
    yield (
        f'<div class="filter"><input type="search" placeholder="{label}" aria-label="{label}">'
        f'<output class="quiet" data-text="{counted}"></output></div>'
    )
    for key, lines in drawn:
        yield f'<section id="{prefix}{key.removeprefix("head.")}">\n<h2>{esc(say(key, lang))}</h2>'
        yield from lines
        yield "</section>"
    versions = ", ".join(f"{name} {version}" for name, version in report.versions.items())
    footer = " · ".join(
        part for part in (f"{say('label.run', lang)} {report.run}" if report.run else "", versions) if part
    )
    if footer:
        yield f"<footer>{esc(footer)}</footer>"
    yield "</main>"


def _answer(report: Report, lang: str, prefix: str) -> Iterator[str]:
    yield '<div class="card answer"><dl>'
    for line in answer.answer(report, lang):
        note = f" <small>{esc(line.note)}</small>" if line.note else ""
        yield f"<dt>{esc(line.label)}</dt><dd>{esc(line.text)}{note}</dd>"
    if len(report.recommendations) > 1:
        links = "".join(
            f'<li><a href="#{prefix}advice-{advice.rank}">{esc(advice.title)}</a> '
            f"<small>{esc(parts.gain_text(report, advice, lang))}</small></li>"
            for advice in report.recommendations[1:3]
        )
        yield f'<dt>{esc(say("page.then", lang))}</dt><dd><ol start="2">{links}</ol></dd>'
    yield "</dl></div>"


def _charts(report: Report, lang: str, prefix: str) -> Iterator[str]:  # noqa: ARG001
    for chart in CHARTS:
        yield from chart.draw(report, lang)


def _evidence(items: Sequence[Evidence], lang: str) -> Iterator[str]:
    if not items:
        return
    metric, value, limit, source = (
        say(f"label.{key}", lang) for key in ("metric", "value", "limit", "source")
    )
    rows = tuple(
        (
            f"<code>{esc(item.metric)}</code>",
            esc(named.reading(item)),
            _bar(item, lang),
            esc(item.limit),
            f"<small>{esc(item.source)}</small>",
        )
        for item in items
    )
    yield from table((metric, value, "", limit, source), rows, frozenset({1}))


def _bar(item: Evidence, lang: str) -> str:
    """A share as a bar, and what it is a share of."""
    share, part = named.fraction(item), named.part_of(item, lang)
    drawn = "" if share is None else f'<span class="bar"><i style="width:{share * 100:.1f}%"></i></span>'
    return drawn + (f" <small>{esc(part)}</small>" if part else "")


def _key_data(report: Report, lang: str, prefix: str) -> Iterator[str]:  # noqa: ARG001
    yield from _evidence(named.key_data(report), lang)


def _operators(report: Report, lang: str, prefix: str) -> Iterator[str]:  # noqa: ARG001
    if not report.operators or report.forecast is not None:
        return
    heads = tuple(say(f"label.{key}", lang) for key in ("operator", "core", "shapes", "count", "time"))
    longest = named.by_time(report)
    rows = tuple(
        (
            esc(named.operator_name(item, lang)),
            esc(item.core),
            esc(item.shapes),
            str(item.count),
            esc(named.time_text(item)),
        )
        for item in longest[:30]
    )
    yield from table(heads, rows, frozenset({3, 4}), row="<tr data-f>")
    if len(longest) > len(rows):
        yield f'<p class="quiet">{esc(say("count.more", lang, count=len(longest) - len(rows)))}</p>'


def _forecast(report: Report, lang: str, prefix: str) -> Iterator[str]:  # noqa: ARG001
    if report.forecast is None:
        return
    yield from _within(forecast.blocks(report.forecast, lang, most=40))


def _within(parts: Iterable[Block]) -> Iterator[str]:
    """Blocks within a section: their headings are one level lower."""
    for part in parts:
        for line in block(part):
            yield (
                line.replace("<h2>", "<h3>").replace("</h2>", "</h3>") if isinstance(part, Heading) else line
            )


def _job(report: Report, lang: str, prefix: str) -> Iterator[str]:  # noqa: ARG001
    if report.job is not None:
        yield from _within(job.blocks(report.job, lang))


def _findings(report: Report, lang: str, prefix: str) -> Iterator[str]:
    for number, finding in enumerate(report.findings, 1):
        mended = [advice for advice in report.recommendations if advice.finding == finding.id]
        yield from _finding(report, number, finding, mended[:3], lang, prefix)


def _finding(
    report: Report,
    number: int,
    finding: Finding,
    mended: Sequence[Recommendation],
    lang: str,
    prefix: str,
) -> Iterator[str]:
    share = parts.share_text(report, finding, lang)
    facts = f"{finding.pattern} · {share} · {say('label.sure', lang)}: {named.sure(finding.confidence, lang)}"
    heading = f'<span class="rank">{number}</span>{esc(finding.summary or finding.pattern)}'
    yield f'<div class="card" id="{prefix}finding-{number}" data-f><h3>{heading}</h3>'
    yield f'<p class="quiet">{esc(facts)}</p>'
    yield from (f"<p>{esc(named.operator_text(operator, lang))}</p>" for operator in finding.operators[:5])
    if len(finding.operators) > 5:
        yield f'<p class="quiet">{esc(say("count.more", lang, count=len(finding.operators) - 5))}</p>'
    yield from _evidence(finding.evidence, lang)
    if mended:
        links = " · ".join(
            f'<a href="#{prefix}advice-{advice.rank}">{advice.rank} {esc(advice.title)}</a>'
            for advice in mended
        )
        yield f"<p>→ {links}</p>"
    yield "</div>"


def _recommendations(report: Report, lang: str, prefix: str) -> Iterator[str]:
    for advice in report.recommendations:
        yield from _recommendation(report, advice, lang, prefix)


def _recommendation(report: Report, advice: Recommendation, lang: str, prefix: str) -> Iterator[str]:
    yield f'<div class="card" id="{prefix}advice-{advice.rank}" data-f><h3><span class="rank">{advice.rank}</span>{esc(advice.title)}</h3>'
    yield f'<p class="gain">{esc(parts.gain_text(report, advice, lang))}</p>'
    facts = (
        ("label.basis", esc(tell(advice.gain.basis, lang))),
        ("label.finding", _finding_link(report, advice.finding, prefix)),
        ("label.evidence", _list(advice.evidence)),
        ("label.who", esc(named.who_text(advice.who, advice.effort, lang))),
        ("label.steps", _list(advice.steps, ordered=True)),
        ("label.check", esc(advice.check)),
        ("label.not_when", esc(advice.when_not)),
        ("label.sources", "<br>".join(map(_source, advice.sources))),
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


def _finding_link(report: Report, id: str, prefix: str) -> str:
    text = esc(named.finding_text(report, id))
    at = next((number for number, found in enumerate(report.findings, 1) if found.id == id), None)
    return text if at is None else f'<a href="#{prefix}finding-{at}">{text}</a>'


def _source(text: str) -> str:
    """A source; one that is a web address as a link that tells nobody where it was followed from."""
    if not _ADDRESS.fullmatch(text):
        return esc(text)
    return f'<a href="{esc(text)}" rel="noreferrer noopener">{esc(text)}</a>'


def _list(items: Sequence[str], *, ordered: bool = False) -> str:
    if len(items) < 2:
        return esc(items[0]) if items else ""
    tag = "ol" if ordered else "ul"
    return f"<{tag}>" + "".join(f"<li>{esc(item)}</li>" for item in items) + f"</{tag}>"


def _cases(report: Report, lang: str, prefix: str) -> Iterator[str]:  # noqa: ARG001
    for case in report.similar_cases:
        yield f"<p>{esc(case.title)} <code>{esc(case.id)}</code> <small>{esc(say('case.score', lang, score=f'{case.score:.2f}'))} · {esc(case.why)}</small></p>"


def _unjudged(report: Report, lang: str, prefix: str) -> Iterator[str]:  # noqa: ARG001
    for (reason, collect), ids in named.unjudged_by_reason(report).items():
        how = f"<br>{esc(say('label.collect', lang))}: <code>{esc(collect)}</code>" if collect else ""
        names = ", ".join(f"<code>{esc(id)}</code>" for id in ids)
        yield f"<p>{esc(reason)}{how}<br><small>{names}</small></p>"


def _warnings(report: Report, lang: str, prefix: str) -> Iterator[str]:  # noqa: ARG001
    yield from (f'<p class="warn">{esc(warning)}</p>' for warning in report.warnings)


def _files(report: Report, lang: str, prefix: str) -> Iterator[str]:  # noqa: ARG001
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
