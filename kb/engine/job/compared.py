"""Ranks held against one another: which are slow, how far they lie apart, and what they have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from sys import intern

from kb.engine.bottlenecks.judging import limit
from kb.engine.job.rank import Found, Summary
from kb.engine.metrics.stages import How, Stages, stages
from kb.model import (
    CommonBottleneck,
    HeldUpRank,
    Job,
    LostRank,
    Measure,
    Operator,
    Over,
    Rank,
    RankTimes,
    RunTimes,
    SlowRank,
    SlowType,
)
from kb.units import percent

KEPT_TYPES = 64  # operator types of a rank that are compared: those with the most time
TOLD_TYPES = 3  # of a slow rank that are named
TOLD_RANKS = 3  # named in one remark


@dataclass(frozen=True, slots=True)
class One:
    """What is kept of a rank to compare it: a few hundred numbers, whatever the number of rows."""

    name: str
    times: RunTimes
    found: tuple[Found, ...]
    types: Mapping[str, float]  # microseconds
    kernels: bool = True  # False: a table of steps alone


def one(item: Summary) -> One:
    """What comparing needs of a rank's summary."""
    operators = item.profile.operators
    return One(item.folder.name, item.profile.times, item.found, _by_type(operators), bool(operators))


def _by_type(operators: Sequence[Operator]) -> dict[str, float]:
    spent: dict[str, float] = {}
    for op in operators:
        if op.core != "communication":
            name = intern(op.type or op.name)  # one text for all ranks
            spent[name] = spent.get(name, 0.0) + op.total_us
    longest = sorted(spent.items(), key=lambda item: (-round(item[1], 3), item[0]))
    return dict(longest[:KEPT_TYPES])


def job(ranks: Sequence[One], lost: Sequence[LostRank], operators: Sequence[Operator] = ()) -> Job:
    """The ranks of a job beside one another, in the order given; of a pipeline those of one stage.

    Args:
        operators: of all ranks, which tell whether these send to one another.
    """
    mark = limit("rank-imbalance", "spread").value
    compute = _compute(ranks)
    figures = {name: _over(ranks, "1", part) for name, part in _PARTS.items()}
    steps = {item.times.steps for item in ranks}
    fair = compute is not None and compute.ranks > 1 and len(steps) == 1
    told = stages(operators, [Rank(item.name, item.times) for item in ranks])
    groups = _groups(ranks, told)
    return Job(
        found=len(ranks) + len(lost),
        ranks=tuple(_row(item) for item in ranks),
        lost=tuple(lost),
        imbalance=_imbalance(groups) if fair else None,
        limit=mark,
        slow=_slow(groups, mark) if fair else (),
        held_up=_held_up(groups, mark),
        figures=_known({"compute_us": compute, **figures}),
        common=_common(ranks),
        not_judged=tuple(_not_judged(compute, figures, len(steps), told.how)),
        stages=tuple(tuple(rank.name for rank in group) for group in told.groups) if len(groups) > 1 else (),
    )


def _groups(ranks: Sequence[One], told: Stages) -> list[list[One]]:
    """The ranks that do the same work and so can be held against one another."""
    by_name = {item.name: item for item in ranks}
    return [[by_name[rank.name] for rank in group] for group in told.groups]


def _imbalance(groups: Sequence[Sequence[One]]) -> float | None:
    """The largest spread of compute times between ranks that do the same work."""
    known = [
        over for group in groups if (over := _compute(group)) is not None and over.ranks > 1 and over.high
    ]
    return max(((over.high - over.low) / over.high for over in known), default=None)


def _compute(ranks: Sequence[One]) -> Over | None:
    return _over(ranks, "us", lambda times: _value(times.compute))


def _known(figures: Mapping[str, Over | None]) -> dict[str, Over]:
    return {name: over for name, over in figures.items() if over is not None}


def _value(measure: Measure | None) -> float | None:
    return None if measure is None else measure.value


def _ratio(part: Measure | None, whole: Measure | None) -> float | None:
    return part.value / whole.value if part is not None and whole is not None and whole.value > 0 else None


def _hidden(times: RunTimes) -> float | None:
    exposed = _ratio(times.exposed, times.communication)
    return None if exposed is None else max(0.0, 1.0 - exposed)


def _waited(times: RunTimes) -> float | None:
    if times.waiting is None or times.transit is None:
        return None
    talked = times.waiting.value + times.transit.value
    return times.waiting.value / talked if talked > 0 else None


_PARTS: dict[str, Callable[[RunTimes], float | None]] = {
    "communication_share": lambda times: _ratio(times.communication, times.span),
    "exposed_share": lambda times: _ratio(times.exposed, times.span),
    "hidden_share": _hidden,
    "idle_share": lambda times: _ratio(times.idle, times.span),
    "wait_ratio": _waited,
}


def _over(ranks: Sequence[One], unit: str, figure: Callable[[RunTimes], float | None]) -> Over | None:
    found = [(value, item.name) for item in ranks if (value := figure(item.times)) is not None]
    return _spread(found, unit)


def _spread(found: Sequence[tuple[float, str]], unit: str) -> Over | None:
    """Median and extremes; of equal ranks the first is named."""
    if not found:
        return None
    low, high = min(found, key=lambda item: item[0]), max(found, key=lambda item: item[0])
    middle = median(value for value, _ in found)
    return Over(unit, middle, low[0], high[0], low[1], high[1], len(found))


def _row(item: One) -> RankTimes:
    times = item.times
    return RankTimes(
        item.name,
        *map(_value, (times.span, times.compute, times.communication, times.exposed, times.idle)),
    )


def _slow(groups: Sequence[Sequence[One]], mark: float) -> tuple[SlowRank, ...]:
    """Ranks beyond the mark, the slowest first."""
    out = []
    for ranks in groups:
        compute = _compute(ranks)
        for item in ranks:
            spent = _value(item.times.compute)
            if compute and spent and (over := (spent - compute.median) / spent) >= mark:
                out.append((over, SlowRank(item.name, spent, compute.median, over, _types(item, ranks))))
    return tuple(found for _, found in sorted(out, key=lambda pair: -pair[0]))


def _held_up(groups: Sequence[Sequence[One]], mark: float) -> tuple[HeldUpRank, ...]:
    """Ranks whose device idles beyond the mark more than the median rank's, the idlest first.

    Waiting for other ranks is communication, not idle time; so what idles more waits for its own host.
    """
    out = []
    for ranks in groups:
        idle = _over(ranks, "1", _PARTS["idle_share"])
        if idle is None or idle.ranks < 3:  # of two nobody can say which is the odd one
            continue
        shares = ((_PARTS["idle_share"](item.times), item.name) for item in ranks)
        out += [
            HeldUpRank(name, share, idle.median)
            for share, name in shares
            if share is not None and share - idle.median >= mark
        ]
    return tuple(sorted(out, key=lambda rank: (-rank.idle_share, rank.name)))


def remarks(found: Job) -> tuple[str, ...]:
    """What a reader of the report has to know of single ranks before the figures of all together.

    Half of the ranks and more are no odd ones out: stages of a pipeline differ by design.
    """
    few = (len(found.ranks) - 1) // 2
    slow = [(rank.name, rank.over) for rank in found.slow]
    idle = [(rank.name, rank.idle_share) for rank in found.held_up]
    out = []
    if 0 < len(slow) <= few:
        out.append(
            f"these ranks compute longer than the median rank, by so much of their time: {_named(slow)}"
        )
    if 0 < len(idle) <= few:
        usual = percent(found.held_up[0].median_share)
        out.append(
            f"the device of these ranks idles longer than that of the median rank ({usual}): {_named(idle)}"
        )
    return tuple(out)


def _named(ranks: Sequence[tuple[str, float]]) -> str:
    told = ", ".join(f"{name} ({percent(part)})" for name, part in ranks[:TOLD_RANKS])
    return told + (", ..." if len(ranks) > TOLD_RANKS else "")


def _types(slow: One, ranks: Sequence[One]) -> tuple[SlowType, ...]:
    """The operator types that take most longer there than in the median rank; only where most ranks have them."""
    found = []
    for name, spent in slow.types.items():
        others = [item.types[name] for item in ranks if name in item.types]
        if len(others) * 2 > len(ranks) and (more := spent - median(others)) > 0:
            found.append((-more, name, SlowType(name, spent, median(others))))
    return tuple(item for *_, item in sorted(found, key=lambda item: item[:2])[:TOLD_TYPES])


def _common(ranks: Sequence[One]) -> tuple[CommonBottleneck, ...]:
    """Bottlenecks by the time that they concern, added up over the ranks that have them."""
    shares: dict[str, list[tuple[float, str]]] = {}
    for item in ranks:
        for found in item.found:
            shares.setdefault(found.pattern, []).append((found.share, item.name))
    out = []
    for pattern, values in shares.items():
        spread = _spread(values, "1")
        if spread is not None:
            common = CommonBottleneck(pattern, len(values), spread)
            out.append((-round(sum(share for share, _ in values), 9), pattern, common))
    return tuple(common for *_, common in sorted(out, key=lambda item: item[:2]))


def _not_judged(compute: Over | None, figures: Mapping[str, Over | None], steps: int, how: How) -> list[str]:
    out = []
    if compute is None or compute.ranks < 2:
        text = "fewer than two ranks have a compute time (start times or step_trace_time.csv)"
        out.append(f"slow ranks and imbalance: {text}")
    elif steps > 1:
        out.append("slow ranks and imbalance: the ranks cover different numbers of steps")
    elif how == "unknown":
        out.append(
            "slow ranks and imbalance: the ranks are stages of a pipeline, and nothing tells which is in which"
        )
    if figures["exposed_share"] is None:
        out.append(
            "communication against compute: no rank has start times of collectives or step_trace_time.csv"
        )
    if figures["wait_ratio"] is None:
        out.append(
            "waiting within collectives: no rank has communication.json with waiting and transit times"
        )
    return out
