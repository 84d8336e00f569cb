"""Model profiles with planted problems, their clean twins, and how much of the truth the advice names.

`write` makes the folders and a truth file, the same bytes every time; `judge` compares a report with the truth.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random

from kb import targets
from kb.benchmark import export
from kb.benchmark.kernels import Kernel, collective, tensor
from kb.benchmark.models import MODELS, Step
from kb.benchmark.problems import PROBLEMS, Problem
from kb.model import Finding, Recommendation, Report
from kb.targets import Target

SOCS = ("Ascend910B3", "Ascend910B2")
SLOW_RANK = 1.25  # compute time of the slow rank against the others
# A promised range covers the true gain when it does within this part of it: the planted kernels' gaps and heads move.
TOLERANCE = 0.1
GRAIN = 0.005


@dataclass(frozen=True, slots=True)
class Truth:
    """One planted cause; `gain` is the part of the run's time that repairing it alone saves."""

    cause: str
    patterns: tuple[str, ...]
    operators: tuple[str, ...]
    remedies: tuple[str, ...]
    gain: float


@dataclass(frozen=True, slots=True)
class Scenario:
    """A model with some problems, on a chip; `seed` varies sizes of what is wrong."""

    name: str
    model: str
    causes: tuple[str, ...]
    soc: str
    seed: int

    @property
    def ranks(self) -> int:
        """Ranks of the job: several only where a cause needs them."""
        return max(_problem(cause).ranks for cause in self.causes)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a report says of one planted cause; places count from 1, None is not found."""

    cause: str
    found: bool
    remedy_place: int | None
    gain: float
    promised: tuple[float, float] | None
    covered: bool


def scenarios() -> tuple[Scenario, ...]:
    """Each cause alone (on two chips with different sizes), and all causes of a model together."""
    single = [
        Scenario(f"{problem.cause}-{soc.removeprefix('Ascend')}", problem.model, (problem.cause,), soc, seed)
        for problem in PROBLEMS
        for seed, soc in enumerate(SOCS, 1)
    ]
    together = [Scenario(f"all-{model}", model, causes, SOCS[0], 7) for model, causes in _together().items()]
    return (*single, *together)


def _together() -> dict[str, tuple[str, ...]]:
    """Causes whose gains add up, by model, and all of them in one long step.

    Gaps and tiny kernels are left out: how many gaps there are depends on how many kernels there are. In the long
    step the collectives are too small a part to be worth a word.
    """
    found: dict[str, tuple[str, ...]] = {}
    for problem in PROBLEMS:
        if problem.ranks == 1 and problem.model != "decode":
            found[problem.model] = (*found.get(problem.model, ()), problem.cause)
    everything = (cause for causes in found.values() for cause in causes if cause != "exposed-communication")
    return {**found, "everything": tuple(everything)}


def write(folder: Path, scenario: Scenario) -> tuple[Path, Path, tuple[Truth, ...]]:
    """The profile with the problems, its clean twin, and the truth, below `folder`."""
    target = targets.load(scenario.soc)
    bad, clean = folder / scenario.name / "planted", folder / scenario.name / "clean"
    for place, causes in ((bad, scenario.causes), (clean, ())):
        for rank, step in enumerate(ranks_of(scenario, causes, target)):
            export.write_rank(place, rank, step, target)
    truths = tuple(_truths(scenario, target))
    text = json.dumps({"scenario": asdict(scenario), "truth": [asdict(item) for item in truths]}, indent=1)
    (folder / scenario.name / "truth.json").write_text(text + "\n", encoding="utf-8")
    return bad, clean, truths


def ranks_of(scenario: Scenario, bad: Sequence[str], target: Target) -> list[Step]:
    """The step of every rank, with the causes named in `bad` planted and the others done right."""
    step = MODELS[scenario.model](target, 1)
    for cause in scenario.causes:
        step = _problem(cause).plant(step, target, Random(f"{scenario.seed}/{cause}"), cause in bad)
    if scenario.ranks == 1:
        return [step]
    slowest = scenario.ranks - 1 if "slow-rank" in bad else None
    return _ranks(step, scenario.ranks, slowest)


def _ranks(step: Step, count: int, slowest: int | None) -> list[Step]:
    """Equal ranks that meet in a closing collective; those ahead of the slow one wait in it."""
    stretched = [_stretched(kernel) for kernel in step]
    own = [stretched if rank == slowest else step for rank in range(count)]
    last = max(export.span_us(item) for item in own)
    payload = tensor(1024, dtype="FLOAT")
    return [
        [
            *item,
            collective(
                "hcom_allReduce_", payload, round(30.0 + last - export.span_us(item), 3), beside=False
            ),
        ]
        for item in own
    ]


def _stretched(kernel: Kernel) -> Kernel:
    """A kernel of the slow rank: compute takes longer, collectives do not."""
    if kernel.core == "communication":
        return kernel
    return replace(kernel, duration=round(kernel.duration * SLOW_RANK, 3))


def _truths(scenario: Scenario, target: Target) -> Iterator[Truth]:
    whole = _span(scenario, scenario.causes, target)
    for cause in scenario.causes:
        rest = [other for other in scenario.causes if other != cause]
        problem = _problem(cause)
        gain = 1 - _span(scenario, rest, target) / whole
        yield Truth(cause, problem.patterns, problem.operators, problem.remedies, round(gain, 4))


def _span(scenario: Scenario, bad: Sequence[str], target: Target) -> float:
    return max(export.span_us(step) for step in ranks_of(scenario, bad, target))


def _problem(cause: str) -> Problem:
    return next(problem for problem in PROBLEMS if problem.cause == cause)


def judge(report: Report, truths: Sequence[Truth]) -> list[Verdict]:
    """For each planted cause: is it found, where is its remedy, does the promised range hold the true gain."""
    return [_verdict(report, truth) for truth in truths]


def _verdict(report: Report, truth: Truth) -> Verdict:
    findings = {finding.id: finding for finding in report.findings if _names(finding, truth)}
    advice = [
        item for item in report.recommendations if item.id in truth.remedies and item.finding in findings
    ]
    promised = [_of_run(item, findings[item.finding]) for item in advice]
    held = next((span for span in promised if _covers(span, truth.gain)), None)
    shown = held or (promised[0] if promised else None)
    place = min((item.rank for item in advice), default=None)
    return Verdict(truth.cause, bool(findings), place, truth.gain, shown, held is not None)


def _names(finding: Finding, truth: Truth) -> bool:
    if finding.pattern not in truth.patterns:
        return False
    types = [ref.type or ref.name for ref in finding.operators]
    return not truth.operators or any(kind.startswith(truth.operators) for kind in types)


def _of_run(item: Recommendation, finding: Finding) -> tuple[float, float]:
    share = 1.0 if item.gain.of == "run" else finding.share
    return item.gain.low * share, item.gain.high * share


def _covers(span: tuple[float, float], gain: float) -> bool:
    low, high = span
    return low * (1 - TOLERANCE) - GRAIN <= gain <= high * (1 + TOLERANCE) + GRAIN
