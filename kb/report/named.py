"""What every view calls the things of a report: chips, operators, findings, readings, how sure, whose work."""

from __future__ import annotations

import re

from kb import units
from kb.model import Chip, Evidence, Finding, OperatorRef, PipeShare, Report
from kb.report.catalogue import TEXTS, say
from kb.report.text import clean, shorten

CANDIDATES = 4  # chips named where several fit and their product lines are not known
# Shares on the first screen and their wholes (`part.*` of the catalogue); the shares of pipes are all of the cores' time.
WHOLES = {
    "aicpu_time_share": "compute", "clock_ratio": "clock", "comm_exposed_share": "run", "comm_share": "run",
    "comm_overlap_share": "run", "comm_p2p_share": "communication", "comm_transit_share": "run", "comm_wait_ratio": "communication",
    "stage_excess_share": "step", "stage_imbalance": "stages",
    "core_time_imbalance": "spread", "device_idle_share": "idle", "floor_ratio": "floor", "format_conversion_share": "compute",
    "gm_bandwidth_utilisation": "bandwidth", "head_overhead_share": "kernel", "l2_hit_rate": "requests",
    "op_time_share": "run_of", "rank_imbalance": "ranks", "setup_time_share": "run", "small_kernel_share": "launches",
}  # fmt: skip
_PIPE = re.compile(r"ai[cv]_(mac|cube|vec|scalar|mte[123]|fixpipe)_ratio")
MAX_NAME = 60  # columns of an operator's name within a sentence


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


def subject(finding: Finding, lang: str) -> str:
    """The operators that a finding is about: the first by name, how many more kinds; empty for none."""
    names = list(dict.fromkeys(operator_name(operator, lang) for operator in finding.operators))
    if not names:
        return ""
    more = f" {say('count.more', lang, count=len(names) - 1)}" if len(names) > 1 else ""
    return shorten(clean(names[0]), MAX_NAME) + more


def finding_of(report: Report, finding: str) -> Finding | None:
    """The finding of an id."""
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
    found = finding_of(report, id)
    name = "" if found is None else subject(found, lang)
    text = say("advice.against", lang, finding=finding_text(report, id))
    return f"{text} · {name}" if name else text


def reading(evidence: Evidence) -> str:
    """The value of an evidence with its unit, for people."""
    if isinstance(evidence.value, str):
        return evidence.value
    return units.number(evidence.value, evidence.unit)


def part_of(evidence: Evidence, lang: str) -> str:
    """What a reading that is a share is a share of; empty for what is no share, or of a whole that its name says."""
    if evidence.unit != "1":
        return ""
    whole = "cores" if _PIPE.fullmatch(evidence.metric) else WHOLES.get(evidence.metric, "")
    if whole == "run_of":
        return say("part.run_of", lang, name=evidence.source)
    return say(f"part.{whole}", lang) if whole else ""


def reading_of(evidence: Evidence, lang: str) -> str:
    """The value of an evidence, and what it is a share of."""
    return " ".join(filter(None, (reading(evidence), part_of(evidence, lang))))


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
