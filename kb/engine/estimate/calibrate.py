"""A calibration: how far one profile of the user's chip lies from the estimates, class by class, kept for later ones.

For each class (way of walking over the data) the factor is the median of measured over estimated, over distinct kernels,
drawn towards 1 where it is no larger than its own uncertainty.
Kernels of one type and shape count once, however often they ran, so that one hot kernel does not speak for its class.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from kb.engine.estimate import Estimate, estimate, from_operator
from kb.engine.estimate.classes import walks
from kb.engine.estimate.scales import Scale, Scales
from kb.errors import NothingToJudge, SourceError
from kb.model import Operator
from kb.targets import Target
from kb.textfile import read_text

SCHEMA = "kb.calibration/1"
FEWEST = 3  # distinct kernels for a factor
FEWEST_SPREAD = 10  # for a range of one's own
NARROWEST = 0.1  # of that range, in logarithms: timings repeat no better
TAIL = 50  # one kernel in so many may lie below the range, and one above
DEVIATION_OF_MEDIAN = (
    1.86  # standard deviation of a median by the median absolute deviation: 1.4826 x sqrt(pi / 2)
)
MOST_FACTOR = 50.0
_LEFT_OUT = ("ai_cpu", "communication", "other", "dsa", "dvpp")


@dataclass(frozen=True, slots=True)
class Fit:
    """Factor of one class, on how many distinct kernels it rests, and their spread as factors of the scaled estimate."""

    factor: float
    kernels: int
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Calibration:
    """Factors of all classes that a profile has kernels of; `source` names the profile."""

    chip: str
    source: str
    classes: Mapping[str, Fit]

    def scales(self) -> Scales:
        """The factors as scales."""
        return {
            walk: Scale(
                fit.factor, fit.factor, fit.factor,
                f"calibrated by {fit.factor:.3g} on {fit.kernels} kernels of {self.source}", fit.low, fit.high,
            )
            for walk, fit in self.classes.items()
        }  # fmt: skip


def calibrate(ran: Iterable[Operator], chip: Target, source: str) -> Calibration:
    """Factors from the kernels of a profile taken on that chip.

    Raises:
        NothingToJudge: no class has enough kernels with shapes and times.
    """
    plain = dict.fromkeys(walks(), Scale(1.0, 1.0, 1.0, ""))
    ratios: dict[str, list[float]] = defaultdict(list)
    for operator in ran:
        if operator.core in _LEFT_OUT or operator.duration.unit != "us" or operator.duration.value <= 0:
            continue
        spec = replace(from_operator(operator), blocks=None, core="")
        answer = estimate(spec, chip, scales=plain)
        if isinstance(answer, Estimate) and answer.walk and answer.mid_us > 0:
            ratios[answer.walk].append(operator.duration.value / answer.mid_us)
    classes = {walk: _fit(values) for walk, values in sorted(ratios.items()) if len(values) >= FEWEST}
    if not classes:
        raise NothingToJudge(
            f"no class of operators has {FEWEST} kernels with shapes and times",
            where=source,
            now="give a profile with shapes: op_summary or kernel_details of level 1",
        )
    return Calibration(chip.id, source, classes)


def _fit(values: list[float]) -> Fit:
    """The median ratio, drawn towards 1 as far as it is no larger than its own uncertainty (James and Stein)."""
    logs = [math.log(value) for value in values]
    shift = median(logs)
    deviation = median(abs(value - shift) for value in logs)
    doubt = (DEVIATION_OF_MEDIAN * deviation) ** 2 / len(values)
    shift *= max(0.0, 1 - doubt / shift**2) if shift else 0.0
    factor = min(max(math.exp(shift), 1 / MOST_FACTOR), MOST_FACTOR)
    if len(values) < FEWEST_SPREAD:
        return Fit(factor, len(values))
    spread = sorted(value - math.log(factor) for value in logs)
    low, high = spread[len(spread) // TAIL], spread[-1 - len(spread) // TAIL]
    return Fit(factor, len(values), math.exp(min(low, -NARROWEST)), math.exp(max(high, NARROWEST)))


def path_of(folder: Path, chip: str) -> Path:
    """Where the calibration of a chip is kept."""
    return folder / "calibration" / f"{chip}.json"


def as_text(found: Calibration) -> str:
    """The calibration as it is kept."""
    return json.dumps(
        {"schema": SCHEMA, "chip": found.chip, "source": found.source, "classes": rows(found)}, indent=1
    )


def rows(found: Calibration) -> dict[str, dict[str, float]]:
    """Class to its factor, kernels and range, figures rounded."""
    out: dict[str, dict[str, float]] = {}
    for walk, fit in found.classes.items():
        out[walk] = {"factor": round(fit.factor, 4), "kernels": fit.kernels}
        if fit.low is not None and fit.high is not None:
            out[walk] |= {"low": round(fit.low, 4), "high": round(fit.high, 4)}
    return out


def load(path: Path) -> Calibration | None:
    """A kept calibration, None where there is none.

    Raises:
        SourceError: the file is damaged.
    """
    if not path.is_file():
        return None
    try:
        data: Any = json.loads(read_text(path))
        if data["schema"] != SCHEMA:
            raise KeyError(f"schema {data['schema']}")
        classes = {str(walk): _kept(row) for walk, row in data["classes"].items()}
        return Calibration(str(data["chip"]), str(data["source"]), classes)
    except (ValueError, OverflowError, KeyError, TypeError, AttributeError, RecursionError) as fault:
        raise SourceError(
            f"damaged calibration: {fault}",
            where=str(path),
            now="delete it, or calibrate again: kb estimate --calibrate",
        ) from fault


def _kept(row: Mapping[str, Any]) -> Fit:
    factor = float(row["factor"])
    if not 1 / MOST_FACTOR <= factor <= MOST_FACTOR:
        raise ValueError(f"factor {factor}")
    if row.get("low") is None or row.get("high") is None:
        return Fit(factor, int(row["kernels"]))
    low, high = float(row["low"]), float(row["high"])
    if not 0 < low <= 1 <= high < math.inf:
        raise ValueError("range")
    return Fit(factor, int(row["kernels"]), low, high)
