"""A neural network as read from a model file: frozen, plain, without weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

Dim = int | str | None  # a number, a symbol of the file ("batch"), or unknown
Shape = tuple[Dim, ...]
Scalar = int | float

STANDARD_DOMAINS = ("", "ai.onnx")


@dataclass(frozen=True, slots=True)
class Value:
    """Name, element type ("float32", "int64", ...; empty when unknown) and shape (None: rank unknown) of a value.

    `kind` is "tensor", "sequence", "map", "optional" or "sparse".
    """

    name: str
    dtype: str = ""
    shape: Shape | None = None
    kind: str = "tensor"


@dataclass(frozen=True, slots=True)
class Constant:
    """A stored tensor. `values` holds the elements of small ones only (row-major); `location` marks external data."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    values: tuple[Scalar, ...] | None = None
    location: str | None = None


Attribute = Scalar | str | tuple[Scalar, ...] | tuple[str, ...] | Constant | None


@dataclass(frozen=True, slots=True)
class Node:
    """One operator of a graph. `bodies` are the subgraphs in its attributes (If, Loop, Scan), by attribute name.

    An attribute whose value was not kept (too long, or of a kind that nothing here needs) is None.
    """

    type: str
    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    domain: str = ""
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    bodies: Mapping[str, Graph] = field(default_factory=dict)

    @property
    def standard(self) -> bool:
        """Whether the operator is of ONNX's own domain."""
        return self.domain in STANDARD_DOMAINS

    def integer(self, name: str, default: int = 0) -> int:
        """An integer attribute, `default` when it is missing or of another kind."""
        value = self.attributes.get(name)
        return value if isinstance(value, int) else default

    def integers(self, name: str) -> tuple[int, ...] | None:
        """A list-of-integers attribute, None when it is missing or of another kind."""
        value = self.attributes.get(name)
        if not isinstance(value, tuple):
            return None
        found = tuple(item for item in value if isinstance(item, int))
        return found if len(found) == len(value) else None

    def text(self, name: str, default: str = "") -> str:
        """A string attribute, `default` when it is missing or of another kind."""
        value = self.attributes.get(name)
        return value if isinstance(value, str) else default


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes in the file's order, with inputs, outputs, annotated values and stored tensors."""

    name: str
    nodes: tuple[Node, ...]
    inputs: tuple[Value, ...] = ()
    outputs: tuple[Value, ...] = ()
    values: Mapping[str, Value] = field(default_factory=dict)
    constants: Mapping[str, Constant] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Function:
    """An operator that the file itself defines by a body of nodes."""

    name: str
    domain: str
    nodes: tuple[Node, ...]
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    opsets: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Model:
    """A whole model file. `opsets` maps domains ("" is ONNX's own) to the version that the file imports.

    `absent` names the files of external weights that should lie beside the model and do not.
    """

    name: str
    graph: Graph
    opsets: Mapping[str, int]
    functions: Mapping[tuple[str, str], Function] = field(default_factory=dict)
    absent: tuple[str, ...] = ()

    @property
    def opset(self) -> int | None:
        """Version of ONNX's own operators, None when the file imports none."""
        return self.opsets.get("")


@dataclass(frozen=True, slots=True)
class Placed:
    """A node with where it stands: `place` is empty in the main graph, else "loop_1/body" or "function f"."""

    node: Node
    place: str
    calls: int = 1


def walk(model: Model) -> Iterator[Placed]:
    """Every node: of the main graph, of subgraphs (each once), and of the functions that are called.

    A function's body comes once, with `calls` the number of places that call it, over all levels.
    """
    calls: dict[tuple[str, str], int] = {}
    for placed in _inside(model.graph.nodes, "", 1):
        yield placed
        _count(model, placed.node, 1, calls, ())
    for key, count in calls.items():
        place = f"function {key[1]}"
        yield from _inside(model.functions[key].nodes, place, count)


def _inside(nodes: tuple[Node, ...], place: str, calls: int) -> Iterator[Placed]:
    for node in nodes:
        yield Placed(node, place, calls)
        for attribute, body in node.bodies.items():
            where = f"{node.name or node.type}/{attribute}"
            yield from _inside(body.nodes, f"{place}/{where}" if place else where, calls)


def _count(
    model: Model, node: Node, times: int, calls: dict[tuple[str, str], int], seen: tuple[tuple[str, str], ...]
) -> None:
    key = (node.domain, node.type)
    function = model.functions.get(key)
    if function is None or key in seen:  # a function that calls itself is no valid model; it is counted once
        return
    calls[key] = calls.get(key, 0) + times
    for placed in _inside(function.nodes, "", 1):
        _count(model, placed.node, times, calls, (*seen, key))
