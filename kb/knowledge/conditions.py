"""Whether the conditions of an entry can be asked: metrics and words of the vocabulary, compared as their kind allows."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache

from kb import operators
from kb.knowledge.faults import Found
from kb.model import Condition, Entry
from kb.vocabulary.families import FAMILIES
from kb.vocabulary.metrics import BY_ID, COLLECTIVES_RUN, OF_THE_RUN, PHASES, Metric, then

COMPARE = "see kb/vocabulary/metrics.py, or use observe"


@cache
def is_operator(name: str) -> bool:
    """Whether an operator type or glob means something of the taxonomy."""
    if name == "*" or operators.is_known(name):
        return True
    return "*" in name and any(
        fnmatchcase(known.casefold(), name.casefold()) for known in operators.known_types()
    )


def signature(entry: Entry) -> Iterator[Found]:
    """Conditions compare metrics of the vocabulary with values of their kind."""
    found = [(f"when.{i}", condition) for i, condition in enumerate(entry.when)]
    found += [(f"not_when.{i}", condition) for i, condition in enumerate(entry.not_when)]
    found += [
        (f"gains.{n}.when.{i}", condition)
        for n, gain in enumerate(entry.gains)
        for i, condition in enumerate(gain.when)
    ]
    for at, condition in found:
        metric = BY_ID.get(condition.metric)
        if metric is None:
            yield Found("unknown-metric", f"{at}.metric", f'no metric "{condition.metric}"', COMPARE)
        else:
            yield from _compared(at, condition, metric)
            yield from _words(at, condition)
    yield from _bounded_by(entry)
    if entry.kind in ("recipe", "pattern") and not entry.when and not entry.observe:
        yield Found("no-signature", "when", "nothing says when it applies", "add when or observe")


def _values(condition: Condition) -> tuple[float | str, ...]:
    return condition.value if isinstance(condition.value, tuple) else (condition.value,)


def _compared(at: str, condition: Condition, metric: Metric) -> Iterator[Found]:
    values = _values(condition)
    for value in values:
        if isinstance(value, str) and value.startswith("@") and value[1:] not in BY_ID:
            yield Found(
                "unknown-metric",
                at,
                f'no metric "{value[1:]}" to compare with',
                "see kb/vocabulary/metrics.py",
            )
    words = [value for value in values if isinstance(value, str) and not value.startswith("@")]
    if metric.kind == "label" and (len(words) != len(values) or condition.op not in ("==", "!=", "in")):
        yield Found("bad-comparison", at, f"{metric.id} is a word", "compare it with ==, != or in")
    if metric.kind == "number" and words:
        yield Found("bad-comparison", at, f"{metric.id} is a number", "compare it with a number or @metric")


def _words(at: str, condition: Condition) -> Iterator[Found]:
    """Words that say for what kind of run an entry is: a typing error would leave it out everywhere."""
    if condition.metric not in OF_THE_RUN:
        return
    for value in map(str, _values(condition)):
        if condition.metric == "runs":
            for name in then(value):
                if not is_operator(name):
                    mend = "a type or glob of data/operators; a chain is written A -> B"
                    yield Found("unknown-operator", at, f'no operator "{name}"', mend)
            continue
        known = {"run_phase": PHASES, "collectives_run": COLLECTIVES_RUN}.get(condition.metric, FAMILIES)
        if value not in known:
            yield Found(
                "bad-comparison", at, f'no {condition.metric} "{value}"', f"one of: {', '.join(known)}"
            )


def _bounded_by(entry: Entry) -> Iterator[Found]:
    if not entry.bounded_by:
        return
    metric = BY_ID.get(entry.bounded_by)
    if metric is None:
        yield Found("unknown-metric", "bounded_by", f'no metric "{entry.bounded_by}"', COMPARE)
    elif metric.unit != "1":
        yield Found("bad-comparison", "bounded_by", f"{metric.id} is no share", "name a share of the run")
