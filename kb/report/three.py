"""What the first recommendations save together: computed, not summed.

Remedies of the same operators work on what the one before left, and never below what the findings leave open there;
remedies of the run work on what is left of the run.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass

from kb.model import Finding, OperatorRef, Recommendation, Report

COUNT = 3


@dataclass(frozen=True, slots=True)
class Together:
    """Parts of the run's time (of the elapsed time where one of the remedies is for idle time) saved by `ids` together."""

    ids: tuple[str, ...]
    low: float
    likely: float
    high: float
    base: str


def first_three(report: Report) -> Together | None:
    """The estimate for the first three; None where there is one at most, or one of them is not bounded."""
    chosen = report.recommendations[:COUNT]
    found = {finding.id: finding for finding in report.findings}
    if len(chosen) < 2 or any(item.finding not in found for item in chosen):
        return None
    bases = {found[item.finding].base for item in chosen}
    base = "elapsed" if "elapsed" in bases else "run"
    if base == "elapsed" and not (report.total_us and report.elapsed_us):
        return None
    low, likely, high = (round(_saved(report, chosen, base, end), 4) for end in ("low", "likely", "high"))
    return Together(tuple(item.id for item in chosen), low, likely, high, base)


def _saved(report: Report, chosen: tuple[Recommendation, ...], base: str, end: str) -> float:
    found = {finding.id: finding for finding in report.findings}
    left: dict[tuple[OperatorRef, ...], float] = defaultdict(lambda: 1.0)
    share: dict[tuple[OperatorRef, ...], float] = {}
    after: dict[str, float] = defaultdict(lambda: 1.0)  # by finding: part of the run that remedies of the run leave
    most: dict[str, float] = {}
    for item in chosen:
        finding = found[item.finding]
        part = 1.0
        if finding.base != base and report.total_us and report.elapsed_us:
            part = min(1.0, report.total_us / report.elapsed_us)
        gain = max(0.0, getattr(item.gain, end))
        if item.gain.of == "run":
            after[finding.id] *= 1 - min(1.0, gain * part)
            most[finding.id] = max(most.get(finding.id, 0.0), gain * part, _room(finding) * part)
        else:
            left[finding.operators] *= 1 - min(1.0, gain)
            share[finding.operators] = finding.share * part
    operators = sum(share[key] * min(1 - left[key], _open(report, key)) for key in share)
    whole = math.prod(1 - min(1 - after[id], most[id]) for id in after)
    return min(1.0, 1 - (1 - min(1.0, operators)) * whole)


def _room(finding: Finding) -> float:
    """The part of the run that a finding leaves open: two remedies of it do not win more than that."""
    return finding.share * (1.0 if finding.headroom is None else finding.headroom)


def _open(report: Report, operators: tuple[OperatorRef, ...]) -> float:
    """The largest part of these operators' time that a finding leaves open: what all remedies together can win."""
    rooms = [item.headroom for item in report.findings if item.operators == operators]
    known = [room for room in rooms if room is not None]
    return max(known) if known and len(known) == len(rooms) else math.inf
