"""The answer, which every view reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kb.forecast import Forecast
from kb.measured import Measured
from kb.model.charts import Charts
from kb.model.job import Job
from kb.model.judged import Evidence, Finding, NotJudged, OperatorRef, Recommendation, SimilarCase
from kb.model.profile import Capture, Chip, SourceFile


@dataclass(frozen=True, slots=True)
class Report:
    """The answer: one object, read by every view. Same input, same bytes."""

    target: str
    run: str
    chip: Chip
    capture: Capture
    total_us: float | None
    headline: str
    operators: tuple[OperatorRef, ...]
    findings: tuple[Finding, ...]
    not_judged: tuple[NotJudged, ...]
    recommendations: tuple[Recommendation, ...]
    similar_cases: tuple[SimilarCase, ...]
    warnings: tuple[str, ...]
    key_data: tuple[Evidence, ...] = ()  # the most telling readings, for the first screen
    files: tuple[SourceFile, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)  # kb, knowledge
    elapsed_us: float | None = None  # first start to last end, idle included
    ranks: int | None = None  # that all times of the report are sums over, where there are several
    job: Job | None = None  # the ranks beside one another, where they were read one by one
    forecast: Forecast | None = None  # of a model before there is a device: then all times are estimates
    steps: int | None = None  # that the times cover, where the export marks steps
    content: str | None = None  # SHA-256 of what was measured, whatever was concluded from it
    measured: tuple[Measured, ...] = ()  # for comparing: kept with the run, not printed
    charts: Charts = field(default_factory=Charts)
