"""Choosing entries by kind, operator, chip and bottleneck."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from functools import cache

from kb import operators, targets
from kb.model import Entry


class Kind(str, Enum):
    """Kinds of entries, as an option."""

    case = "case"
    recipe = "recipe"
    pattern = "pattern"
    tip = "tip"


def matching(
    entries: Iterable[Entry], *, kind: Kind | None, operator: str, soc: str, bottleneck: str
) -> list[Entry]:
    """Entries that pass every filter given: they are about the operator, and hold on the chip.

    Raises:
        UsageError: no such chip or operator.
    """
    entries = list(entries)
    if operator:
        operators.require(operator, (name for entry in entries for name in entry.operators))
    wanted = frozenset(targets.resolve(soc)) if soc else None
    return [
        entry
        for entry in entries
        if (kind is None or entry.kind == kind.value)
        and (not operator or any(operators.matches(name, operator) for name in entry.operators))
        and (
            wanted is None
            or not entry.chips
            or any(wanted.intersection(_members(chip)) for chip in entry.chips)
        )
        and (not bottleneck or bottleneck in entry.bottlenecks)
    ]


@cache
def _members(chip: str) -> tuple[str, ...]:
    return targets.resolve(chip) if targets.is_known(chip) else ()
