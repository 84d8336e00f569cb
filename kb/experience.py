"""What was applied and what it gave: outcomes of one's own, and how they are weighed against published figures.

A published range is what the remedy gave to others; an own outcome is what it gave here, on this code. One own try
must not overturn ten published ones, ten own tries should: the expected gain is the mean of both, the published one
counted as `PRIOR` tries.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from kb.addition import plain_sum

Origin = Literal["own", "imported"]
Result = Literal["faster", "slower", "within-noise"]
PRIOR = 2.0  # tries that a published figure counts as
PRIOR_MODELLED = 1.0  # tries that a bound counts as, where nobody published a figure
IMPORTED = 0.5  # tries that an outcome of another team counts as
TWICE = 2  # failures after which a remedy stands last


@dataclass(frozen=True, slots=True)
class Outcome:
    """One try of a remedy: `saved` is the fraction of time saved (negative: slower), `band` the noise it was held against.

    `of` says what the fraction is of: the operator's time, or the run's. Empty texts are facts that were not known.
    `run_before` and `run_after` are ids of kept runs, empty for an outcome of another team.
    """

    id: str
    created: str  # UTC, ISO 8601
    entry: str
    of: Literal["operator", "run"]
    saved: float
    band: float
    result: Result
    origin: Origin = "own"
    pattern: str = ""  # bottleneck it was applied against
    operator: str = ""
    core: str = ""
    soc: str = ""
    shapes: str = ""
    dtypes: str = ""
    cann: str = ""
    run_before: str = ""
    run_after: str = ""


@dataclass(frozen=True, slots=True)
class Tried:
    """Outcomes of one remedy together: how often it was tried here, how often it helped, what it saved.

    `failed` counts own tries that gave nothing beyond noise, or made it slower. `mean`, `low` and `high` are of the
    fraction saved, over own and imported outcomes; `imported` of them are of other teams.
    """

    count: int
    helped: int
    failed: int
    imported: int
    mean: float
    low: float
    high: float

    @property
    def sunk(self) -> bool:
        """It failed twice here, and more often than it helped."""
        return self.failed >= TWICE and self.failed > self.helped

    @property
    def weight(self) -> float:
        """Tries that it counts as."""
        return self.count + IMPORTED * self.imported


def tally(outcomes: Iterable[Outcome]) -> Tried | None:
    """Outcomes taken together; None without any."""
    found = list(outcomes)
    if not found:
        return None
    own = [item for item in found if item.origin == "own"]
    weights = [1.0 if item.origin == "own" else IMPORTED for item in found]
    mean = plain_sum(weight * item.saved for weight, item in zip(weights, found, strict=True)) / plain_sum(
        weights
    )
    saved = [item.saved for item in found]
    return Tried(
        count=len(own),
        helped=sum(item.result == "faster" for item in own),
        failed=sum(item.result != "faster" for item in own),
        imported=len(found) - len(own),
        mean=mean,
        low=min(saved),
        high=max(saved),
    )


def speaks_of(outcome: Outcome, pattern: str, operator: str) -> bool:
    """Whether an outcome says something about this bottleneck or this operator, or nobody knows what it was against."""
    return (not outcome.pattern and not outcome.operator) or (
        outcome.pattern == pattern or (bool(operator) and outcome.operator == operator)
    )


def shrunk(published: float, tried: Tried, prior: float = PRIOR) -> float:
    """The mean of a published figure, counted as `prior` tries, and the outcomes."""
    return (prior * published + tried.weight * tried.mean) / (prior + tried.weight)
