"""What kind of run this is, against what an entry is written for: its phase, its network's family, the operators that run.

Conditions on these (`OF_THE_RUN` of the vocabulary) say for whom an entry is, not how well it fits: where one is known not
to hold, the entry is no advice. Where nothing tells, it stands behind all that is known to fit, and says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from kb import operators
from kb.engine.family import FamilyGuess, recognise_profile
from kb.engine.family.guess import NONE, OTHER
from kb.engine.metrics import RunFeatures
from kb.model import Condition, Entry
from kb.vocabulary.metrics import OF_THE_RUN, then

UNKNOWN = 0.1  # fit of an entry for one kind of run, where nothing tells which this is
LANGUAGE_MODEL = "LLM"
SURE = 0.5  # confidence of a family from which the run is of no other
_GENERATION = {"decode", "prefill"}  # phases that are inference too


class KindOfRun:
    """The run that entries are held against; `family` is recognised from the operators where it is not known better."""

    def __init__(self, run: RunFeatures | None, family: FamilyGuess | None = None) -> None:
        self._run = run
        self._given = family

    def fits(self, entry: Entry) -> tuple[float, str]:
        """1 where the entry is for this kind of run, 0 where it is for another, `UNKNOWN` and why where nothing tells."""
        for condition in entry.when if self._run is not None else ():
            if condition.metric in OF_THE_RUN:
                answer = self.answer(condition)
                if answer is False:
                    return 0.0, ""
        asked = [item for item in entry.when if item.metric in OF_THE_RUN]
        unknown = [item for item in asked if self._run is not None and self.answer(item) is None]
        return (UNKNOWN, _unknown(unknown[0])) if unknown else (1.0, "")

    def answer(self, condition: Condition) -> bool | None:
        """Whether a condition on the kind of run holds; None where nothing tells, or for any other condition."""
        asks = {
            "run_phase": self._phase,
            "model_family": self._family,
            "runs": self._runs,
            "collectives_run": self._collectives,
        }
        if self._run is None or condition.metric not in asks:
            return None
        found = asks[condition.metric](_words(condition))
        if condition.op != "!=":
            return found
        return (
            True if found is None else not found
        )  # said of all but one kind: holds unless it is known to be that

    def has(self, names: Iterable[str]) -> bool | None:
        """Whether an operator of one of these types runs; None where the run's operators are not known."""
        run = self._run
        if run is None:
            return None
        wanted = list(names)
        kinds = {f.labels.get("op_type", "") for f in run.operators}
        if any(operators.matches(name, kind) for name in wanted for kind in kinds):
            return True
        if not kinds or not run.whole:
            return None
        # A table of kernels may leave out the collectives, and one of collectives the kernels.
        sides = {f.labels.get("core") == "communication" for f in run.operators}
        talks = True in sides or not (run.run.get("comm_share") or run.run.get("comm_exposed_share"))
        told = (talks if is_collective(name) else False in sides for name in wanted)
        return False if all(told) else None

    def _phase(self, wanted: tuple[str, ...]) -> bool | None:
        have = self._run.run.labels.get("run_phase", "unknown") if self._run is not None else "unknown"
        if have in wanted or ("inference" in wanted and have in _GENERATION):
            return True
        if have == "unknown" or (have == "inference" and _GENERATION & set(wanted)):
            return None
        return False

    def _collectives(self, wanted: tuple[str, ...]) -> bool | None:
        have = self._run.run.labels.get("collectives_run") if self._run is not None else None
        return None if have is None else have in wanted

    @cached_property
    def _guess(self) -> FamilyGuess:
        ran = (
            [f.operator for f in self._run.operators if f.operator is not None]
            if self._run is not None
            else []
        )
        return self._given or recognise_profile(ran)

    def _family(self, wanted: tuple[str, ...]) -> bool | None:
        if self._run is None or not (self._given or self._run.whole):
            return None
        guess = self._guess
        if self._run.run.labels.get("run_phase") in _GENERATION:  # attention over a cache: a language model
            return LANGUAGE_MODEL in wanted
        if guess.name in wanted:
            return True
        if guess.name in (NONE, OTHER) or guess.confidence < SURE or set(wanted) & set(guess.also[:1]):
            return None
        return False

    def _runs(self, wanted: tuple[str, ...]) -> bool | None:
        """One of these types, or one of these chains of types, runs."""
        answers = [self._chain(then(word)) for word in wanted]
        return True if True in answers else None if None in answers else False

    def _chain(self, types: tuple[str, ...]) -> bool | None:
        found = [self.has((name,)) for name in types]
        if False in found:
            return False
        pairs = self._run.pairs if self._run is not None else frozenset()
        if len(types) == 1 or not pairs:
            return found[0] if len(types) == 1 else None
        reached = {before for before, _ in pairs if operators.matches(types[0], before)}
        for name in types[1:]:
            reached = {
                after for before, after in pairs if before in reached and operators.matches(name, after)
            }
        return bool(reached)


def _words(condition: Condition) -> tuple[str, ...]:
    values = condition.value if isinstance(condition.value, tuple) else (condition.value,)
    return tuple(map(str, values))


def is_collective(name: str) -> bool:
    """Whether an operator type or glob means communication."""
    return operators.category(name.rstrip("*")) == "communication" or name.lower().startswith("hcom")


def _unknown(condition: Condition) -> str:
    """Why nothing tells, in words."""
    words = _words(condition)
    named = " or ".join(words[:3])
    if condition.metric == "run_phase":
        return f"only when {named}: nothing here says that this is"
    if condition.metric == "model_family":
        return f"only for networks like {named}: nothing here says that this is one"
    return f"only where this runs: {named}; whether it does is not known here"
