"""Findings that are gone, new, or still there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from kb.comparison import FindingChange
from kb.model import Finding, Report


def troubles(
    before: Report,
    after: Report,
    renamed: Mapping[str, str],
    blind: tuple[Set[str], Set[str]] = (frozenset(), frozenset()),
) -> tuple[FindingChange, ...]:
    """Findings of both reports, by bottleneck and leading operator; new ones first, then gone, then the rest.

    Args:
        renamed: what an operator of the earlier run is called in the later one.
        blind: operators without counters in the earlier, and in the later run, that have some in the other.

    A finding that the later run has no counters for is not gone, and one that the earlier run had none for is not new.
    """
    ours = _by_place(before.findings, renamed)
    theirs = _by_place(after.findings, {})
    unjudged, before_unjudged = ({item.id for item in one.not_judged} for one in (after, before))
    out = []
    for place, finding in ours.items():
        other = theirs.get(place)
        if other is not None:
            out.append(_change(place, "stays", finding, other))
        elif finding.pattern in unjudged or "operator" in unjudged or place[1] in blind[1]:
            out.append(_change(place, "not-judged", finding, None))
        else:
            out.append(_change(place, "gone", finding, None))
    for place, finding in theirs.items():
        if place not in ours:
            seen = finding.pattern not in before_unjudged and "operator" not in before_unjudged
            first = not seen or place[1] in blind[0]
            out.append(_change(place, "first-judged" if first else "new", None, finding))
    order = ("new", "gone", "not-judged", "first-judged", "stays")
    return tuple(sorted(out, key=lambda item: (order.index(item.state), -(item.after or item.before or 0.0))))


def _by_place(findings: Sequence[Finding], renamed: Mapping[str, str]) -> dict[tuple[str, str], Finding]:
    """The finding with the largest share of each bottleneck and operator; of the run where it names no single one."""
    out: dict[tuple[str, str], Finding] = {}
    for finding in sorted(findings, key=lambda item: -item.share):
        place = (finding.pattern, "")
        if finding.scope == "operator" and finding.operators:
            lead = finding.operators[0].type or finding.operators[0].name
            place = (finding.pattern, renamed.get(lead, lead))
        out.setdefault(place, finding)
    return out


def _change(
    place: tuple[str, str], state: str, before: Finding | None, after: Finding | None
) -> FindingChange:
    told = after or before
    assert told is not None  # noqa: S101 - one of the two is given
    return FindingChange(
        pattern=place[0],
        operator=place[1],
        state=state,  # type: ignore[arg-type]  # one of the four above
        before=before.share if before else None,
        after=after.share if after else None,
        summary=told.summary,
        base=told.base,
    )
