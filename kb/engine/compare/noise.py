"""How far two times of the same work may lie apart by chance.

From launches where there are several, else from the cores of the single launch, else as stated. Never below what a
published protocol found that two single runs differ by (`data/recipes/measurement-protocol.md`): the spread inside
one run does not show what changes from run to run.
"""

from __future__ import annotations

from bisect import bisect_left
from math import log, sqrt

from kb.addition import plain_sum
from kb.comparison import Band
from kb.measured import Measured

STATED = 0.05  # of the time, where nothing was repeated
RESOLUTION = 0.02  # single runs differ by about 2 % (measurement-protocol)
# Equal launches shorter than 12 us spread by 0.2 us (median of the robust deviations of 26 groups of 20 and more
# launches in 6 exports; upper quartile 0.5 us): two single ones may differ by 2 x sqrt(2) times that, 0.6 to 1.4 us.
SHORT_US = 1.0
FEWEST_CORES = 3
# Mean range of n normal values in standard deviations (Tippett's d2).
_RANGE = {
    2: 1.128, 3: 1.693, 4: 2.059, 5: 2.326, 6: 2.534, 8: 2.847, 10: 3.078, 15: 3.472, 20: 3.735, 25: 3.931,
    50: 4.498, 100: 5.015, 200: 5.492, 500: 6.073, 1000: 6.483,
}  # fmt: skip
# Student's t for 95 %, two-sided, by degrees of freedom.
_STUDENT = {1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 8: 2.31, 12: 2.18, 20: 2.09, 30: 2.04}
MANY = 1.96  # the same for many


def band(before: Measured, after: Measured, given: float | None = None) -> Band:
    """The noise band of one operator, as a fraction of its time before."""
    if given is not None:
        return Band(given, "given")
    if before.mean_us <= 0:
        return Band(STATED, "stated")
    launches = _by_launches(before, after)
    if launches is not None:
        return Band(max(launches, RESOLUTION), "launches")
    short = SHORT_US / before.mean_us
    cores = _by_cores(before, after)
    if cores is not None and max(cores, short) < STATED:
        return Band(max(cores, short, RESOLUTION), "cores")
    return Band(max(STATED, short), "stated")


def deviation(low: float, high: float, n: int) -> float:
    """Standard deviation estimated from the range of n values (n >= 2)."""
    return (high - low) / _between(_RANGE, n)


def _by_launches(before: Measured, after: Measured) -> float | None:
    """Half the 95 % interval of the difference of the two means, as a fraction of the time before.

    A side with a single launch is taken to spread as the other one does.
    """
    spreads = [
        deviation(row.low_us, row.high_us, row.count) / row.mean_us
        if row.count > 1 and row.low_us is not None and row.high_us is not None and row.mean_us > 0
        else None
        for row in (before, after)
    ]
    known = [spread for spread in spreads if spread is not None]
    if not known:
        return None
    errors = [
        (known[0] if spread is None else spread) * row.mean_us / sqrt(row.count)
        for spread, row in zip(spreads, (before, after), strict=True)
    ]
    freedom = sum(
        row.count - 1 for spread, row in zip(spreads, (before, after), strict=True) if spread is not None
    )
    factor = MANY if freedom > max(_STUDENT) else _between(_STUDENT, freedom)
    return factor * sqrt(plain_sum(error**2 for error in errors)) / before.mean_us


def _by_cores(before: Measured, after: Measured) -> float | None:
    """Twice the deviation of the difference, from the spread over the working cores of single launches."""
    errors = []
    for row in (before, after):
        if row.core_low_us is None or row.core_high_us is None or (row.cores or 0) < FEWEST_CORES:
            return None
        errors.append(deviation(row.core_low_us, row.core_high_us, row.cores or FEWEST_CORES))
    return 2 * sqrt(plain_sum(error**2 for error in errors)) / before.mean_us


def _between(table: dict[int, float], n: int) -> float:
    """The value of a table at n, on a straight line over log(n) between its entries."""
    places = sorted(table)
    at = bisect_left(places, n)
    if at == len(places):
        return table[places[-1]]
    if places[at] == n or at == 0:
        return table[places[at]]
    low, high = places[at - 1], places[at]
    part = (log(n) - log(low)) / (log(high) - log(low))
    return table[low] + part * (table[high] - table[low])
