"""What the first recommendations save together: computed, not summed.

Remedies of the same operators work on what the one before left, and never below what the findings leave open there;
remedies of the run work on what is left of the run; those of one finding never win more than it leaves open.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from kb.addition import plain_sum
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
    groups = _groups(found[item.finding] for item in chosen)
    share: dict[_Group, float] = defaultdict(float)  # of the run, in the operators of a group
    kept: dict[str, float] = defaultdict(lambda: 1.0)  # of the run, by finding
    room: dict[str, float] = {}
    for item in chosen:
        group = groups[item.finding]
        share[group] = max(share[group], found[item.finding].share)
    left: dict[_Group, float] = defaultdict(lambda: 1.0)
    parts = dict.fromkeys(share, 1.0)
    for item in chosen:
        finding, group = found[item.finding], groups[item.finding]
        part = 1.0
        if finding.base != base and report.total_us and report.elapsed_us:
            part = min(1.0, report.total_us / report.elapsed_us)
        gain = max(0.0, getattr(item.gain, end))
        if item.gain.of == "run":
            kept[finding.id] *= 1 - min(1.0, gain * part)
            room[finding.id] = 1.0 if finding.headroom is None else finding.share * finding.headroom * part
        else:
            of_group = finding.share / share[group] if share[group] > 0 else 1.0
            left[group] *= 1 - min(1.0, gain * of_group)
            parts[group] = part
    operators = plain_sum(share[key] * parts[key] * min(1 - left[key], _open(report, key)) for key in left)
    whole = math.prod(1 - min(1 - kept[id], max(0.0, room[id])) for id in kept)
    return min(1.0, 1 - (1 - min(1.0, operators)) * whole)


def _room(finding: Finding) -> float:
    """The part of the run that a finding leaves open: two remedies of it do not win more than that."""
    return finding.share * (1.0 if finding.headroom is None else finding.headroom)


_Group = frozenset[OperatorRef]


def _groups(findings: Iterable[Finding]) -> dict[str, _Group]:
    """By finding id, the operators whose time it shares: findings that name an operator in common are one group.

    Two findings of one type may name different shapes of it; counted apart, what they save of the shape in common would
    count twice.
    """
    chosen = list(findings)
    groups: list[_Group] = []
    for finding in chosen:
        own = frozenset(finding.operators)
        near = [group for group in groups if group & own]
        groups = [group for group in groups if group not in near] + [own.union(*near)]
    return {
        finding.id: next(group for group in groups if group >= frozenset(finding.operators))
        for finding in chosen
    }


def _open(report: Report, group: _Group) -> float:
    """The largest part of these operators' time that a finding leaves open: what all remedies together can win."""
    rooms = [
        item.headroom
        for item in report.findings
        if item.scope == "operator" and group >= frozenset(item.operators)
    ]
    known = [room for room in rooms if room is not None]
    return max(known) if known and len(known) == len(rooms) else math.inf
