"""What own outcomes say of a match: the gain shrunk towards them, the place it gets, and why, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kb.engine.match import Match
from kb.experience import PRIOR, PRIOR_MODELLED, TWICE, Outcome, Tried, shrunk, speaks_of, tally
from kb.model import Gain
from kb.units import percent

FAILED_ELSEWHERE = 0.6  # ordering only: failed twice, but on other operators and against other bottlenecks


@dataclass(frozen=True, slots=True)
class Here:
    """Outcomes of an entry: those that speak of this finding, and those of other operators and bottlenecks."""

    outcomes: tuple[Outcome, ...] = ()
    tried: Tried | None = None
    elsewhere: Tried | None = None

    @property
    def sunk(self) -> bool:
        """It goes to the end of the list."""
        return self.tried is not None and self.tried.sunk

    @property
    def factor(self) -> float:
        """What the expected saving is multiplied with."""
        return FAILED_ELSEWHERE if self.tried is None and self.elsewhere and self.elsewhere.sunk else 1.0

    @property
    def words(self) -> tuple[str, ...]:
        """Evidence for the report: what was tried, and what follows from it."""
        out = []
        if self.tried is not None:
            out.append(_told(self.tried) + (": it stands last" if self.sunk else ""))
        elif self.elsewhere is not None and self.elsewhere.sunk:
            out.append(f"for other operators: {_told(self.elsewhere)}; it counts less")
        return tuple(out)


def here(match: Match, outcomes: Sequence[Outcome]) -> Here:
    """The outcomes of the match's entry, by whether they speak of its finding."""
    of_entry = [item for item in outcomes if item.entry == match.entry.id]
    if not of_entry:
        return Here()
    operator = match.finding.operators[0].type or "" if match.finding.operators else ""
    near = tuple(item for item in of_entry if speaks_of(item, match.finding.pattern, operator))
    return Here(near, tally(near), tally(item for item in of_entry if item not in near))


def shifted(gain: Gain, found: Here, match: Match) -> Gain:
    """The gain with own outcomes beside the published range; the bound of the profile stays."""
    tried = tally(
        replace(item, saved=min(saved, gain.high))
        for item in found.outcomes
        if (saved := _as_part(item, gain, match)) is not None
    )
    if tried is None:
        return gain
    prior = PRIOR_MODELLED if gain.modelled else PRIOR
    likely = min(gain.high, shrunk(gain.likely, tried, prior))
    low = min(likely, (prior * gain.low + tried.weight * tried.low) / (prior + tried.weight))
    words = f"{_told(tried)}, {percent(tried.mean)} saved on average"
    basis = (
        f"measured here: {words}; {gain.basis.removeprefix('modelled: ')}"
        if gain.modelled
        else f"{gain.basis}; {words}"
    )
    return replace(
        gain,
        low=round(low, 4),
        likely=round(likely, 4),
        basis=f"{basis}; the rest counts as {prior:g} tries, at the low end too",
    )


def _as_part(item: Outcome, gain: Gain, match: Match) -> float | None:
    """What an outcome saved, of what the gain is a part of; None where that cannot be said."""
    if item.of == gain.of:
        return item.saved
    return item.saved * match.finding.share * match.part if gain.of == "run" else None


def _told(tried: Tried) -> str:
    parts = []
    if tried.count:
        times = "once" if tried.count == 1 else "twice" if tried.count == TWICE else f"{tried.count} times"
        parts.append(f"tried {times} here, helped {tried.helped}, failed {tried.failed}")
    if tried.imported:
        parts.append(f"{tried.imported} outcome{'s' if tried.imported > 1 else ''} of other teams")
    return " and ".join(parts)
