"""What the first screen says, and the sentences that several views share."""

from __future__ import annotations

from dataclasses import dataclass

from kb import units
from kb.addition import plain_sum
from kb.model import Chip, Evidence, Finding, Gain, OperatorRef, PipeShare, Recommendation, Report
from kb.report.catalogue import TEXTS, say
from kb.report.sentences import tell
from kb.report.text import clean, shorten
from kb.report.three import first_three

CANDIDATES = 4  # chips named where several fit and their product lines are not known
MAX_NAME = 60  # columns of an operator's name within a sentence
ALL = 0.995  # a share from here on is the whole


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
        basis = (
            say("sure.gain", lang, basis=tell(report.recommendations[0].gain.basis, lang))
            if report.recommendations
            else ""
        )
        told = say("sure.verdict", lang, sure=sure(first.confidence, lang))
        lines.append(Line(say("answer.sure", lang), told, basis))
    if report.warnings:
        mind, further = report.warnings[0], len(report.warnings) - 1
        lines.append(
            Line(
                say("answer.mind", lang),
                say("mind.more", lang, text=mind, count=further) if further else mind,
            )
        )
    return tuple(lines)


def _first_note(report: Report, best: Recommendation, lang: str) -> str:
    """What the first advice saves; where it answers another finding than the verdict's, which, and why it is first."""
    text = gain_text(report, best, lang)
    if not report.findings or best.finding == report.findings[0].id:
        return text
    text = say("first.against", lang, text=text, finding=finding_text(report, best.finding))
    own = next((item for item in report.recommendations if item.finding == report.findings[0].id), None)
    if own is None:
        return say("first.no_own", lang, text=text)
    return say("first.own", lang, text=text, rank=own.rank)


def _together(report: Report, lang: str) -> list[Line]:
    """What the first three save together, where there is more than one."""
    found = first_three(report)
    if found is None or found.likely <= 0:
        return []
    base = _base(report)
    part = _scale(report, found.base, base)
    low, likely, high = (units.percent(value * part) for value in (found.low, found.likely, found.high))
    of = say(f"of.{base}", lang)
    text = say("three.text", lang, count=len(found.ids), low=low, likely=likely, high=high, of=of)
    how = say("three.how", lang)
    if any(item.gain.modelled for item in report.recommendations[: len(found.ids)]):
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
    note = f"{finding.pattern}, {share_text(report, finding, lang)}"
    busier = _busier(report, finding)
    if busier is None:
        return note
    pipe, other = busier
    words = {"pipe": pipe.pipe, "share": units.percent(pipe.mean)}
    if other is None:
        return say("busier.sound", lang, text=note, **words)
    finding_of = finding_text(report, other.id)
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
    bound = most_to_win(report)
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
    share, base = units.percent(bound), _base(report)
    whole = _whole_us(report, base)
    if whole is None:
        return say("win.bound", lang, share=share), note
    key = "win.elapsed" if base == "elapsed" else "win.bound_time"
    return say(key, lang, share=share, time=units.us(bound * whole)), note


def _base(report: Report) -> str:
    """What the bound of all findings is a part of: the elapsed time where idle time is among what could be won."""
    idle = report.elapsed_us is not None and report.total_us is not None
    return "elapsed" if idle and any(finding.base == "elapsed" for finding in report.findings) else "run"


def _whole_us(report: Report, base: str) -> float | None:
    return report.elapsed_us if base == "elapsed" else report.total_us


def _scale(report: Report, base: str, whole: str) -> float:
    """Turns a part of `base` (run or elapsed time) into a part of `whole`."""
    one, all_of = _whole_us(report, base), _whole_us(report, whole)
    return 1.0 if base == whole or not (one and all_of) else one / all_of


def most_to_win(report: Report) -> float | None:
    """Most that all findings together could save, as a fraction of the run (of the elapsed time where idle time is
    among it); None where none has a floor.

    Findings about the same operators compete for the same time, so only the largest of each group counts. A
    finding without a floor counts with its whole time unless another one about the same operators has a
    floor.
    """
    base = _base(report)

    def part(finding: Finding) -> float:
        return finding.share * _scale(report, finding.base, base)

    floors: dict[tuple[str, tuple[OperatorRef, ...]], float] = {}
    for finding in report.findings:
        if finding.headroom is not None:
            won = part(finding) * finding.headroom
            key = finding.base, finding.operators
            floors[key] = max(floors.get(key, won), won)
    if not floors:
        return None
    all_of = {(finding.base, finding.operators): part(finding) for finding in reversed(report.findings)}
    return min(plain_sum((all_of | floors).values()), 1.0)


def concerned(report: Report, finding: Finding) -> float:
    """The part of the whole that a finding concerns, comparable between findings; `whole_concerned` names the whole."""
    return finding.share * _scale(report, finding.base, _base(report))


def whole_concerned(report: Report, lang: str) -> str:
    """What the parts of `concerned` are parts of: the run's time, or the elapsed time."""
    return say(f"share.head.{_base(report)}", lang)


def share_text(report: Report, finding: Finding, lang: str) -> str:
    """What part of the whole a finding concerns, and what part of the whole could be won: both of the same time."""
    base, part = _base(report), concerned(report, finding)
    whole = part >= ALL
    key = f"share.all.{base}" if whole else f"share.{base}"
    text = say(key, lang) if whole else say(key, lang, share=units.percent(part))
    if finding.headroom is None:
        return text
    if finding.headroom <= 0:
        return say("share.nothing", lang, text=text)
    return say(f"share.open.{base}", lang, text=text, open=units.percent(part * finding.headroom))


def time_whole(report: Report, lang: str) -> str:
    """The time of the run, and over how many ranks it is added up; empty where it is not known."""
    if report.total_us is None:
        return ""
    time = units.us(report.total_us)
    if _base(report) == "elapsed" and report.elapsed_us is not None:
        time = say("time.elapsed", lang, time=time, elapsed=units.us(report.elapsed_us))
    return say("time.ranks", lang, time=time, count=report.ranks) if report.ranks else time


def sure(confidence: float, lang: str) -> str:
    """A confidence in words with its number: high (0.86)."""
    if confidence >= 0.8:
        word = say("sure.high", lang)
    elif confidence >= 0.5:
        word = say("sure.medium", lang)
    else:
        word = say("sure.low", lang)
    return f"{word} ({confidence:.2g})"


def who_text(who: str, effort: str, lang: str) -> str:
    """Whose work an advice is and how much; a word that is none of the vocabulary stands as it is."""
    keys = ((f"who.{who}", who), (f"who.effort.{effort}", effort))
    return ", ".join(say(key, lang) if key in TEXTS else word for key, word in keys if word)


def gain_text(report: Report, advice: Recommendation, lang: str) -> str:
    """What an advice saves of the whole, in percent and time, its range, and what that is of the operator's time."""
    gain, found = advice.gain, _found(report, advice.finding)
    part, of = _part_of_whole(report, advice, lang)
    whole = None if found is None else _whole_us(report, _base(report))
    low, likely, high = (units.percent(value * part) for value in (gain.low, gain.likely, gain.high))
    if gain.likely <= 0:
        return say("gain.none", lang, low=low, high=high, of=of)
    told = gain.high if gain.modelled else gain.likely
    key = "gain.most" if gain.modelled else "gain.point"
    text = say(key, lang, high=high, likely=likely, of=of)
    if whole is not None:
        text = say("gain.time", lang, text=text, time=units.us(whole * part * told))
    if not gain.modelled and low != high:
        text = say("gain.range", lang, text=text, low=low, high=high)
    if gain.of == "run" or found is None or found.share >= ALL:
        return text
    return say("gain.share", lang, text=text, share=units.percent(told), name=subject(found, lang))


def gain_brief(report: Report, advice: Recommendation, lang: str) -> str:
    """The one figure of `gain_text` with what it is of, as it stands in a headline."""
    gain = advice.gain
    part, of = _part_of_whole(report, advice, lang)
    key = "gain.brief.most" if gain.modelled else "gain.brief"
    return say(key, lang, share=units.percent((gain.high if gain.modelled else gain.likely) * part), of=of)


def _part_of_whole(report: Report, advice: Recommendation, lang: str) -> tuple[float, str]:
    """What turns a gain into a part of the whole, and the whole in words; of an unknown finding it stays what it is of."""
    found, base, gain = _found(report, advice.finding), _base(report), advice.gain
    if found is None:
        return 1.0, say("of.operator" if gain.of == "operator" else f"of.{base}", lang)
    part = found.share if gain.of == "operator" else 1.0
    return part * _scale(report, found.base, base), say(f"of.{base}", lang)


def gain_short(gain: Gain, scale: float = 1.0) -> str:
    """A gain in one figure: the likely one, or the bound where nobody published any; `scale` makes it one of a whole."""
    return f"≤ {units.percent(gain.high * scale)}" if gain.modelled else units.percent(gain.likely * scale)


def gain_of_whole(report: Report, advice: Recommendation) -> str:
    """A gain in one figure, as a part of what `whole_saved` names: comparable between operators."""
    found = _found(report, advice.finding)
    if found is None:
        return gain_short(advice.gain)
    part = 1.0 if advice.gain.of == "run" else found.share
    return gain_short(advice.gain, part * _scale(report, found.base, _base(report)))


def whole_saved(report: Report, lang: str) -> str:
    """What the gains of `gain_of_whole` are parts of: the run's time, or the elapsed time."""
    return say(f"saved.{_base(report)}", lang)


def subject(finding: Finding, lang: str) -> str:
    """The operators that a finding is about: the first by name, how many more kinds; empty for none."""
    names = list(dict.fromkeys(operator_name(operator, lang) for operator in finding.operators))
    if not names:
        return ""
    more = f" {say('count.more', lang, count=len(names) - 1)}" if len(names) > 1 else ""
    return shorten(clean(names[0]), MAX_NAME) + more


def _found(report: Report, finding: str) -> Finding | None:
    return next((found for found in report.findings if found.id == finding), None)


def by_time(report: Report) -> list[OperatorRef]:
    """The operators with the longest first; those whose time is not known keep their order at the end."""
    return sorted(report.operators, key=lambda operator: -(operator.time_us or 0.0))


def finding_text(report: Report, id: str) -> str:
    """A finding by its number in the report and its pattern, as advice refers to it."""
    for number, finding in enumerate(report.findings, 1):
        if finding.id == id:
            return f"{number} {finding.pattern}"
    return id


def against(report: Report, id: str, lang: str) -> str:
    """Which finding some advice is against, and of which operators."""
    found = _found(report, id)
    name = "" if found is None else subject(found, lang)
    text = say("advice.against", lang, finding=finding_text(report, id))
    return f"{text} · {name}" if name else text


def reading(evidence: Evidence) -> str:
    """The value of an evidence with its unit, for people."""
    if isinstance(evidence.value, str):
        return evidence.value
    return units.number(evidence.value, evidence.unit)


def fraction(evidence: Evidence) -> float | None:
    """The value where it is a fraction of one, and so can be drawn as a bar."""
    value = evidence.value
    return value if evidence.unit == "1" and isinstance(value, float) and 0 <= value <= 1 else None


def core_spread(share: PipeShare, lang: str) -> str:
    """Lowest and highest core of a pipe, empty where the tool gives no cores."""
    if not share.cores:
        return ""
    low, high = units.percent(share.cores[0]), units.percent(share.cores[-1])
    if low == high and len(share.cores) > 1:
        return say("chart.pipes.even", lang, count=len(share.cores))
    return say("chart.pipes.spread", lang, low=low, high=high, count=len(share.cores))


def key_data(report: Report) -> tuple[Evidence, ...]:
    """The readings that the report chose, else the evidence of its findings; each metric once."""
    chosen = report.key_data or tuple(item for finding in report.findings for item in finding.evidence)
    once: dict[str, Evidence] = {}
    for item in chosen:
        once.setdefault(item.metric, item)
    return tuple(once.values())


def chip_name(chip: Chip, lang: str) -> str:
    """The chip, or those that fit: a few by name, more by their product lines; empty where nothing is known."""
    if chip.soc or not chip.candidates:
        return chip.soc or ""
    count = len(chip.candidates)
    if chip.series:
        return say("chip.candidates.many", lang, count=count, names=", ".join(chip.series))
    names = ", ".join(chip.candidates[:CANDIDATES])
    if count > CANDIDATES:
        names = f"{names} {say('count.more', lang, count=count - CANDIDATES)}"
    return say("chip.candidates", lang, names=names)


def chip_text(report: Report, lang: str) -> str:
    """The chip and how it is known: never more certain than the profile is."""
    chip = report.chip
    if chip.soc is None and not chip.candidates:
        return say("chip.unknown", lang)
    name = chip_name(chip, lang)
    if chip.basis == "inferred":
        several = chip.soc is None and len(chip.candidates) > 1
        key = "chip.basis.several" if several else "chip.basis.inferred"
        return f"{name} ({say(key, lang, how=chip.how)})"
    basis = {"file": say("chip.basis.file", lang), "stated": say("chip.basis.stated", lang)}.get(chip.basis)
    return f"{name} ({basis})" if basis else name


def capture_text(report: Report, lang: str) -> str:
    """How it was measured, as far as the input says."""
    capture = report.capture
    parts = [" ".join(part for part in (capture.tool, capture.tool_version) if part)]
    if capture.cann_version:
        parts.append(say("capture.cann", lang, version=capture.cann_version))
    if capture.simulated:
        parts.append(say("capture.simulated", lang))
    if capture.replay_mode:
        parts.append(say("capture.replay", lang, mode=capture.replay_mode))
    if capture.warm_up is not None:
        parts.append(say("capture.warm_up", lang, count=capture.warm_up))
    return ", ".join(part for part in parts if part)


def operator_name(operator: OperatorRef, lang: str) -> str:
    """The type of an operator; its name where the type is not known."""
    return operator.type or operator.name or say("unnamed", lang)


def time_text(operator: OperatorRef) -> str:
    """The time of an operator for people; empty where the input holds shares and no times."""
    return "" if operator.time_us is None else units.us(operator.time_us)


def operator_text(operator: OperatorRef, lang: str) -> str:
    """One operator on one line: type, core, shapes, launches, time."""
    parts = [f"{operator_name(operator, lang)} ({operator.core})", operator.shapes]
    if operator.count != 1:
        parts.append(say("count.launches", lang, count=operator.count))
    return ", ".join(part for part in (*parts, time_text(operator)) if part)


def unjudged_by_reason(report: Report) -> dict[tuple[str, str], list[str]]:
    """Ids that could not be judged, under reason and the command that would collect what is missing."""
    groups: dict[tuple[str, str], list[str]] = {}
    for item in report.not_judged:
        groups.setdefault((item.reason, item.collect), []).append(item.id)
    return groups
