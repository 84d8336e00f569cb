"""Readings of one operator that moved: pipes first, by how far."""

from __future__ import annotations

from kb.comparison import Moved
from kb.engine.compare.extract import FURTHER, PIPE_SHARES
from kb.measured import Measured
from kb.vocabulary.metrics import BY_ID

PIPE_STEP = 0.05  # of the core's time: a pipe's share that moved less is not worth a line
PIPE_TIME = 0.2  # or its time by this part, where it is busy at all
FURTHER_STEP = 0.2  # of the reading before, for what is no share of a pipe
MOST = 6


def moved(before: Measured, after: Measured) -> tuple[Moved, ...]:
    """Pipes whose share or time moved, by how much time that is, then other readings; at most a handful."""
    pipes = [item for name in PIPE_SHARES if (item := _pipe(name, before, after)) is not None]
    pipes.sort(key=lambda item: (-_weight(item), item.metric))
    others = [item for name in FURTHER if (item := _other(name, before, after)) is not None]
    return tuple([*pipes, *others][:MOST])


def _pipe(name: str, before: Measured, after: Measured) -> Moved | None:
    one, two = before.readings.get(name), after.readings.get(name)
    if one is None or two is None:
        return None
    time = name.replace("_ratio", "_time_us")
    item = Moved(name, "1", one, two, before.readings.get(time), after.readings.get(time))
    times = (item.before_us, item.after_us)
    busy = max(one, two) >= PIPE_STEP
    by_time = None not in times and abs((times[1] or 0) - (times[0] or 0)) > PIPE_TIME * (times[0] or 0)
    return item if abs(two - one) >= PIPE_STEP or (busy and by_time) else None


def _weight(item: Moved) -> float:
    if item.before_us is not None and item.after_us is not None:
        return abs(item.after_us - item.before_us)
    return abs(item.after - item.before)


def _other(name: str, before: Measured, after: Measured) -> Moved | None:
    one, two = before.readings.get(name), after.readings.get(name)
    if one is None or two is None or abs(two - one) <= FURTHER_STEP * max(abs(one), 1e-12):
        return None
    unit = BY_ID[name].unit
    if unit == "1" and abs(two - one) < PIPE_STEP:
        return None
    return Moved(name, unit, one, two)
