"""Collectives of a run added up: who waited, what moved over which link, and in which packets.

Filled from communication.json, from the cluster's file of all ranks, or from analysis.db, which say the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from kb.addition import plain_sum
from kb.engine.readers import tasks
from kb.engine.readers.words import clean
from kb.model import Measure, Operator, Profile, Rank, RunTimes

MOST_TYPES = 1_000
MOST_RANKS = 100_000
# Packets below these sizes do not fill a link: the limits of msprof-analyze's advisor (packet.yaml), in MB.
SMALL_MB = {"RDMA": 1.0}
SMALL_ELSEWHERE_MB = 16.0
_SUM_OF_OTHERS = "SDMA"  # the tool's sum over HCCS, PCIE and SIO


@dataclass
class Spent:
    """Time of collectives in us; `low` and `high` of one call."""

    count: int = 0
    elapsed: float = 0.0
    transit: float = 0.0
    waiting: float = 0.0
    low: float = float("inf")
    high: float = 0.0

    def add(self, elapsed: float, transit: float, waiting: float) -> None:
        """One call; all in us."""
        self.count += 1
        self.elapsed += elapsed
        self.transit += transit
        self.waiting += waiting
        self.low, self.high = min(self.low, elapsed), max(self.high, elapsed)


@dataclass
class Moved:
    """What went over one transport: MB, ms, and the part in packets of a known size."""

    megabytes: float = 0.0
    milliseconds: float = 0.0
    sized: float = 0.0
    small: float = 0.0


@dataclass
class Collectives:
    """All collectives read; `origin` names the files."""

    origin: str = ""
    ranks: dict[str, Spent] = field(default_factory=dict)
    types: dict[str, Spent] = field(default_factory=dict)
    links: dict[str, Moved] = field(default_factory=dict)
    steps: set[str] = field(default_factory=set)

    def call(self, rank: str, name: str, elapsed: float, transit: float, waiting: float) -> None:
        """One collective on one rank; times in us."""
        kind = tasks.type_from_name(name) or clean(name.partition("@")[0].partition("__")[0], 80)
        for table, key, most in ((self.ranks, rank, MOST_RANKS), (self.types, kind, MOST_TYPES)):
            if key in table or len(table) < most:
                table.setdefault(key, Spent()).add(elapsed, transit, waiting)

    def moved(self, transport: str, megabytes: float, milliseconds: float) -> None:
        """What one collective sent over a transport."""
        if transport in self.links or len(self.links) < MOST_TYPES:
            link = self.links.setdefault(transport, Moved())
            link.megabytes += megabytes
            link.milliseconds += milliseconds

    def packets(self, transport: str, size_mb: float, count: float) -> None:
        """How many packets of one size it was made of."""
        link = self.links.get(transport)
        if link is not None:
            link.sized += size_mb * count
            link.small += size_mb * count if size_mb < SMALL_MB.get(transport, SMALL_ELSEWHERE_MB) else 0.0

    def transports(self) -> Mapping[str, Moved]:
        """The transports that moved something, without the sum over others where those are there."""
        used = {name: link for name, link in self.links.items() if link.megabytes > 0}
        single = {name: link for name, link in used.items() if name != _SUM_OF_OTHERS}
        return single or used


def counters(found: Collectives) -> dict[str, Measure]:
    """Run counters: small_packet_ratio and link_bandwidth, as far as known."""
    links = found.transports()
    out = {}
    sized = plain_sum(link.sized for link in links.values())
    if sized > 0:
        share = plain_sum(link.small for link in links.values()) / sized
        limits = f"below {SMALL_ELSEWHERE_MB:.0f} MB (RDMA {SMALL_MB['RDMA']:.0f} MB)"
        where = f"{found.origin}:Size Distribution, bytes in packets {limits} / bytes"
        out["small_packet_ratio"] = Measure(share, "1", where, computed=True)
    timed = {name: link for name, link in links.items() if link.milliseconds > 0}
    if timed:
        most = max(timed, key=lambda name: (timed[name].megabytes, name))
        rate = timed[most].megabytes / timed[most].milliseconds
        where = f"{found.origin}:Transit Size / Transit Time over {clean(most, 20)}"
        out["link_bandwidth"] = Measure(rate, "GB/s", where, computed=True)
    return out


def with_waiting(times: RunTimes, spent: Spent, origin: str) -> RunTimes:
    """The times with waiting and transit of a rank (or of several, added up).

    In every row Elapse Time = Transit Time + Wait Time + Idle Time (Synchronization Time is a part of Wait Time), so all that
    is not transit is time in which the collective moves nothing. Some exports write a transit of 0 for collectives that
    moved data: such a 0 is no measurement, and then only the tool's own Wait Time is known to be waiting.
    """
    if spent.transit <= 0:
        waiting = Measure(spent.waiting, "us", f"{origin}:Wait Time", n=spent.count)
        return replace(times, waiting=waiting, transit=None)
    still = max(0.0, spent.elapsed - spent.transit)
    where = f"{origin}:Elapse Time - Transit Time (Wait Time + Idle Time)"
    return replace(
        times,
        waiting=Measure(still, "us", where, n=spent.count, computed=True),
        transit=Measure(spent.transit, "us", f"{origin}:Transit Time", n=spent.count),
    )


def total(found: Collectives) -> Spent:
    """All ranks added up."""
    out = Spent()
    for spent in found.ranks.values():
        out.count += spent.count
        out.elapsed += spent.elapsed
        out.transit += spent.transit
        out.waiting += spent.waiting
    return out


def operators(found: Collectives) -> tuple[Operator, ...]:
    """One operator a type of collective, by falling time."""
    out = []
    for kind, spent in sorted(found.types.items(), key=lambda item: (-item[1].elapsed, item[0])):
        many = spent.count > 1
        duration = Measure(
            spent.elapsed / spent.count,
            "us",
            f"{found.origin}:Elapse Time",
            spent.low if many else None,
            spent.high if many else None,
            spent.count,
        )
        out.append(Operator(kind, kind, "communication", spent.count, duration, spent.elapsed))
    return tuple(out)


def add_to(profile: Profile, found: Collectives) -> Profile:
    """The profile with what is known of its collectives; one that has no operators gets the collectives."""
    if not found.ranks:
        return replace(profile, counters={**profile.counters, **counters(found)})
    known = found.ranks
    ranks = tuple(
        Rank(rank.name, with_waiting(rank.times, known[rank.name], found.origin))
        if rank.name in known
        else rank
        for rank in profile.ranks
    )
    return replace(
        profile,
        ranks=ranks,
        times=with_waiting(profile.times, total(found), found.origin),
        operators=profile.operators or operators(found),
        counters={**profile.counters, **counters(found)},
    )
