"""Coverage of CANN operator types, such as a profile lists, on another chip: what moves off the AI Core there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kb import operators, targets
from kb.engine.check.remedies import remedies
from kb.engine.check.result import OPEN_ONLY, TABLES, CheckedOperator, CheckResult, Engine
from kb.engine.family.guess import FamilyGuess
from kb.engine.family.nearest import recognise_types
from kb.engine.family.similar import similar_cases
from kb.model import Entry

_KNOWN: frozenset[Engine] = frozenset({"ai_core", "ai_cpu", "no_kernel", "dsa", "dvpp", "host"})
_NO_KERNEL_NEEDED = frozenset({"control", "communication"})


def check_types(
    op_types: Mapping[str, int],
    soc: str,
    entries: Iterable[Entry] | None = None,
    name: str = "profile",
    family: FamilyGuess | None = None,
) -> CheckResult:
    """Where operators of a profile (type to number of calls) would run on `soc`.

    `family` is the network's when the caller knows more of it than the types tell.

    Raises:
        UsageError: unknown chip.
    """
    targets.family_of(soc)
    known = list(entries or ())
    found = tuple(
        _operator(op, count, soc, known)
        for op, count in sorted(op_types.items(), key=lambda x: (-x[1], x[0]))
    )
    ordered = tuple(sorted(found, key=lambda op: not op.falls_back))
    family = family or recognise_types(op_types)
    summary: dict[str, int] = {}
    for op in ordered:
        key = op.engine if op.runs else "needs_no_kernel"
        summary[key] = summary.get(key, 0) + op.count
    return CheckResult(
        model=name,
        soc=soc,
        opset=None,
        operators=ordered,
        importable=True,
        family=family,
        similar_cases=similar_cases(family, op_types, soc, known),
        warnings=(OPEN_ONLY,) if targets.family_of(soc) == "ascend-950" else (),
        summary=summary,
    )


def _operator(op: str, count: int, soc: str, entries: list[Entry]) -> CheckedOperator:
    category = operators.category(op)
    found = operators.engine(op, soc)
    engine: Engine = next((name for name in _KNOWN if name == found), "unknown")
    if category in _NO_KERNEL_NEEDED and engine in ("no_kernel", "unknown"):
        return CheckedOperator(
            op, count, "no_kernel", f"{category}: no kernel of the operator library", runs=False
        )
    why = {
        "ai_cpu": f"only an AI CPU kernel on this chip in {TABLES}",
        "no_kernel": f"no kernel on this chip in {TABLES}",
        "unknown": f"not in the kernel lists of {TABLES}: an own or newer operator",
    }.get(engine)
    troubled = engine in ("ai_cpu", "no_kernel", "host")
    broken = (why,) if why else ()
    return CheckedOperator(
        op, count, engine, why, remedies(entries, (op,)) if troubled else (), broken=broken
    )
