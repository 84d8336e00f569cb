"""A graph as its data flow: constants and shape arithmetic left out, names that only rename followed through.

Exporters write the same network with other helpers around it (Identity, Cast, Constant, shape chains); what is left
here is the same for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from kb.graph.known import UNKNOWN, Known
from kb.graph.shapes import infer
from kb.graph.types import Model, Node, walk

FEW = 64  # readers of a value that are looked at: bounds the time a hostile graph can take
SAME_VALUE = frozenset({"Identity", "Cast", "CastLike", "Dropout", "QuantizeLinear", "DequantizeLinear"})


@dataclass(slots=True)
class Wiring:
    """Data nodes in order, with who makes and who reads each value."""

    nodes: list[Node]
    known: dict[str, Known]
    made_by: dict[str, int] = field(default_factory=dict)
    read_by: dict[str, list[int]] = field(default_factory=dict)
    alias: dict[str, str] = field(default_factory=dict)

    def of(self, name: str) -> Known:
        """What is known of a value."""
        return self.known.get(name, UNKNOWN)

    def input(self, node: Node, position: int) -> Known:
        """What is known of a node's input; nothing where the node has none there."""
        return self.of(node.inputs[position]) if position < len(node.inputs) else UNKNOWN

    def is_data(self, name: str) -> bool:
        """Whether the value depends on the network's inputs, not on constants and shapes only."""
        return bool(name) and not self.of(name).static

    def data_inputs(self, node: Node) -> list[str]:
        """The inputs that carry data, renames followed."""
        return [self.alias.get(name, name) for name in node.inputs if self.is_data(name)]

    def maker(self, name: str) -> Node | None:
        """The data node that makes a value; None for inputs of the network."""
        index = self.made_by.get(self.alias.get(name, name))
        return None if index is None else self.nodes[index]

    def readers(self, node: Node) -> list[Node]:
        """The data nodes that read any output of a node; of very many the first."""
        return [self.nodes[i] for name in node.outputs[:FEW] for i in self.read_by.get(name, ())[:FEW]]

    def next(self, node: Node) -> Node | None:
        """The only reader, None when there are none or several."""
        found = self.readers(node)
        return found[0] if len(found) == 1 else None

    def back(self, name: str, through: frozenset[str], steps: int) -> Node | None:
        """The maker of a value, going back through single-input nodes of the given types."""
        node = self.maker(name)
        while node is not None and node.type in through and steps > 0:
            inputs = self.data_inputs(node)
            if not inputs:
                return node
            node = self.maker(inputs[0])
            steps -= 1
        return node

    def inputs_of(self, types: str) -> Iterator[Node]:
        """Data nodes of the given types."""
        wanted = set(types.split())
        return (node for node in self.nodes if node.type in wanted)


def wire(model: Model) -> Wiring:
    """The data flow of a model, subgraphs and called functions included."""
    wiring = Wiring([], infer(model))
    for placed in walk(model):
        node = placed.node
        if (node.domain, node.type) in model.functions or node.type == "Constant":
            continue
        if not node.outputs or all(wiring.of(name).static for name in node.outputs if name):
            continue
        if node.type in SAME_VALUE and node.inputs:
            source = wiring.alias.get(node.inputs[0], node.inputs[0])
            wiring.alias.update({name: source for name in node.outputs if name})
            continue
        index = len(wiring.nodes)
        wiring.nodes.append(node)
        for name in node.outputs:
            wiring.made_by[name] = index
        for name in wiring.data_inputs(node):
            wiring.read_by.setdefault(name, []).append(index)
    return wiring
