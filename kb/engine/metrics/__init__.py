"""From a profile to features: metric ids of the vocabulary to measures, per operator and for the run.

Every topic module lists in `DEFINES` the metrics it can give; together they are the vocabulary (a test says so).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from kb.engine.metrics import cores, floors, identity, pipes, run, shapes, stalls, traffic, work
from kb.engine.metrics.context import Context
from kb.model import Features, Measure, Operator, Profile
from kb.targets import Target

TOPICS = (cores, pipes, stalls, traffic, work, shapes, floors, run)
LABELS = (*identity.LABELS, *run.LABELS)


@dataclass(frozen=True, slots=True)
class RunFeatures:
    """Features of the run and of each operator group, in the profile's order."""

    run: Features
    operators: tuple[Features, ...]
    whole: bool = True  # a run of its own, so that a type which is not in it does not run
    pairs: frozenset[tuple[str, str]] = (
        frozenset()
    )  # types that came right after one another; empty: order unknown


def measure_profile(profile: Profile, targets: tuple[Target, ...]) -> RunFeatures:
    """All features of a profile; `targets` are the candidate chips, empty when none is known."""
    run_us, compute_us = run.denominators(profile)
    context = Context(profile, targets, run_us, compute_us)
    neighbours = _neighbours(profile)
    operators = tuple(_operator(op, context, neighbours) for op in profile.operators)
    values = dict(run.measure_run(profile, operators))
    labels = dict(run.labels(profile, operators))
    if len({target.family for target in targets}) == 1:
        labels["chip_family"] = targets[0].family
    pairs = frozenset((pair.before, pair.after) for pair in profile.follows)
    return RunFeatures(Features(None, values, labels), operators, profile.scope == "run", pairs)


def _operator(op: Operator, context: Context, neighbours: dict[str, tuple[str, str]]) -> Features:
    labels = identity.labels(op, context, neighbours)
    pattern = labels.get("op_pattern", "")
    values: dict[str, Measure] = {}
    for topic in (cores, pipes, stalls, traffic):
        values.update(topic.measure(op, context))
    values.update(shapes.measure(op, context, pattern))
    values.update(work.measure(op, context, pattern))
    values.update(floors.measure(op, context, pattern, values))
    values.update(run.shares(op.total_us, op.core, context.run_us, context.compute_us))
    values.update(
        {name: measure for name, measure in op.counters.items() if name in _TYPED and name not in values}
    )
    return Features(op, values, labels)


# Metrics that a user may type in directly although they are normally computed (`--metrics FILE.json`).
# Pipe columns are not among them: which side they belong to is decided by the core kind.
_TYPED = frozenset(
    name for topic in TOPICS for name in topic.DEFINES if not name.startswith(("aic_", "aiv_"))
)


def _neighbours(profile: Profile) -> dict[str, tuple[str, str]]:
    """For each operator type the type that mostly comes before and after it, where one does more than half the time."""
    before: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    after: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for pair in profile.follows:
        before[pair.after][pair.before] += pair.count
        after[pair.before][pair.after] += pair.count
    return {name: (_mostly(before[name]), _mostly(after[name])) for name in {*before, *after}}


def _mostly(counts: dict[str, int]) -> str:
    if not counts:
        return ""
    name, count = max(sorted(counts.items()), key=lambda item: item[1])
    return name if count * 2 > sum(counts.values()) else ""
