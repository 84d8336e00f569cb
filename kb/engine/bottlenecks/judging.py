"""What a bottleneck is, and the few words all of them are written in.

A bottleneck sees `Features` only. It declares what it needs; the framework reports "not judged" when that is
missing, so that silence means healthy. `headroom` is the part of the operator's own time that would be saved if the
bottleneck vanished and everything else stayed, an upper bound for every remedy.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from typing import Literal

from kb.model import Evidence, Features, Measure
from kb.units import number


@dataclass(frozen=True, slots=True)
class Threshold:
    """A limit with where it comes from."""

    value: float
    unit: str
    grade: str
    source: str


@dataclass(frozen=True, slots=True)
class Held:
    """A bottleneck that holds for one operator or for the run; `operators` only for run-level ones."""

    confidence: float
    headroom: float | None  # None: the loosest bound, `open_share`
    evidence: tuple[Evidence, ...]
    summary: str
    operators: tuple[Features, ...] = ()


@dataclass(frozen=True, slots=True)
class Withheld:
    """A bottleneck of the run whose readings are there but say nothing here: why, and what to collect instead."""

    reason: str
    collect: str = ""


JudgeOperator = Callable[[Features], Held | None]
JudgeRun = Callable[[Features, Sequence[Features]], Held | Withheld | None]


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """One judgement: id of the vocabulary, why it matters, what it needs, how it is judged.

    `needs` are metric ids; "a|b" is satisfied by either. `applies` says for which operators the question makes sense
    at all. `parent` must hold on the same operator for this one to count. `yields_to`: when one of these holds on
    the same operator, it explains the same symptom better and this one is dropped. `collect` names the msopprof
    metric group or profiler level that brings the needed counters. `headroom_of` says of what a run-level headroom
    is a part: of the time of the operators concerned, of the run (compute and exposed communication), or of the
    elapsed time (idle included).
    """

    id: str
    why: str
    needs: tuple[str, ...] = ()
    judge: JudgeOperator | None = None
    judge_run: JudgeRun | None = None
    applies: Callable[[Features], bool] = lambda _f: True
    parent: str | None = None
    yields_to: tuple[str, ...] = ()
    collect: str = "PipeUtilization"
    headroom_of: Literal["operators", "run", "elapsed"] = "operators"
    sources: tuple[str, ...] = field(default_factory=tuple)

    @property
    def scope(self) -> Literal["run", "operator"]:
        """Whether the whole run or single operators are judged."""
        return "operator" if self.judge is not None else "run"

    def missing(self, features: Features) -> tuple[str, ...]:
        """The needed metrics that these features lack."""
        return tuple(
            need
            for need in self.needs
            if not any(name in features.values or name in features.labels for name in need.split("|"))
        )


@lru_cache(maxsize=1)
def thresholds() -> dict[tuple[str, str], Threshold]:
    """All limits of `thresholds.tsv` by (bottleneck, name)."""
    text = resources.files("kb.engine.bottlenecks").joinpath("thresholds.tsv").read_text(encoding="utf-8")
    rows = csv.reader((line for line in text.splitlines() if not line.startswith("#")), delimiter="\t")
    next(rows)
    return {(row[0], row[1]): Threshold(float(row[2]), row[3], row[4], row[5]) for row in rows}


def limit(bottleneck: str, name: str) -> Threshold:
    """One limit; KeyError when the table lacks it (a test asks for all)."""
    return thresholds()[(bottleneck, name)]


def above(features: Features, metric: str, threshold: Threshold) -> Evidence | None:
    """Evidence when the metric is certainly above the limit, else None.

    For chip-dependent metrics the range runs over the candidate chips; then the low end has to be above.
    """
    measure = features.values.get(metric)
    if measure is None:
        return None
    certain = _certain(measure.value, measure.low, measure.origin)
    return (
        reading(features, metric, f"> {number(threshold.value, threshold.unit)}", threshold)
        if certain > threshold.value
        else None
    )


def below(features: Features, metric: str, threshold: Threshold) -> Evidence | None:
    """Evidence when the metric is certainly below the limit, else None (high end for chip-dependent metrics)."""
    measure = features.values.get(metric)
    if measure is None:
        return None
    certain = _certain(measure.value, measure.high, measure.origin)
    return (
        reading(features, metric, f"< {number(threshold.value, threshold.unit)}", threshold)
        if certain < threshold.value
        else None
    )


def _certain(value: float, end: float | None, origin: str) -> float:
    """The end of a range over candidate chips; the mean where the range is a spread over cores or launches."""
    return end if end is not None and origin.endswith("]") else value


def reading(
    features: Features, metric: str, expected: str = "", threshold: Threshold | None = None
) -> Evidence:
    """A metric as evidence, with what was expected of it."""
    measure = features.values[metric]
    limit_from = f"; limit: {threshold.source} ({threshold.grade})" if threshold else ""
    shown = round(measure.value, 6) if measure.unit or not _differs(measure) else span(features, metric)
    return Evidence(metric, shown, measure.unit, expected, measure.origin + limit_from)


def _differs(measure: Measure) -> bool:
    """A count that is not the same on all candidate chips."""
    return measure.origin.endswith("]") and measure.low != measure.high


def label(features: Features, metric: str, expected: str = "") -> Evidence:
    """A word-valued metric as evidence."""
    return Evidence(metric, features.labels.get(metric, "unknown"), "", expected, "profile")


def context(features: Features, *metrics: str) -> tuple[Evidence, ...]:
    """Readings without a limit, for those that exist."""
    return tuple(reading(features, metric) for metric in metrics if metric in features.values)


def span(features: Features, metric: str) -> str:
    """A count in words; a range where the candidate chips differ: "48", "40 to 48"."""
    measure = features.values[metric]
    if measure.low is None or measure.high is None or measure.low == measure.high:
        return f"{measure.value:.0f}"
    return f"{measure.low:.0f} to {measure.high:.0f}"


def value(features: Features, metric: str, default: float = 0.0) -> float:
    """A metric's value where an absent one may count as `default` (only inside a computation that says so)."""
    found = features.get(metric)
    return default if found is None else found


def confidence(reached: float, at: float, full: float, *, low: float = 0.6, high: float = 0.95) -> float:
    """Confidence that grows linearly from `low` at the limit `at` to `high` at `full`; a rule, not a probability."""
    if full == at:
        return high
    part = (reached - at) / (full - at)
    return round(low + (high - low) * min(1.0, max(0.0, part)), 3)


def other_pipes(features: Features, pipe: str) -> float:
    """Largest share among the pipes of the same core kind other than `pipe`; 0 when none was measured.

    Scalar is left out: it issues for the others, so its share shrinks with theirs.
    """
    side, own = pipe.split("_", 1)
    names = ("mac", "mte1", "mte2", "mte3", "fixpipe") if side == "aic" else ("vec", "mte2", "mte3")
    return max((value(features, f"{side}_{name}_ratio") for name in names if name != own), default=0.0)


def pipe_headroom(features: Features, pipe: str, removable: float = 1.0) -> float:
    """Upper bound of the time saved when the `removable` part of a pipe's share goes.

    Never more than the share itself (copies may lie beside nothing), than the gap to the next pipe (they may lie
    beside that), or than the distance to the roofline floor where one is known.
    """
    share = value(features, f"{pipe}_ratio")
    return round(
        max(0.0, min(share * removable, 1 - other_pipes(features, pipe), 1 - floor_ratio(features))), 4
    )


def open_share(features: Features) -> float:
    """The loosest upper bound: time beyond the busiest pipe (scalar apart) and beyond the floor; 1 when neither is known."""
    pipes = ("aic_mac", "aic_mte1", "aic_mte2", "aic_mte3", "aic_fixpipe", "aiv_vec", "aiv_mte2", "aiv_mte3")
    busiest = max((value(features, f"{pipe}_ratio") for pipe in pipes), default=0.0)
    return round(max(0.0, 1 - max(busiest, floor_ratio(features))), 4)


def floor_ratio(features: Features) -> float:
    """Floor / duration, the pessimistic end over candidate chips; 0 when no floor is known."""
    measure = features.values.get("floor_ratio")
    if measure is None:
        return 0.0
    return min(
        1.0, measure.high if measure.high is not None and measure.origin.endswith("]") else measure.value
    )


def is_cube_side(features: Features) -> bool:
    """The kernel has a cube side to judge."""
    return features.labels.get("core") in ("cube", "mix") or (
        features.labels.get("core") in ("fused", "unknown") and "aic_mac_ratio" in features.values
    )


def is_vector_side(features: Features) -> bool:
    """The kernel has a vector side to judge."""
    return features.labels.get("core") in ("vector", "mix") or (
        features.labels.get("core") in ("fused", "unknown") and "aiv_mte2_ratio" in features.values
    )


def is_kernel(features: Features) -> bool:
    """A kernel on AI cores (not AI CPU, communication or a random fill)."""
    return (
        is_cube_side(features)
        or is_vector_side(features)
        or features.labels.get("core") in ("vector", "cube", "mix", "fused")
    )


def pattern_in(features: Features, *patterns: str) -> bool:
    """The operator's work pattern is one of these (prefix match: "conv" covers conv2d)."""
    own = features.labels.get("op_pattern", "")
    return any(own == pattern or own.startswith(pattern) for pattern in patterns) if own else False
