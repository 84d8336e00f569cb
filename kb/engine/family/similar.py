"""Case studies that resemble a network: same family first, then nearest families; within them the operator mix decides."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from kb import operators, targets
from kb.engine.family.guess import NONE, OTHER, FamilyGuess
from kb.model import Entry, SimilarCase

SHOWN = 5
_FAMILY, _NEXT, _MIX, _CHIP = 0.6, 0.25, 0.3, 0.1  # shares of the score; they need not sum to one


def similar_cases(
    guess: FamilyGuess, counts: Mapping[str, float], soc: str, entries: Iterable[Entry]
) -> tuple[SimilarCase, ...]:
    """The nearest cases with the reason, best first; empty for a graph that is no network.

    `counts` are operator types of the model (ONNX or CANN names).
    """
    if guess.name == NONE:
        return ()
    found = []
    for entry in entries:
        if entry.kind != "case" or entry.state == "retired":
            continue
        score, why = _score(guess, counts, soc, entry)
        if score > 0.2:
            found.append(SimilarCase(entry.id, entry.title.en, round(score, 2), why))
    return tuple(sorted(found, key=lambda case: (-case.score, case.id))[:SHOWN])


def family_of_case(entry: Entry) -> str:
    """Family of a case's model; empty when the case is about no model."""
    model = entry.facts.get("model")
    if isinstance(model, Mapping) and isinstance(model.get("family"), str):
        return str(model["family"])
    return entry.family


def _score(guess: FamilyGuess, counts: Mapping[str, float], soc: str, entry: Entry) -> tuple[float, str]:
    family = family_of_case(entry)
    score, reasons = 0.0, []
    if guess.name not in (NONE, OTHER) and family.casefold() == guess.name.casefold():
        score, reasons = _FAMILY, [f"same family {family}"]
    elif family in guess.also:
        score, reasons = _NEXT / (1 + guess.also.index(family)), [f"near family {family}"]
    else:
        return 0.0, ""
    shared = _shared(counts, entry)
    if shared:
        score += _MIX * min(1.0, len(shared) / 5)
        reasons.append(f"both run {', '.join(shared[:4])}")
    if soc and any(_same_chip(soc, chip) for chip in entry.chips):
        score += _CHIP
        reasons.append("same kind of chip")
    return min(score, 1.0), "; ".join(reasons)


def _shared(counts: Mapping[str, float], entry: Entry) -> list[str]:
    """Operators of the case that the model has, by falling count."""
    weight = {
        op: sum(n for name, n in counts.items() if operators.matches(op, name))
        for op in entry.operators
        if op != "*"
    }
    return sorted((op for op, n in weight.items() if n), key=lambda op: (-math.log1p(weight[op]), op))


def _same_chip(soc: str, chip: str) -> bool:
    return targets.is_known(chip) and targets.is_known(soc) and targets.family_of(soc) == _family(chip)


def _family(chip: str) -> str:
    return chip if chip in targets.families() else targets.family_of(chip)
