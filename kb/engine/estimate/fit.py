"""Constants fitted on timings: class by class from coarse to fine, each held to the class above it.

A class's factors minimise the sum of |ln(estimated / measured)| (rounded off below `KNEE`) plus a penalty on the distance
of their logarithms from those of the class above. So a class with many timings finds its own factors, one with a few
leans on its parent, and none turns negative. Same rows, same constants. numpy is imported here only.
"""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb import targets
from kb.engine.estimate.classes import Placed, place
from kb.engine.estimate.load import TERMS, NoLoad
from kb.engine.estimate.rows import Row, read_rows
from kb.engine.estimate.table import Constants, Table, call_family, sources

if TYPE_CHECKING:
    import numpy as np

    Vector = np.ndarray[Any, np.dtype[np.float64]]

FOLDS = 5
KNEE = 0.15  # residuals below this count squared: timings repeat within some 10 %
START: tuple[float, ...] = (
    1.5,
    0.08,
    1.1,
    0.8,
    4.0,
    20.0,
    5.0,
    1.3,
    0.3,
    0.3,
)  # factors to begin with, in the order of TERMS
HOLD = (0.02, 0.2, 0.2, 0.2, 0.2)  # penalty by level; halving or doubling them changes the error by about 1 %
REACH = 2.5  # a child may start that far (in logarithms) above a parent that lost a term
MOST_STEPS = 60
# how well each factor is known beforehand: heads of kernels and peaks closely, cycles a piece hardly
STIFF = (4.0, 2.0, 2.0, 1.0, 0.5, 0.5, 0.5, 2.0, 1.0, 1.0)
# lower ends; memory and cube are not faster than at peak (0.8: the bytes are not known better)
LEAST = (0.1, 0.001, 0.8, 0.1, 0.01, 0.01, 0.01, 1.0, 0.001, 0.001)
FEWEST = 2  # timings for constants of a class
LOW, HIGH = 0.05, 0.95  # quantiles of the spread that become the range
NARROWEST = 0.1  # a range is never closer than that (in logarithms): timings of one call repeat no better
LENT = 30  # timings that the parent's spread counts for: with 15 a chip of few timings (910B2) was covered in 78 of 100 calls


Node = tuple[str, str]  # family and class
Factors = Mapping[Node, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Sample:
    """One timing: whose constants it speaks for, its classes and terms, the time, and the fold it is left out in.

    `weight` is one half where the same timing comes with and without its block dim.
    """

    family: str
    placed: Placed
    measured_us: float
    fold: int
    weight: float = 1.0


def fold_of(row: Row) -> int:
    """Fold of a row: one operator with the same shapes and dtypes is always in one fold, whatever the chip."""
    text = "|".join(row.cells.get(name, "") for name in ("op_type", "in_shapes", "in_dtypes"))
    return int(hashlib.sha256(text.encode()).hexdigest()[8:16], 16) % FOLDS


def wanted(row: Row) -> bool:
    """Rows to fit on: device kernels and framework calls with a time, without a doubt noted."""
    return (
        row.cells.get("kind", "kernel") in ("kernel", "case_sum")
        and "suspect" not in row.cells.get("note", "")
        and measured(row) is not None
    )


def measured(row: Row) -> float | None:
    """The row's time in microseconds, None where it has none."""
    try:
        value = float(row.cells.get("dur_us_med", ""))
    except ValueError:
        return None
    return value if math.isfinite(value) and value > 0 else None


def samples(path: Path) -> Iterator[Sample]:
    """Timings of a table that have a cost class; a row with a block dim comes a second time without it.

    So the constants serve calls whose block dim is known and calls whose block dim has to be guessed.

    Raises:
        SourceError: the table cannot be read.
        UsageError: a chip is unknown.
    """
    for row in read_rows(path):
        time = measured(row)
        chip = targets.typical(row.chip) if wanted(row) else None
        source = sources().get(chip.family) if chip else None
        if time is None or chip is None or source is None:
            continue
        family = call_family(source.family) if row.spec.call else source.family
        guises = tuple(dict.fromkeys((row.spec.blocks, None)))
        for blocks in guises:
            try:
                placed = place(replace(row.spec, blocks=blocks), chip)
            except NoLoad:
                continue
            yield Sample(family, placed, time, fold_of(row), 1 / len(guises))


@dataclass(frozen=True, slots=True)
class Fitted:
    """Timings, and the factors fitted without each fold."""

    timings: Sequence[Sample]
    folds: Sequence[Factors]

    def without(self, fold: int) -> Table:
        """Constants that know nothing of one fold; their ranges come from the other folds."""
        return _table(self.folds[fold], self, lambda one: one.fold != fold, "cross-validation")


def fit_folds(timings: Sequence[Sample]) -> Fitted:
    """The five fits that each leave a fold out."""
    return Fitted(timings, [_factors([one for one in timings if one.fold != fold]) for fold in range(FOLDS)])


def fit(fitted: Fitted, source: str) -> Table:
    """Constants of all classes on all timings; the ranges are the spread of timings left out of a fit."""
    return _table(_factors(fitted.timings), fitted, lambda _: True, source)


def _table(factors: Factors, fitted: Fitted, counts: Callable[[Sample], bool], source: str) -> Table:
    spread: dict[Node, list[float]] = defaultdict(list)
    weights: dict[Node, float] = defaultdict(float)
    for one in filter(counts, fitted.timings):
        left_out = fitted.folds[one.fold]
        values: tuple[float, ...] = START
        for key in one.placed.keys:
            values = left_out.get((one.family, key), values)
            spread[one.family, key].append(math.log(one.measured_us / _predicted(values, one)))
            weights[one.family, key] += one.weight
    parents = _parents(fitted.timings)
    rows: dict[Node, Constants] = {}
    ranges: dict[Node, tuple[float, float]] = {}
    for node, found in factors.items():  # parents come first
        low, high = ranges[node] = _range(spread[node], weights[node], ranges.get(parents[node]))
        error = math.exp(_quantile([abs(value) for value in spread[node]], 0.5))
        rows[node] = Constants(
            *node, found, math.exp(low), math.exp(high), error, round(weights[node]), source
        )
    return Table(rows)


def _predicted(factors: Sequence[float], one: Sample) -> float:
    terms = one.placed.load.terms
    return sum(factor * terms.get(name, 0.0) for name, factor in zip(TERMS, factors, strict=True))


def _range(
    residuals: Sequence[float], count: float, parent: tuple[float, float] | None
) -> tuple[float, float]:
    """Logarithms of low and high: quantiles of the spread, drawn towards the parent's where timings are few."""
    low, high = min(-NARROWEST, _quantile(residuals, LOW)), max(NARROWEST, _quantile(residuals, HIGH))
    if parent is None:
        return low, high
    own = count / (count + LENT)
    return own * low + (1 - own) * parent[0], own * high + (1 - own) * parent[1]


def _quantile(values: Sequence[float], part: float) -> float:
    ordered = sorted(values)
    place_ = part * (len(ordered) - 1)
    below = int(place_)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place_ - below)


def _parents(timings: Iterable[Sample]) -> dict[Node, Node]:
    found: dict[Node, Node] = {}
    for one in timings:
        for above, key in zip(("", *one.placed.keys), one.placed.keys, strict=False):
            found.setdefault((one.family, key), (one.family, above))
    return found


def _factors(timings: Sequence[Sample]) -> Factors:
    import numpy as np

    levels: list[dict[Node, list[int]]] = [defaultdict(list) for _ in HOLD]
    for at, one in enumerate(timings):
        for level, key in enumerate(one.placed.keys):
            levels[level][one.family, key].append(at)
    terms = np.array([[one.placed.load.terms.get(name, 0.0) for name in TERMS] for one in timings])
    times = np.array([one.measured_us for one in timings])
    weights = np.array([one.weight for one in timings])
    start = np.log(np.array(START))
    parents = _parents(timings)
    found: dict[Node, Vector] = {}
    for level, nodes in enumerate(levels):
        for node, members in sorted(nodes.items()):
            if node in found or (level and weights[members].sum() < FEWEST):
                continue
            above = np.maximum(found.get(parents[node], start), start - REACH)
            found[node] = _solve(
                terms[members], times[members], weights[members], above, HOLD[level] * np.array(STIFF)
            )
    return {node: tuple(float(value) for value in np.exp(values)) for node, values in found.items()}


def _solve(terms: Vector, times: Vector, weights: Vector, prior: Vector, hold: Vector) -> Vector:
    """Logarithms of the factors: damped Gauss-Newton on reweighted residuals, from the prior."""
    import numpy as np

    goal, least = np.log(times), np.log(np.array(LEAST))

    def cost(x: Vector) -> float:
        size = np.abs(np.log(terms @ np.exp(x)) - goal)
        near = np.where(size < KNEE, size * size / (2 * KNEE), size - KNEE / 2)
        return float((weights * near).sum() + (hold * (x - prior) ** 2).sum() / 2)

    x: Vector = prior.copy()
    best, damping = cost(x), 1e-3
    for _ in range(MOST_STEPS):
        parts = terms * np.exp(x)
        total = parts.sum(axis=1)
        residual = np.log(total) - goal
        weight = weights / np.maximum(np.abs(residual), KNEE)
        slope = parts / total[:, None]
        matrix = slope.T @ (slope * weight[:, None]) + np.diag(hold)
        gradient = slope.T @ (weight * residual) + hold * (x - prior)
        for _ in range(12):
            step = np.clip(np.linalg.solve(matrix + damping * np.eye(len(x)), -gradient), -2.0, 2.0)
            step = np.maximum(x + step, least) - x
            now = cost(x + step)
            if now <= best:
                break
            damping = max(damping * 4, 1e-3)
        else:
            break
        x, gained, best, damping = x + step, best - now, now, max(damping / 4, 1e-6)
        if gained < 1e-5 * (1 + best):
            break
    return x
