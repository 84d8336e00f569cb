"""Shapes, element types and small known values of every tensor of a graph, as far as they are certain.

One pass in the file's order. What a rule does not know stays unknown (None); a malformed node makes its outputs
unknown, never an error. Values are followed only where shapes are computed from them: at most 64 elements.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import replace

from kb.graph.known import LARGEST, UNKNOWN, Element, Known, dim_of, of_constant
from kb.graph.rules import RULES
from kb.graph.types import Graph, Model, Node, Value

KEPT = 64
MAX_RANK = 32


def infer(model: Model) -> dict[str, Known]:
    """What is known of every named value of the main graph and of the subgraphs inside it.

    Subgraphs beside each other may use one name for different values: then only what both agree on is kept.
    """
    found: dict[str, Known] = {}
    _infer(model.graph, model.opset or 0, found)
    return found


def _infer(graph: Graph, opset: int, found: MutableMapping[str, Known]) -> list[Known]:
    """Add what is known of a graph's values to `found`, which holds those of the graphs around it; its outputs."""
    for value in graph.inputs:
        found[value.name] = _given(value)
    for constant in graph.constants.values():
        found[constant.name] = of_constant(constant)
    for node in graph.nodes:
        bodies = {name: _body(body, opset, found) for name, body in node.bodies.items()}
        inputs = [found.get(name, UNKNOWN) if name else UNKNOWN for name in node.inputs]
        outputs = _branches(bodies) if node.type == "If" else _apply(node, inputs, opset)
        static = all(known.static for known, name in zip(inputs, node.inputs, strict=True) if name)
        static = (static and not bodies and node.type not in _RANDOM) or node.type in ("Shape", "Size")
        for index, name in enumerate(node.outputs):
            if not name:
                continue
            known = outputs[index] if index < len(outputs) else UNKNOWN
            known = _bounded(replace(known, static=static))
            found[name] = _with_annotation(known, graph.values.get(name))
    for value in graph.outputs:
        found[value.name] = _with_annotation(found.get(value.name, UNKNOWN), value)
    return [found[value.name] for value in graph.outputs]


def _body(graph: Graph, opset: int, found: MutableMapping[str, Known]) -> list[Known]:
    inside: dict[str, Known] = {}
    outputs = _infer(graph, opset, ChainMap(inside, found))
    for name, known in inside.items():
        found[name] = _agreed(found[name], known) if name in found else known
    return outputs


def _agreed(one: Known, other: Known) -> Known:
    """What holds for both."""
    shape = None
    if one.shape is not None and other.shape is not None and len(one.shape) == len(other.shape):
        shape = tuple(x if x == y else None for x, y in zip(one.shape, other.shape, strict=True))
    values = one.values if one.values == other.values else None
    return Known(one.dtype if one.dtype == other.dtype else "", shape, values, one.static and other.static)


_RANDOM = frozenset(
    {"RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike", "Multinomial", "Bernoulli"}
)


def _given(value: Value) -> Known:
    return Known(value.dtype, value.shape)


def _apply(node: Node, inputs: list[Known], opset: int) -> Sequence[Known]:
    rule = RULES.get(node.type) if node.standard else None
    if rule is None:
        return ()
    try:
        return rule(node, inputs, opset)
    except (ArithmeticError, IndexError, TypeError, ValueError):  # a malformed node: nothing is certain
        return ()


def _branches(bodies: Mapping[str, list[Known]]) -> Sequence[Known]:
    one, other = bodies.get("then_branch"), bodies.get("else_branch")
    if one is None or other is None:
        return ()
    return [replace(_agreed(a, b), values=None) for a, b in zip(one, other, strict=False)]


def _with_annotation(known: Known, value: Value | None) -> Known:
    """Fill what inference left open from the file's own annotation."""
    if value is None:
        return known
    shape = known.shape
    if shape is None:
        shape = value.shape
    elif value.shape is not None and len(value.shape) == len(shape):
        shape = tuple(
            theirs if ours is None else ours for ours, theirs in zip(shape, value.shape, strict=True)
        )
    return replace(known, dtype=known.dtype or value.dtype, shape=shape)


def _bounded(known: Known) -> Known:
    shape, values = known.shape, known.values
    if shape is not None:
        shape = None if len(shape) > MAX_RANK else tuple(dim_of(dim) for dim in shape)
    if values is not None:
        values = None if len(values) > KEPT else tuple(_bounded_value(value) for value in values)
    return replace(known, shape=shape, values=values)


def _bounded_value(value: Element) -> Element:
    return None if isinstance(value, (int, float)) and not -LARGEST <= value < LARGEST else value
