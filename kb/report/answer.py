"""What the first screen says: what bounds it, what could be won, what to do first, how sure that is."""

from __future__ import annotations

from dataclasses import dataclass

from kb import units
from kb.model import Finding, PipeShare, Recommendation, Report
from kb.report import named, parts
from kb.report.catalogue import say
from kb.report.sentences import tell
from kb.report.three import first_three


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the answer: its label, the text, and a quieter note."""

    label: str
    text: str
    note: str = ""


def answer(report: Report, lang: str) -> tuple[Line, ...]:
    """What bounds it, how much could be won at most, what to do first, how sure that is, what to mind."""
    first = report.findings[0] if report.findings else None
    lines = [Line(say("answer.bound", lang), _bound(report, lang), _bound_note(report, first, lang))]
    if first is not None:
        lines.append(Line(say("answer.win", lang), *_to_win(report, lang)))
    if report.recommendations:
        best = report.recommendations[0]
        lines.append(Line(say("answer.first", lang), best.title, _first_note(report, best, lang)))
        lines += _together(report, lang)
    elif first is not None:
        lines.append(Line(say("answer.first", lang), say("first.nothing", lang)))
    if first is not None:
        lines.append(Line(say("answer.sure", lang), *_how_sure(report, first, lang)))
    if report.warnings:
        mind, further = report.warnings[0], len(report.warnings) - 1
        lines.append(
            Line(
                say("answer.mind", lang),
                say("mind.more", lang, text=mind, count=further) if further else mind,
            )
        )
    return tuple(lines)


def _how_sure(report: Report, verdict: Finding, lang: str) -> tuple[str, str]:
    """How certain the cause is and how certain the gain, in a word each; what the gain rests on as the note."""
    cause = named.sure(verdict.confidence, lang)
    if not report.recommendations:
        return say("sure.verdict", lang, sure=cause), ""
    gain = report.recommendations[0].gain
    text = say("sure.both", lang, sure=cause, gain=say(f"sure.gain.{gain.ground}", lang))
    return text, say("sure.gain", lang, basis=tell(gain.basis, lang))


def _first_note(report: Report, best: Recommendation, lang: str) -> str:
    """What the first advice saves; where it answers another finding than the verdict's, for what, and why it is first."""
    text = parts.gain_text(report, best, lang)
    found = named.finding_of(report, best.finding)
    if found is None or found.id == report.findings[0].id:
        return text
    text = _other_subject(report, found, text, lang)
    own = next((item for item in report.recommendations if item.finding == report.findings[0].id), None)
    if own is None:
        return say("first.no_own", lang, text=text)
    more = parts.expected(report, best) > parts.expected(report, own)
    return say("first.own" if more else "first.rank", lang, text=text, rank=own.rank)


def _other_subject(report: Report, found: Finding, text: str, lang: str) -> str:
    """That the first advice is for another operator than the verdict, or against another finding of the same one."""
    verdict, finding = report.findings[0], named.finding_text(report, found.id)
    name, other = named.subject(found, lang), named.subject(verdict, lang)
    if not name or not other:
        return say("first.run", lang, text=text, finding=finding)
    if name == other or set(found.operators) & set(verdict.operators):
        return say("first.same", lang, text=text, finding=finding, name=name)
    return say("first.other", lang, text=text, finding=finding, name=name, verdict=other)


def _together(report: Report, lang: str) -> list[Line]:
    """What the first three save together, where there is more than one."""
    found = first_three(report)
    if found is None or found.likely <= 0:
        return []
    base = parts.base_of(report)
    part = parts.scale(report, found.base, base)
    low, likely, high = (units.percent(value * part) for value in (found.low, found.likely, found.high))
    of = say(f"of.{base}", lang)
    bounded = [item.gain.modelled for item in report.recommendations[: len(found.ids)]]
    how = say("three.how", lang)
    if all(bounded):
        text = say("three.most", lang, count=len(found.ids), high=high, of=of)
        return [Line(say("answer.three", lang), text, how)]
    text = say("three.text", lang, count=len(found.ids), low=low, likely=likely, high=high, of=of)
    if any(bounded):
        how = say("three.bounded", lang, text=how)
    return [Line(say("answer.three", lang), text, how)]


def _bound(report: Report, lang: str) -> str:
    if report.headline:
        return report.headline
    if report.findings:
        return report.findings[0].summary or report.findings[0].pattern
    if report.not_judged:
        return say("bound.unjudged", lang, count=len(report.not_judged))
    return say("bound.nothing", lang)


def _bound_note(report: Report, finding: Finding | None, lang: str) -> str:
    """Pattern and share of the verdict's finding, and why not the pipe that is busiest."""
    if finding is None:
        return ""
    note = f"{finding.pattern}, {parts.share_text(report, finding, lang)}"
    busier = _busier(report, finding)
    if busier is None:
        return note
    pipe, other = busier
    words = {"pipe": pipe.pipe, "share": units.percent(pipe.mean)}
    if other is None:
        return say("busier.sound", lang, text=note, **words)
    finding_of = named.finding_text(report, other.id)
    mine, theirs = finding.headroom, other.headroom
    if mine is not None and theirs is not None and theirs < mine:
        open_parts = {"open": units.percent(theirs), "mine": units.percent(mine)}
        return say("busier.less_open", lang, text=note, finding=finding_of, **words, **open_parts)
    sure_parts = {"sure": f"{other.confidence:.2g}", "mine": f"{finding.confidence:.2g}"}
    return say("busier.less_sure", lang, text=note, finding=finding_of, **words, **sure_parts)


def _busier(report: Report, finding: Finding) -> tuple[PipeShare, Finding | None] | None:
    """The busiest pipe of the finding's operator where the finding is about another one, and the finding about it."""
    own = {item.metric for item in finding.evidence if item.limit and item.metric.endswith("_ratio")}
    drawn = next((item for item in report.charts.pipes if item.operator in finding.operators[:1]), None)
    if drawn is None or not drawn.pipes or finding.scope != "operator":
        return None
    busiest = max(drawn.pipes, key=lambda pipe: pipe.mean)
    named = {f"{pipe.pipe}_ratio" for pipe in drawn.pipes} & own
    if not named or f"{busiest.pipe}_ratio" in own:
        return None
    about = next(
        (
            other
            for other in report.findings
            if other.operators[:1] == finding.operators[:1]
            and any(item.metric == f"{busiest.pipe}_ratio" and item.limit for item in other.evidence)
        ),
        None,
    )
    return busiest, about


def _to_win(report: Report, lang: str) -> tuple[str, str]:
    """Text and note of the upper bound."""
    bound = parts.most_to_win(report)
    if bound is None:
        return say("win.unknown", lang), ""
    if bound <= 0:
        return say("win.nothing", lang), ""
    known = {finding.operators for finding in report.findings if finding.headroom is not None}
    open_ended = dict.fromkeys(
        finding.pattern for finding in report.findings if finding.operators not in known
    )
    note = say("win.how", lang)
    if open_ended:
        note += f"; {say('win.open', lang, patterns=', '.join(open_ended))}"
    share, base = units.percent(bound), parts.base_of(report)
    whole = parts.whole_us(report, base)
    if whole is None:
        return say("win.bound", lang, share=share), note
    key = "win.elapsed" if base == "elapsed" else "win.bound_time"
    return say(key, lang, share=share, time=units.us(bound * whole)), note
