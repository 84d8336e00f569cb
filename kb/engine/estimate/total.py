"""The time of many calls together, with a range."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from kb.addition import plain_sum
from kb.engine.estimate import Estimate


@dataclass(frozen=True, slots=True)
class Total:
    """Microseconds of all calls one after another: likely, and a range."""

    low_us: float
    mid_us: float
    high_us: float


def add_up(calls: Iterable[tuple[int, Estimate]]) -> Total:
    """The sum of calls (how often, estimate).

    Calls of one class share its error, so their deviations are added; classes err independently, so theirs are added as
    squares. The middle is a plain sum.
    """
    mids: dict[str, float] = defaultdict(float)
    below: dict[str, float] = defaultdict(float)
    above: dict[str, float] = defaultdict(float)
    for count, one in calls:
        mids[one.walk] += count * one.mid_us
        below[one.walk] += count * (one.mid_us - one.low_us)
        above[one.walk] += count * (one.high_us - one.mid_us)
    mid = plain_sum(mids[name] for name in sorted(mids))
    down = math.sqrt(plain_sum(below[name] ** 2 for name in sorted(below)))
    up = math.sqrt(plain_sum(above[name] ** 2 for name in sorted(above)))
    return Total(max(0.0, mid - down), mid, mid + up)
