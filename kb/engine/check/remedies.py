"""The known way out for an operator: entries of the knowledge base that repair a fallback of it."""

from __future__ import annotations

from collections.abc import Iterable

from kb import operators
from kb.model import Entry

REPAIRED = frozenset({"aicpu-fallback", "nms-post-processing"})
FAMILIES = frozenset({"aicpu_fallback", "aicpu-fallback", "nms"})


def remedies(entries: Iterable[Entry], names: Iterable[str]) -> tuple[str, ...]:
    """Ids of recipes and tips for a fallback of any of these operators (ONNX, aten or CANN names), most specific first.

    Recipes come before tips, one that names the operator itself before one that names a pattern; entries for every
    operator are left out, for they answer nothing about this one.
    """
    wanted = [name for name in names if name]
    found: list[tuple[bool, int, str]] = []
    for entry in entries:
        if entry.kind not in ("recipe", "tip") or entry.state == "retired":
            continue
        if not (REPAIRED & set(entry.bottlenecks) or entry.family in FAMILIES):
            continue
        hits = [
            op for op in entry.operators if op != "*" and any(operators.matches(op, name) for name in wanted)
        ]
        if hits:
            exact = any(hit.casefold() == name.casefold() for hit in hits for name in wanted)
            found.append((entry.kind == "tip", 0 if exact else 1, entry.id))
    return tuple(id_ for _, _, id_ in sorted(found))
