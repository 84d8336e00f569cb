"""Whole networks with a measured throughput: how far their estimates lie from it, and the scales fitted on them.

The table has one operator call a line, with the columns of `kb estimate` and `network`, `batch`, `per_s` (samples a
second, as published) and `count`.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from kb import targets
from kb.engine.estimate import Estimate, OpSpec, estimate, is_ai_cpu, table
from kb.engine.estimate.classes import place
from kb.engine.estimate.load import NoLoad
from kb.engine.estimate.rows import Row, read_rows
from kb.engine.estimate.scales import LAUNCH, MEMORY, Scale, Scales
from kb.engine.estimate.total import Total, add_up
from kb.errors import NothingToJudge, SourceError

if TYPE_CHECKING:
    import numpy as np

    Vector = np.ndarray[Any, np.dtype[np.float64]]

SPLIT = (
    "convolution",
    "product",
)  # classes whose launch, memory and compute are told apart; depthwise has too few
HOLD = 0.1  # penalty on the squared logarithm of a factor, beside residuals rounded off below KNEE
KNEE = 0.15
MOST_STEPS = 100


@dataclass(frozen=True, slots=True)
class MeasuredNetwork:
    """One network at one batch size: its calls with their number, and the measured microseconds a batch."""

    name: str
    batch: int
    chip: str
    time_us: float
    calls: tuple[tuple[OpSpec, int], ...]


@dataclass(frozen=True, slots=True)
class NetworkScore:
    """Estimated against measured microseconds a batch; `cross_us` with scales fitted without this network."""

    network: str
    batch: int
    measured_us: float
    low_us: float
    mid_us: float
    high_us: float
    not_estimated: int
    cross_us: float | None = None

    @property
    def factor(self) -> float:
        """Estimated over measured."""
        return self.mid_us / self.measured_us

    @property
    def covered(self) -> bool:
        """Whether the measured time lies in the range."""
        return self.low_us <= self.measured_us <= self.high_us


def read_networks(path: Path) -> list[MeasuredNetwork]:
    """The networks of a table, in its order.

    Raises:
        SourceError: the table cannot be read, or a number in it is none.
        NothingToJudge: it holds no network.
    """
    found: dict[tuple[str, int, str], list[tuple[OpSpec, int]]] = defaultdict(list)
    times: dict[tuple[str, int, str], float] = {}
    for row in read_rows(path):
        batch, count, rate = (_number(row, name) for name in ("batch", "count", "per_s"))
        key = (row.cells.get("network", ""), int(batch), row.chip)
        found[key].append((row.spec, int(count)))
        times[key] = batch / rate * 1e6
    if not found:
        raise NothingToJudge(
            "no network", where=str(path), now="one operator call a line, see kb eval --help"
        )
    return [MeasuredNetwork(*key, times[key], tuple(calls)) for key, calls in found.items()]


def _number(row: Row, name: str) -> float:
    try:
        value = float(row.cells.get(name, ""))
    except ValueError:
        value = 0.0
    if not math.isfinite(value) or value <= 0:
        raise SourceError(
            f"{name} is no number above 0",
            where=row.where,
            now="each line needs network, batch, per_s and count",
        )
    return value


def score(networks: Sequence[MeasuredNetwork], *, cross: bool = False) -> list[NetworkScore]:
    """Each network against its measured time; `cross` also fits scales anew without it (needs numpy)."""
    out = []
    for one in networks:
        total, missing = _estimated(one, None)
        crossed = None
        if cross:
            rest = [other for other in networks if other.name != one.name]
            crossed = _estimated(one, fit_scales(rest))[0].mid_us
        out.append(
            NetworkScore(
                one.name, one.batch, one.time_us, total.low_us, total.mid_us, total.high_us, missing, crossed
            )
        )
    return out


def summary(scores: Sequence[NetworkScore]) -> dict[str, float]:
    """Part of the networks within a factor of 2, median factor error, part inside the range; `cross_` for those left out."""

    def errors(times: Iterable[tuple[float, float]]) -> list[float]:
        return sorted(abs(math.log(estimated / measured)) for estimated, measured in times)

    def figures(values: list[float], prefix: str) -> dict[str, float]:
        near = sum(value <= math.log(2) for value in values) / len(values)
        return {f"{prefix}within_2": near, f"{prefix}error": math.exp(median(values))}

    out = figures(errors((one.mid_us, one.measured_us) for one in scores), "")
    out["covered"] = sum(one.covered for one in scores) / len(scores)
    crossed = errors((one.cross_us, one.measured_us) for one in scores if one.cross_us is not None)
    return out | (figures(crossed, "cross_") if crossed else {})


def _estimated(one: MeasuredNetwork, scales: Scales | None) -> tuple[Total, int]:
    answers = [(count, estimate(spec, one.chip, scales=scales)) for spec, count in one.calls]
    known = [(count, answer) for count, answer in answers if isinstance(answer, Estimate)]
    return add_up(known), sum(count for count, answer in answers if not isinstance(answer, Estimate))


def fit_scales(networks: Sequence[MeasuredNetwork]) -> dict[str, Scale]:
    """Scales of the classes that bring the networks' sums nearest to the measured times.

    Minimises the sum of |ln(estimated / measured)| (rounded off near 0) and a penalty on ln(factor), so that a class of
    which the networks tell little keeps its constants. Same networks, same scales. numpy is imported here only.
    """
    import numpy as np

    rows = [_parts(one) for one in networks]
    names = sorted({name for row in rows for name in row})
    parts: Vector = np.array([[row.get(name, 0.0) for name in names] for row in rows])
    goal: Vector = np.log(np.array([one.time_us for one in networks]))
    x: Vector = np.zeros(len(names))
    for _ in range(MOST_STEPS):
        scaled = parts * np.exp(x)
        total = scaled.sum(axis=1)
        residual = np.log(total) - goal
        slope = scaled / total[:, None]
        weight = KNEE / np.maximum(np.abs(residual), KNEE)
        matrix = (slope * weight[:, None]).T @ slope + HOLD * np.eye(len(names))
        step = -np.linalg.solve(matrix, (slope * weight[:, None]).T @ residual + HOLD * x)
        x = x + np.clip(step, -0.5, 0.5)
        if float(np.abs(step).max()) < 1e-5:
            break
    factors = {name: math.exp(float(value)) for name, value in zip(names, x, strict=True)}
    said = f"scaled to {len({one.name for one in networks})} networks measured as a whole"
    classes = dict.fromkeys(name.partition(":")[0] for name in names)
    return {walk: _scale(walk, factors, said) for walk in classes if walk != "ai_cpu"}


def _scale(walk: str, factors: Mapping[str, float], said: str) -> Scale:
    if walk in SPLIT:
        launch, memory, compute = (
            factors.get(f"{walk}:{part}", 1.0) for part in ("launch", "memory", "compute")
        )
        return Scale(launch, memory, compute, said)
    return Scale(factors[walk], factors[walk], factors[walk], said)


def _parts(one: MeasuredNetwork) -> dict[str, float]:
    """Unscaled microseconds by class, for the split classes by launch, memory and compute."""
    chip = targets.typical(one.chip)
    found: dict[str, float] = defaultdict(float)
    for spec, count in one.calls:
        if is_ai_cpu(spec):
            answer = estimate(spec, chip)
            found["ai_cpu"] += count * answer.mid_us if isinstance(answer, Estimate) else 0.0
            continue
        try:
            placed = place(spec, chip)
        except NoLoad:
            continue
        used = table.shipped_table().find(chip.family, placed.keys)
        for term, value in used[0].parts(placed.load.terms).items() if used else ():
            part = "launch" if term in LAUNCH else "memory" if term in MEMORY else "compute"
            name = f"{placed.walk}:{part}" if placed.walk in SPLIT else placed.walk
            found[name] += count * value
    return dict(found)
