"""Which ranks of a job do the same work: those of one pipeline stage, and of a job without a pipeline all of them.

Ranks that hand data on by send and receive operations are taken for stages of a pipeline. No export says which rank is
in which stage; ranks of one stage hold the same layers, so they compute for the same time, and every stage has as many
ranks. Where the compute times do not fall apart in that way, nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from kb.addition import plain_sum
from kb.model import Measure, Operator, Rank
from kb.units import us

How = Literal[
    "none",  # nothing is sent from rank to rank: all do the same
    "alone",  # one rank of a pipeline
    "by time",  # told apart by their compute times
    "unknown",  # a pipeline, of whose ranks nothing tells the stage
]
POINT_TO_POINT = re.compile(
    r"send|receive|recv", re.IGNORECASE
)  # hcom_send_, hcom_receive_, hcom_batchSendRecv_
SAME_STAGE = 0.1  # of the longer compute time: the mark of the bottleneck rank-imbalance
NAMED = 4  # ranks of a stage that are named


@dataclass(frozen=True, slots=True)
class Stages:
    """The ranks by stage, the stage that computes least first; one group where all do the same, none where nothing tells."""

    how: How
    groups: tuple[tuple[Rank, ...], ...]


def stages(operators: Sequence[Operator], ranks: Sequence[Rank]) -> Stages:
    """The stages of a run's ranks."""
    if not sent_us(operators):
        return Stages("none", (tuple(ranks),))
    if len(ranks) < 2:
        return Stages("alone", (tuple(ranks),))
    groups = _by_time(ranks)
    sizes = {len(group) for group in groups}
    alike = all(_spread([_compute(rank) for rank in group]) <= SAME_STAGE for group in groups)
    return Stages("by time", groups) if groups and len(sizes) == 1 and alike else Stages("unknown", ())


def sent_us(operators: Sequence[Operator]) -> float:
    """Microseconds in send and receive operations."""
    sent = (op for op in operators if op.core == "communication" and op.duration.unit == "us")
    return plain_sum(op.total_us for op in sent if POINT_TO_POINT.search(op.type or op.name))


def _by_time(ranks: Sequence[Rank]) -> tuple[tuple[Rank, ...], ...]:
    """Groups of ranks parted by gaps in their compute times; none where a rank has no such time."""
    if any(rank.times.compute is None for rank in ranks):
        return ()
    groups: list[list[Rank]] = []
    for rank in sorted(ranks, key=_compute):
        if groups and _spread([_compute(groups[-1][-1]), _compute(rank)]) <= SAME_STAGE:
            groups[-1].append(rank)
        else:
            groups.append([rank])
    places = {rank.name: place for place, rank in enumerate(ranks)}
    return tuple(tuple(sorted(group, key=lambda rank: places[rank.name])) for group in groups)


def _compute(rank: Rank) -> float:
    return 0.0 if rank.times.compute is None else rank.times.compute.value


def _spread(times: Sequence[float]) -> float:
    high = max(times)
    return (high - min(times)) / high if high > 0 else 0.0


def measure(found: Stages) -> Iterator[tuple[str, Measure]]:
    """How far ranks of one stage lie apart, and how far the stages do."""
    yield from _within(found.groups)
    spans = [rank.times.span.value for group in found.groups for rank in group if rank.times.span is not None]
    if len(found.groups) < 2 or not spans or max(spans) <= 0:
        return
    times = [median(_compute(rank) for rank in group) for group in found.groups]
    told = "; ".join(f"{_named(group)}: {us(time)}" for group, time in zip(found.groups, times, strict=True))
    how = f"(slowest - fastest) / slowest compute time of {len(times)} stages, told apart by it: {told}"
    yield (
        "stage_imbalance",
        Measure(_spread(times), "1", how, min(times), max(times), len(times), computed=True),
    )
    excess = max(times) - plain_sum(times) / len(times)
    how = f"(slowest - mean compute time of {len(times)} stages) / longest time of a rank"
    yield "stage_excess_share", Measure(excess / max(spans), "1", how, computed=True)


def _named(group: Sequence[Rank]) -> str:
    more = f" and {len(group) - NAMED} more" if len(group) > NAMED else ""
    return ", ".join(rank.name for rank in group[:NAMED]) + more


def _within(groups: Sequence[Sequence[Rank]]) -> Iterator[tuple[str, Measure]]:
    """The largest spread between ranks that do the same work."""
    of = "" if len(groups) == 1 else " of one stage"
    timed = [
        [rank.times.compute.value for rank in group if rank.times.compute is not None] for group in groups
    ]
    timed = [times for times in timed if len(times) > 1 and max(times) > 0]
    if timed:
        worst = max(timed, key=_spread)
        how = f"(slowest - fastest) / slowest compute time of {len(worst)} ranks{of}"
        yield (
            "rank_imbalance",
            Measure(_spread(worst), "1", how, min(worst), max(worst), len(worst), computed=True),
        )
    found = []
    for group in groups:
        waits = [rank.times.exposed.value for rank in group if rank.times.exposed is not None]
        spans = [rank.times.span.value for rank in group if rank.times.span is not None]
        if len(waits) > 1 and len(spans) == len(waits) and max(spans) > 0:
            found.append(((max(waits) - min(waits)) / max(spans), len(waits)))
    if found:
        share, count = max(found)
        how = f"(largest - smallest exposed communication) / longest time of {count} ranks{of}"
        yield "rank_wait_share", Measure(share, "1", how, computed=True)
