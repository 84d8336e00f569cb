"""Where the wall time went, from time lines or from several ranks together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from kb.addition import plain_sum
from kb.engine.readers.timeline import COMMUNICATION, COMPUTE, TWIN, Timeline
from kb.model import Measure, RunTimes


def from_timelines(lines: Sequence[Timeline], twins_apart: bool, origin: str, steps: int | None) -> RunTimes:
    """Run times of one rank, devices added up; all None without a single time stamp.

    Args:
        lines: finished time lines, one a device.
        twins_apart: twins were matched with their collectives, so that their own time counts as nothing.
        origin: file the time stamps come from.
        steps: number of distinct steps seen.
    """
    lines = [line for line in lines if line.span_ns]
    if not lines:
        return RunTimes(steps=steps)
    talk = COMMUNICATION if twins_apart else COMMUNICATION | TWIN

    def add(how: str, value: Callable[[Timeline], int]) -> Measure:
        return Measure(
            plain_sum(map(value, lines)) / 1000, "us", f"{origin}: {how}", n=len(lines), computed=True
        )

    return RunTimes(
        span=add("first start to last end", lambda line: line.span_ns),
        busy=add("union of kernel intervals", lambda line: line.time_ns(COMPUTE | talk)),
        compute=add("union of compute intervals", lambda line: line.time_ns(COMPUTE)),
        communication=add("union of communication intervals", lambda line: line.time_ns(talk)),
        exposed=add(
            "communication with no compute beside it", lambda line: line.time_ns(talk, without=COMPUTE)
        ),
        idle=add("span - busy", lambda line: line.span_ns - line.time_ns(COMPUTE | talk)),
        idle_gaps=sum(line.gaps for line in lines),
        steps=steps,
    )


def total(times: Sequence[RunTimes]) -> RunTimes:
    """The times of several ranks added up, so that they stand beside operators added up over the same
    ranks.
    """
    if len(times) == 1:
        return times[0]

    def add(measures: Iterable[Measure | None]) -> Measure | None:
        found = [measure for measure in measures if measure is not None]
        if not found or len(found) < len(times):
            return None
        values = [measure.value for measure in found]
        origin = f"sum over {len(found)} ranks; {found[0].origin}"
        return Measure(plain_sum(values), "us", origin, min(values), max(values), len(found), computed=True)

    gaps = [item.idle_gaps for item in times if item.idle_gaps is not None]
    steps = [item.steps for item in times if item.steps is not None]
    return RunTimes(
        span=add(item.span for item in times),
        busy=add(item.busy for item in times),
        compute=add(item.compute for item in times),
        communication=add(item.communication for item in times),
        exposed=add(item.exposed for item in times),
        idle=add(item.idle for item in times),
        idle_gaps=sum(gaps) if gaps else None,
        steps=max(steps) if steps else None,
        step=_mean(item.step for item in times),
        waiting=add(item.waiting for item in times),
        transit=add(item.transit for item in times),
        ranks=len(times),
    )


def _mean(steps: Iterable[Measure | None]) -> Measure | None:
    """The length of a step over several ranks: mean of all steps, least and greatest of any rank."""
    found = [step for step in steps if step is not None]
    if len(found) < 2:
        return found[0] if found else None
    n = sum(step.n for step in found)
    lows = [step.value if step.low is None else step.low for step in found]
    highs = [step.value if step.high is None else step.high for step in found]
    mean = plain_sum(step.value * step.n for step in found) / n
    origin = f"{len(found)} ranks; {found[0].origin}"
    return Measure(mean, "us", origin, min(lows), max(highs), n, computed=True)
