"""Which nodes become one kernel: spelt-out operations, and the epilogues that converters merge into cube kernels.

Merged on every chip: batch norms, constant scales and biases into convolutions, biases into products, and ReLU-like
activations into convolutions (written out by the fixed pipe). On chips whose AI Core holds cube and vector (310, 310P,
610, first-generation 910) further elementwise operators behind a cube kernel, a residual addition among them, and chains
of elementwise operators. Source: the fusions named in the cost model, section 6, and fused types of the public traces.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kb.engine.family.wiring import Wiring
from kb.engine.network.idioms import idioms
from kb.graph.types import Model, Node

CONVOLUTIONS = frozenset({"Conv", "ConvTranspose"})
PRODUCTS = frozenset({"MatMul", "Gemm"})
CLAMPS = frozenset({"Relu", "Clip", "LeakyRelu", "PRelu"})
ACTIVATIONS = CLAMPS | {
    "Sigmoid", "HardSigmoid", "Tanh", "Elu", "Softplus", "Swish", "HardSwish", "Mish", "Gelu",
}  # fmt: skip
ELEMENTWISE = ACTIVATIONS | {
    "Add", "Sub", "Mul", "Div", "Neg", "Abs", "Exp", "Log", "Sqrt", "Reciprocal", "Pow", "Max", "Min", "Erf", "Sum", "Floor",
    "Ceil", "Round", "Sin", "Cos", "Sign", "Selu", "Celu", "ThresholdedRelu", "Softsign", "BatchNormalization",
}  # fmt: skip
LONGEST = 8  # operators in one chain; longer ones were not seen in public traces


@dataclass(slots=True)
class Group:
    """Nodes that become one kernel. `type` is the ONNX type of its head, or the CANN name of a spelt-out operation."""

    type: str
    nodes: list[Node]
    head: Node

    @property
    def out(self) -> str:
        """The value that the group yields."""
        return next((name for name in self.nodes[-1].outputs if name), "")


def grouped(model: Model, wiring: Wiring, *, fused: bool) -> list[Group]:
    """All data nodes in groups, in an order in which every input is there before it is read.

    `fused` says that the chip's cores hold cube and vector.
    """
    return _Grouping(model, wiring, fused).all()


class _Grouping:
    def __init__(self, model: Model, wiring: Wiring, fused: bool) -> None:
        self.wiring, self.fused = wiring, fused
        self.kept = {wiring.alias.get(value.name, value.name) for value in model.graph.outputs}
        self.place = {id(node): at for at, node in enumerate(wiring.nodes)}
        self.of: dict[int, Group] = {}

    def all(self) -> list[Group]:
        for kind, parts in idioms(self.wiring):
            group = Group(kind, parts, parts[0])
            self.of.update({id(part): group for part in parts})
        for node in self.wiring.nodes:
            self.of.setdefault(id(node), Group(node.type, [node], node))
        # the later of two convolutions takes up their sum, so heads are tried from the end
        for group in reversed(list(self._distinct())):
            if self._stands(group) and (group.type in CONVOLUTIONS or group.type in PRODUCTS):
                self._take_epilogue(group)
        if self.fused:
            for group in list(self._distinct()):
                if self._stands(group) and group.type in ELEMENTWISE:
                    self._take_chain(group)
        return sorted(self._distinct(), key=lambda group: self.place[id(group.nodes[-1])])

    def _distinct(self) -> Iterator[Group]:
        return iter({id(group): group for group in self.of.values()}.values())

    def _stands(self, group: Group) -> bool:
        """Whether the group was not merged into another one meanwhile."""
        return self.of[id(group.head)] is group

    def _reader(self, group: Group) -> Group | None:
        """The group that alone reads what this one yields."""
        if group.out in self.kept or len([name for name in group.nodes[-1].outputs if name]) != 1:
            return None
        readers = {id(self.of[id(node)]): self.of[id(node)] for node in self.wiring.readers(group.nodes[-1])}
        return next(iter(readers.values())) if len(readers) == 1 else None

    def _merge(self, group: Group, other: Group) -> None:
        group.nodes += other.nodes
        for node in other.nodes:
            self.of[id(node)] = group

    def _take_epilogue(self, group: Group) -> None:
        convolution = group.type in CONVOLUTIONS
        activated = summed = False
        while (after := self._reader(group)) is not None:
            constant = len(self.data_inputs(after)) == 1
            if convolution and after.type == "BatchNormalization" and not activated:
                pass
            elif constant and after.type in ("Add", "Sub", "Mul", "Div") and not activated and not summed:
                if not convolution and after.type != "Add" and not self.fused:
                    return
            elif (after.type in CLAMPS and convolution and not activated) or (
                self.fused and after.type in ACTIVATIONS and not activated
            ):
                activated = True
            elif self.fused and after.type == "Add" and not summed and self._same_size(group, after):
                summed = True
            else:
                return
            self._merge(group, after)

    def _take_chain(self, group: Group) -> None:
        while len(group.nodes) < LONGEST and (after := self._reader(group)) is not None:
            if after.type not in ELEMENTWISE or not self._same_size(group, after):
                return
            self._merge(group, after)

    def _same_size(self, group: Group, after: Group) -> bool:
        shapes = [self.wiring.of(group.out).shape, self.wiring.of(after.out).shape]
        shapes += [self.wiring.of(name).shape for name in self.data_inputs(after)]
        return shapes[0] is not None and all(shape == shapes[0] for shape in shapes)

    def data_inputs(self, group: Group) -> list[str]:
        return data_inputs(self.wiring, group)


def data_inputs(wiring: Wiring, group: Group) -> list[str]:
    """Computed values that a group reads from outside, in order, each once."""
    made = {name for node in group.nodes for name in node.outputs}
    names = [name for node in group.nodes for name in wiring.data_inputs(node) if name not in made]
    return list(dict.fromkeys(names))


def constants(wiring: Wiring, group: Group) -> list[str]:
    """Constant values that a group reads, in order, each once."""
    names = [name for node in group.nodes for name in node.inputs if name and wiring.of(name).static]
    return list(dict.fromkeys(names))
