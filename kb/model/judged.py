"""What was derived from a profile and judged: readings, findings, gains, advice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from kb.experience import Tried
from kb.model.profile import Measure, Notice, Operator


@dataclass(frozen=True, slots=True)
class Features:
    """Metric ids of `kb.vocabulary` to measures, for one operator (or the whole run: `operator` None).

    `labels` are the metrics whose value is a word (op_type, core, dtype, format).
    `absent` says for metrics that were expected but could not be computed what is missing.
    """

    operator: Operator | None
    values: Mapping[str, Measure]
    labels: Mapping[str, str] = field(default_factory=dict)
    absent: Mapping[str, str] = field(default_factory=dict)

    def get(self, metric: str) -> float | None:
        """Value of a metric, None when it was not measured."""
        found = self.values.get(metric)
        return None if found is None else found.value


@dataclass(frozen=True, slots=True)
class Evidence:
    """One reading that supports a finding: value against limit, so that the calculation can be redone."""

    metric: str
    value: float | str
    unit: str
    limit: str  # e.g. "> 0.8", "expected 24"; empty when it is context
    source: str  # where the value came from, and for the limit where the threshold came from


@dataclass(frozen=True, slots=True)
class OperatorRef:
    """How a report names an operator group."""

    type: str | None
    name: str
    core: str
    shapes: str
    count: int
    time_us: float | None  # None when only shares were stated


@dataclass(frozen=True, slots=True)
class Finding:
    """A bottleneck that holds.

    `share` is the part of the run's time spent in the operators concerned, `headroom` the part of their own time
    that could at most be won (distance to the computed floor), None when no floor is known. `base` is what both are
    parts of: the run (compute and exposed communication, or the kernels), or the elapsed time, idle included.
    """

    id: str
    pattern: str
    scope: Literal["run", "operator"]
    operators: tuple[OperatorRef, ...]
    share: float
    confidence: float
    evidence: tuple[Evidence, ...]
    headroom: float | None = None
    parent: str | None = None
    summary: str = ""
    base: Literal["run", "elapsed"] = "run"


@dataclass(frozen=True, slots=True)
class NotJudged:
    """A bottleneck that could not be judged, why, and how to collect what is missing."""

    id: str
    reason: str
    collect: str = ""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Findings by what they can be defended to cost, and what was not judged.

    `notices` say of kernels that they are good as they are, `remarks` that the capture is not of what one wants to know.
    """

    findings: tuple[Finding, ...]
    not_judged: tuple[NotJudged, ...] = ()
    notices: tuple[Notice, ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Gain:
    """Fraction of time saved; never above the bound computed from the profile.

    `basis` starts with "measured", "modelled" or "stated" and says by what. Of a modelled gain only `high`, the bound,
    says something about the profile; `likely` is the part of it that the order counts on.
    """

    low: float
    likely: float
    high: float
    of: Literal["run", "operator"]
    basis: str

    @property
    def modelled(self) -> bool:
        """Whether nobody published a figure, so that only the bound is known."""
        return self.basis.startswith("modelled")

    @property
    def ground(self) -> Literal["bound", "here", "measured", "stated"]:
        """What the figure is: this profile's bound, measured here or elsewhere, or only stated by somebody."""
        if self.modelled:
            return "bound"
        if self.basis.startswith("measured here"):
            return "here"
        return "measured" if self.basis.startswith("measured") else "stated"


@dataclass(frozen=True, slots=True)
class Recommendation:
    """One ranked piece of advice: an entry applied to a finding."""

    rank: int
    id: str
    kind: str
    title: str
    finding: str
    gain: Gain
    who: str
    effort: str
    evidence: tuple[str, ...]
    steps: tuple[str, ...]
    snippet: str
    check: str
    when_not: str
    sources: tuple[str, ...]
    tried: Tried | None = None  # what it gave here
    only_if: str | None = None  # what it depends on and nothing here tells


@dataclass(frozen=True, slots=True)
class SimilarCase:
    """A case study that resembles the profile, with the reason."""

    id: str
    title: str
    score: float
    why: str
