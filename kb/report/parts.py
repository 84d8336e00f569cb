"""Parts of the whole in words: what a finding concerns and leaves open, what an advice saves; one whole for all of a report."""

from __future__ import annotations

from dataclasses import dataclass

from kb import units
from kb.addition import plain_sum
from kb.model import Finding, Gain, OperatorRef, Recommendation, Report
from kb.report import named
from kb.report.catalogue import say

ALL = 0.995  # a share from here on is the whole


@dataclass(frozen=True, slots=True)
class MostToWin:
    """The most that all findings together could save: a part of the run's time, or of the elapsed time."""

    share: float
    base: str


def base_of(report: Report) -> str:
    """What the bound of all findings is a part of: the elapsed time where idle time is among what could be won."""
    idle = report.elapsed_us is not None and report.total_us is not None
    return "elapsed" if idle and any(finding.base == "elapsed" for finding in report.findings) else "run"


def whole_us(report: Report, base: str) -> float | None:
    """How long the whole takes that `base` names."""
    return report.elapsed_us if base == "elapsed" else report.total_us


def scale(report: Report, base: str, whole: str) -> float:
    """Turns a part of `base` (run or elapsed time) into a part of `whole`."""
    one, all_of = whole_us(report, base), whole_us(report, whole)
    return 1.0 if base == whole or not (one and all_of) else one / all_of


def most_to_win(report: Report) -> float | None:
    """Most that all findings together could save, as a fraction of the run (of the elapsed time where idle time is
    among it); None where none has a floor.

    Findings about the same operators compete for the same time, so only the largest of each group counts. A
    finding without a floor counts with its whole time unless another one about the same operators has a
    floor.
    """
    base = base_of(report)

    def part(finding: Finding) -> float:
        return finding.share * scale(report, finding.base, base)

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


def bound_of_all(report: Report) -> MostToWin | None:
    """The upper bound with its whole, for programs; None where no finding has a floor."""
    share = most_to_win(report)
    return None if share is None else MostToWin(round(share, 4), base_of(report))


def concerned(report: Report, finding: Finding) -> float:
    """The part of the whole that a finding concerns, comparable between findings; `whole_concerned` names the whole."""
    return finding.share * scale(report, finding.base, base_of(report))


def whole_concerned(report: Report, lang: str) -> str:
    """What the parts of `concerned` are parts of: the run's time, or the elapsed time."""
    return say(f"share.head.{base_of(report)}", lang)


def share_text(report: Report, finding: Finding, lang: str) -> str:
    """What part of the whole a finding concerns, and what part of the whole could be won: both of the same time."""
    base, part = base_of(report), concerned(report, finding)
    whole = part >= ALL
    key = f"share.all.{base}" if whole else f"share.{base}"
    text = say(key, lang) if whole else say(key, lang, share=units.percent(part))
    if finding.headroom is None:
        return text
    if finding.headroom <= 0:
        return say("share.nothing", lang, text=text)
    return say(f"share.open.{base}", lang, text=text, open=units.percent(part * finding.headroom))


def time_whole(report: Report, lang: str) -> str:
    """The time of the run, the elapsed time where it is another, and over how many ranks both are added up."""
    if report.total_us is None:
        return ""
    time = units.us(report.total_us)
    elapsed = "" if report.elapsed_us is None else units.us(report.elapsed_us)
    if elapsed and (elapsed != time or base_of(report) == "elapsed"):
        time = say("time.elapsed", lang, time=time, elapsed=elapsed)
    return say("time.ranks", lang, time=time, count=report.ranks) if report.ranks else time


def gain_text(report: Report, advice: Recommendation, lang: str) -> str:
    """What an advice saves of the whole, in percent and time, how that is known, its range, and its part of the operator's time."""
    gain, found = advice.gain, named.finding_of(report, advice.finding)
    part, of = _part_of_whole(report, advice, lang)
    whole = None if found is None else whole_us(report, base_of(report))
    low, likely, high = (units.percent(value * part) for value in (gain.low, gain.likely, gain.high))
    if gain.likely <= 0:
        return say("gain.none", lang, low=low, high=high, of=of)
    told = gain.high if gain.modelled else gain.likely
    key = "gain.most" if gain.modelled else "gain.point"
    text = say(key, lang, high=high, likely=likely, of=of)
    if whole is not None:
        text = say("gain.time", lang, text=text, time=units.us(whole * part * told))
    how = say(f"how.{gain.ground}", lang)
    if gain.modelled or low == high:
        text = say("gain.how", lang, text=text, how=how)
    else:
        open_ended = found is not None and found.headroom is None
        key = "gain.range.open" if open_ended else "gain.range"
        text = say(key, lang, text=text, how=how, low=low, high=high)
    if gain.of == "run" or found is None or found.share >= ALL:
        return text
    return say("gain.share", lang, text=text, share=units.percent(told), name=named.subject(found, lang))


def gain_brief(report: Report, advice: Recommendation, lang: str) -> str:
    """The one figure of `gain_text` with what it is of and how it is known, as it stands in a headline."""
    gain = advice.gain
    part, of = _part_of_whole(report, advice, lang)
    key = "gain.brief.most" if gain.modelled else "gain.brief"
    share = units.percent((gain.high if gain.modelled else gain.likely) * part)
    how = say("brief.bound" if gain.modelled else f"how.{gain.ground}", lang)
    return say(key, lang, share=share, of=of, how=how)


def _part_of_whole(report: Report, advice: Recommendation, lang: str) -> tuple[float, str]:
    """What turns a gain into a part of the whole, and the whole in words; of an unknown finding it stays what it is of."""
    found, base, gain = named.finding_of(report, advice.finding), base_of(report), advice.gain
    if found is None:
        return 1.0, say("of.operator" if gain.of == "operator" else f"of.{base}", lang)
    part = found.share if gain.of == "operator" else 1.0
    return part * scale(report, found.base, base), say(f"of.{base}", lang)


def expected(report: Report, advice: Recommendation) -> float:
    """The part of the whole that the order counts on an advice to save."""
    found = named.finding_of(report, advice.finding)
    part = 1.0 if found is None or advice.gain.of == "run" else found.share
    return advice.gain.likely * part * (1.0 if found is None else scale(report, found.base, base_of(report)))


def gain_short(gain: Gain, scale: float = 1.0) -> str:
    """A gain in one figure: the likely one, or the bound where nobody published any; `scale` makes it one of a whole."""
    return f"≤ {units.percent(gain.high * scale)}" if gain.modelled else units.percent(gain.likely * scale)


def gain_of_whole(report: Report, advice: Recommendation) -> str:
    """A gain in one figure, as a part of what `whole_saved` names: comparable between operators."""
    found = named.finding_of(report, advice.finding)
    if found is None:
        return gain_short(advice.gain)
    part = 1.0 if advice.gain.of == "run" else found.share
    return gain_short(advice.gain, part * scale(report, found.base, base_of(report)))


def whole_saved(report: Report, lang: str) -> str:
    """What the gains of `gain_of_whole` are parts of: the run's time, or the elapsed time."""
    return say(f"saved.{base_of(report)}", lang)
