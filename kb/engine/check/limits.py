"""Limits on attributes and inputs of ONNX operators, from `data/operators/onnx_limits.tsv`, tried on one node.

A row names an operator, what to look at (`attribute NAME`, `area NAME`, `rank N`, `width N`, `constant N`), a test
with its bound, what happens when it fails ("ai_cpu", "refused", "ignored"), and the words for people.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from kb import operators
from kb.errors import KnowledgeError
from kb.graph.known import UNKNOWN, Known
from kb.graph.types import Attribute, Node

EFFECTS = ("ai_cpu", "refused", "ignored")


@dataclass(frozen=True, slots=True)
class Limit:
    """One row of the table."""

    op: str
    subject: str
    of: str
    test: str
    bound: str
    effect: str
    text: str


def broken(node: Node, inputs: list[Known]) -> Iterator[Limit]:
    """The limits that a node breaks; what is unknown breaks nothing."""
    for limit in _limits().get(node.type, ()):
        values = SUBJECTS[limit.subject](limit.of, node, inputs)
        if values is not None and not all(_holds(limit, value) for value in values):
            yield limit


def _holds(limit: Limit, value: object) -> bool:
    if limit.test == "is":
        return str(value).casefold() == limit.bound.casefold()
    if limit.test == "in":
        return str(value).casefold() in limit.bound.casefold().split(",")
    if not isinstance(value, (int, float)):
        return True
    if limit.test == "odd":
        return int(value) % 2 == 1
    low, high = (float(part) if part else math.nan for part in limit.bound.split(".."))
    return not (value < low or value > high)


def _attribute(name: str, node: Node, _inputs: list[Known]) -> list[object] | None:
    value: Attribute = node.attributes.get(name)
    if value is None:
        return None
    return list(value) if isinstance(value, tuple) else [value]


def _area(name: str, node: Node, _inputs: list[Known]) -> list[object] | None:
    sizes = node.integers(name)
    return None if sizes is None else [math.prod(sizes)]


def _rank(position: str, _node: Node, inputs: list[Known]) -> list[object] | None:
    rank = _input(position, inputs).rank
    return None if rank is None else [rank]


def _width(position: str, _node: Node, inputs: list[Known]) -> list[object] | None:
    shape = _input(position, inputs).shape
    return [shape[-1]] if shape and len(shape) >= 3 and isinstance(shape[-1], int) else None


def _constant(position: str, node: Node, inputs: list[Known]) -> list[object] | None:
    index = int(position)
    if index >= len(node.inputs) or not node.inputs[index]:
        return None
    known = inputs[index]
    return ["constant" if known.static and (known.values is None or None not in known.values) else "computed"]


def _input(position: str, inputs: list[Known]) -> Known:
    return inputs[int(position)] if int(position) < len(inputs) else UNKNOWN


SUBJECTS: dict[str, Callable[[str, Node, list[Known]], list[object] | None]] = {
    "attribute": _attribute, "area": _area, "rank": _rank, "width": _width, "constant": _constant,
}  # fmt: skip


@cache
def _limits() -> dict[str, list[Limit]]:
    found: dict[str, list[Limit]] = {}
    for row in operators.rows("onnx_limits"):
        subject, _, of = row["subject"].partition(" ")
        if subject not in SUBJECTS or row["effect"] not in EFFECTS:
            raise KnowledgeError(
                f"{row['onnx_op']}: unknown subject or effect",
                where="data/operators/onnx_limits.tsv",
                now="mend the row",
            )
        limit = Limit(row["onnx_op"], subject, of, row["test"], row["bound"], row["effect"], row["text"])
        found.setdefault(limit.op, []).append(limit)
    return found
