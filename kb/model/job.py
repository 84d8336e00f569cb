"""What a job of many ranks shows that no single rank does: which are slow, how they differ, what they share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Over:
    """A figure over the ranks that have it: median and extremes, and which ranks these are."""

    unit: str
    median: float
    low: float
    high: float
    lowest: str
    highest: str
    ranks: int


@dataclass(frozen=True, slots=True)
class RankTimes:
    """Where the time of one rank went, in microseconds; what the export does not say is None."""

    name: str
    span_us: float | None = None
    compute_us: float | None = None
    communication_us: float | None = None
    exposed_us: float | None = None
    idle_us: float | None = None


@dataclass(frozen=True, slots=True)
class SlowType:
    """An operator type that takes a slow rank longer than the median rank; microseconds."""

    type: str
    time_us: float
    median_us: float


@dataclass(frozen=True, slots=True)
class SlowRank:
    """A rank that computes longer than the median rank; `over` is the part of its own compute time."""

    name: str
    compute_us: float
    median_us: float
    over: float
    types: tuple[SlowType, ...] = ()


@dataclass(frozen=True, slots=True)
class HeldUpRank:
    """A rank whose device idles for a larger part of the elapsed time than the median rank's: its host dispatches late."""

    name: str
    idle_share: float
    median_share: float


@dataclass(frozen=True, slots=True)
class LostRank:
    """A rank that is in no figure, and why."""

    name: str
    where: str
    reason: str


@dataclass(frozen=True, slots=True)
class CommonBottleneck:
    """A bottleneck found in ranks judged one by one: in how many, and the share of the rank's time it concerns."""

    pattern: str
    ranks: int
    share: Over


@dataclass(frozen=True, slots=True)
class Job:
    """The ranks of a job, one beside the other.

    `found` ranks were there, `lost` of them could not be read. `figures` holds compute_us, communication_share,
    exposed_share, hidden_share, idle_share and wait_ratio, as far as known. `imbalance` is (slowest - fastest) /
    slowest compute time; a rank is slow when it computes longer than the median by `limit` of its own time, and held up when
    its device idles for `limit` of the elapsed time more than the median rank's.
    `stages` are the ranks of each pipeline stage, the fastest stage first, where the ranks were told apart by their compute
    times; imbalance and slow ranks are then of ranks of one stage. `not_judged` says what could not be told, and why.
    """

    found: int
    ranks: tuple[RankTimes, ...] = ()
    lost: tuple[LostRank, ...] = ()
    imbalance: float | None = None
    limit: float | None = None
    slow: tuple[SlowRank, ...] = ()
    held_up: tuple[HeldUpRank, ...] = ()
    figures: Mapping[str, Over] = field(default_factory=dict)
    common: tuple[CommonBottleneck, ...] = ()
    not_judged: tuple[str, ...] = ()
    stages: tuple[tuple[str, ...], ...] = ()
