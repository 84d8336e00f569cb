"""The conditions of an entry against what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kb import operators
from kb.model import Condition, Features, Finding, Measure
from kb.units import number
from kb.vocabulary.metrics import BY_ID, OF_THE_RUN

MOST_UNSEEN = 3  # more unanswered conditions than these say no more
# How much an unanswered condition counts: a stated one, one read out of the symptom, a reading of the entry's own case.
UNSEEN = {"threshold": 1.0, "inferred": 0.5, "observed": 0.0}


@dataclass(frozen=True, slots=True)
class Signature:
    """How the conditions came out: counts by sign (`weights.tsv`), and those that hold in words."""

    signs: dict[str, float]
    held: tuple[str, ...]

    @property
    def contradicted(self) -> bool:
        """Something measured speaks against the entry."""
        return any(self.signs.get(f"{basis}_fails") for basis in ("threshold", "inferred"))

    @property
    def shown(self) -> bool:
        """One of its own signs was measured here; the operator's type alone is none."""
        return any("op_type" not in text for text in self.held)


def read(
    conditions: Sequence[Condition],
    finding: Finding,
    lead: Features | None,
    run: Features | None,
    unseen: float = 0,
) -> Signature:
    """All conditions that the operator's features (or the run's) can answer.

    A condition on a reading that made the finding is implied by it and tells nothing more, unless it bounds the reading
    from the other side. `unseen` counts what the
    entry asks for beyond its conditions.
    """
    implied = {(item.metric, item.limit[:1]) for item in finding.evidence if item.limit}
    signs: dict[str, float] = {}
    held: list[str] = []
    for condition in conditions:
        if condition.metric in OF_THE_RUN and (condition.metric != "run_phase" or condition.op == "!="):
            continue  # for whom the entry is, is asked elsewhere
        answer = answered(condition, lead, run)
        if answer is None:
            unseen += UNSEEN[condition.basis]
            continue
        if not answer and (
            condition.metric == "run_phase"
            or (condition.metric == "op_type" and condition.basis == "inferred")
        ):
            continue  # whether the entry speaks of this operator and this kind of run is asked elsewhere
        name = f"{condition.basis}_{'holds' if answer else 'fails'}"
        if answer and _implied(condition, implied):
            name = "implied"
        signs[name] = signs.get(name, 0.0) + 1.0
        if answer:
            held.append(_held(condition, lead, run))
    if unseen:
        signs["unseen"] = float(min(unseen, MOST_UNSEEN))
    return Signature(signs, tuple(held))


def _implied(condition: Condition, limits: set[tuple[str, str]]) -> bool:
    """The finding was made of this reading, and not by a limit on its other side."""
    sides = {side for metric, side in limits if metric == condition.metric}
    return bool(sides) and not (condition.op[:1] in "<>" and sides <= {"<", ">"} - {condition.op[:1]})


def answered(condition: Condition, lead: Features | None, run: Features | None) -> bool | None:
    """Whether a condition holds for the operator, or else for the run; None when neither measured it."""
    for f in (lead, run):
        answer = None if f is None else holds(condition, f)
        if answer is not None:
            return answer
    return None


def _held(condition: Condition, lead: Features | None, run: Features | None) -> str:
    """A condition that holds, with the reading it was held against: without that, a reader takes the bound for it."""
    metric, basis = condition.metric, condition.basis
    known = next((f for f in (lead, run) if f is not None and holds(condition, f) is not None), None)
    have = None if known is None or metric in known.labels else known.get(metric)
    if known is None or have is None:
        return f"{metric} {condition.op} {_text(condition.value)} holds ({basis})"
    unit = BY_ID[metric].unit if metric in BY_ID else ""
    here, bound = number(have, unit), _bound(condition.value, known, unit)
    if condition.op == "~":
        return f"{metric} is {here}, near {bound} ({basis})"
    return f"{metric} is {here}: {condition.op} {bound} holds ({basis})"


def _bound(value: object, known: Features, unit: str) -> str:
    """What a reading is held against: figures with the unit of the reading, another reading by its name."""
    if isinstance(value, str):
        name = value.removeprefix("@")
        other = known.values.get(name)
        return name if other is None else f"{name} {_span(other, unit)}"
    values = value if isinstance(value, tuple) else (value,)
    return "/".join(number(item, unit) if isinstance(item, (int, float)) else str(item) for item in values)


def _span(measure: Measure, unit: str) -> str:
    """A reading, or the range of it where several chips may be the one."""
    low, high = measure.low, measure.high
    if low is None or high is None or low == high:
        return number(measure.value, unit)
    return f"{number(low, unit)} to {number(high, unit)}"


def _text(value: object) -> str:
    return "/".join(map(str, value)) if isinstance(value, tuple) else str(value)


def holds(condition: Condition, f: Features) -> bool | None:
    """Whether a condition holds for these features; None when the metric was not measured."""
    if condition.metric in f.labels:
        return _word(condition, f.labels[condition.metric])
    have = f.get(condition.metric)
    if have is None:
        return None
    wanted = condition.value
    if isinstance(wanted, str):
        other = f.get(wanted.removeprefix("@")) if wanted.startswith("@") else None
        return None if other is None else _number(condition.op, have, other)
    if isinstance(wanted, tuple):
        numbers = [item for item in wanted if isinstance(item, (int, float))]
        return min(numbers) <= have <= max(numbers) if len(numbers) == 2 else have in numbers
    return _number(condition.op, have, float(wanted))


def surely_holds(condition: Condition, f: Features) -> bool | None:
    """Whether a condition holds on every chip that it may be: at both ends of each range, not only in its middle."""
    answers = {holds(condition, known) for known in (f, _at(f, low=True), _at(f, low=False))}
    return None if None in answers else answers == {True}


def _at(f: Features, *, low: bool) -> Features:
    """The features with every reading that is a range at one end of it."""
    ends = {name: item.low if low else item.high for name, item in f.values.items()}
    values = {
        name: item if (end := ends[name]) is None else replace(item, value=end)
        for name, item in f.values.items()
    }
    return replace(f, values=values)


def _word(condition: Condition, have: str) -> bool | None:
    wanted = condition.value if isinstance(condition.value, tuple) else (condition.value,)
    words = [str(word) for word in wanted]
    if condition.metric in ("op_type", "follows", "followed_by"):
        found = any(operators.matches(word, have) for word in words)
    else:
        found = have.lower() in {word.lower() for word in words}
    return not found if condition.op == "!=" else found


def _number(op: str, have: float, wanted: float) -> bool | None:
    answers = {
        "<": have < wanted, "<=": have <= wanted, ">": have > wanted, ">=": have >= wanted,
        "==": have == wanted, "!=": have != wanted, "~": abs(have - wanted) <= 0.2 * abs(wanted),
    }  # fmt: skip
    return answers.get(op)
