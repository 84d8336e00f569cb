"""From the graph of a model to the calls of a converted one: groups, kernels, layouts, conversions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from kb.engine.family.wiring import Wiring, wire
from kb.engine.network import names
from kb.engine.network.groups import (
    CONVOLUTIONS,
    ELEMENTWISE,
    PRODUCTS,
    Group,
    constants,
    data_inputs,
    grouped,
)
from kb.engine.network.layouts import BLOCK, BLOCKED, FRACTAL, PLAIN, Layouts, device_dtype, sizes, tensor
from kb.engine.network.types import Call
from kb.graph.types import Model, Node
from kb.model import Tensor
from kb.targets import Target

_POOLS = frozenset(
    {"MaxPool", "AveragePool", "Resize", "Upsample", "BatchNormalization", "InstanceNormalization"}
)
_SIZED = frozenset(
    {"Resize", "Upsample", "Pad", "Tile", "Expand", "Slice", "Clip", "NonMaxSuppression", "TopK", "OneHot"}
)
_SPATIAL = frozenset({"GlobalAveragePool", "GlobalMaxPool"})
_HEAD_PERMUTATIONS = ((0, 2, 1, 3), (0, 2, 3, 1))
_ROWS = frozenset({"Softmax", "LayerNormalization", "LayerNorm", "RmsNorm"})


def lower(model: Model, chip: Target, engines: Mapping[int, str]) -> list[Call]:
    """The calls of a model whose input sizes are known, in order.

    `engines` says where nodes run, by their identity; those that are missing run on the AI Core.
    """
    lowering = _Lowering(wire(model), chip, engines)
    for group in grouped(model, lowering.wiring, fused=chip.fused):
        lowering.add(group)
    for value in model.graph.outputs:
        lowering.bring(lowering.wiring.alias.get(value.name, value.name), PLAIN)
    return lowering.calls


@dataclass(slots=True)
class _Lowering:
    wiring: Wiring
    chip: Target
    engines: Mapping[int, str]
    calls: list[Call] = field(default_factory=list)
    layouts: Layouts = field(init=False)
    renamed: dict[str, str] = field(
        default_factory=dict
    )  # reshaped values nobody has read yet, with their source
    done: set[int] = field(default_factory=set)  # nodes that a kernel before them took in

    def __post_init__(self) -> None:
        self.layouts = Layouts(self.calls)

    @property
    def blocked(self) -> str:
        """The layout of convolutions on this chip."""
        return PLAIN if self.chip.family == "ascend-950" else BLOCKED

    def add(self, group: Group) -> None:
        """Append the calls of one group."""
        node = group.head
        if id(node) in self.done:
            return
        if group.type in names.FREE:
            self._free(group)
            return
        if group.type in CONVOLUTIONS:
            self._convolution(group)
        elif group.type in PRODUCTS:
            self._product(group)
        elif group.type == "Transpose" and self._moves_heads(group):
            return
        else:
            self._call(group, names.kernel_type(group.type, node), self._layout(group))

    def _free(self, group: Group) -> None:
        """No kernel: a new name for the plain value, converted only if somebody reads it."""
        inputs = data_inputs(self.wiring, group)
        if len(inputs) == 1 and len(group.nodes[-1].outputs) == 1:
            self.renamed[group.out] = inputs[0]
            return
        for name in inputs:
            self.bring(name, PLAIN)

    def bring(self, name: str, layout: str) -> Tensor:
        """A value in a layout, converted where it is not there yet."""
        source = self.renamed.pop(name, None)
        if source is not None:
            self.bring(source, PLAIN)
            self.layouts.made(name, PLAIN)
        known = self.wiring.of(name)
        return self.layouts.bring(name, sizes(known), device_dtype(known.dtype, half=True), layout)

    def _constant(self, name: str) -> Tensor:
        known = self.wiring.of(name)
        return tensor(sizes(known), device_dtype(known.dtype, half=True))

    def _engine(self, group: Group) -> str:
        found = [self.engines.get(id(node), "ai_core") for node in group.nodes]
        return next((engine for engine in found if engine != "ai_core"), "ai_core")

    def _call(self, group: Group, kind: str, layout: str, weights: tuple[Tensor, ...] | None = None) -> None:
        engine = self._engine(group)
        layout = layout if engine == "ai_core" else PLAIN
        inputs = [self.bring(name, layout) for name in data_inputs(self.wiring, group)]
        others = weights if weights is not None else self._weights(group)
        outputs = [self._made(name, layout) for name in group.nodes[-1].outputs if name]
        layers = tuple(node.type for node in group.nodes)
        name = group.head.name or group.out or kind
        self.calls.append(Call(kind, name[:120], (*inputs, *others), tuple(outputs), engine, layers))

    def _made(self, name: str, layout: str) -> Tensor:
        known = self.wiring.of(name)
        shape = sizes(known)
        made = tensor(shape, device_dtype(known.dtype, half=True), layout)
        self.layouts.made(name, layout if made.format == layout or shape is None else PLAIN)
        return made

    def _weights(self, group: Group) -> tuple[Tensor, ...]:
        """Constants that a kernel reads as tensors: tables, scales, shifts; sizes and axes are attributes."""
        if group.type in _SIZED:
            return ()
        found = [self._constant(name) for name in constants(self.wiring, group)]
        return tuple(t for t in found if t.shape and "INT" not in t.dtype and math.prod(t.shape) > 1)

    def _layout(self, group: Group) -> str:
        """The layout in which a kernel other than a convolution or product works here."""
        inputs = data_inputs(self.wiring, group)
        shapes = [sizes(self.wiring.of(name)) for name in inputs]
        at = [self.layouts.of(name) for name in inputs]
        maps = bool(shapes) and all(shape is not None and len(shape) == 4 for shape in shapes)
        if group.type in _POOLS and maps:
            return self.blocked
        if BLOCKED in at and maps and self._keeps_blocks(group, shapes):
            return BLOCKED
        same = len(set(shapes)) == 1 and shapes[0] == sizes(self.wiring.of(group.out))
        if FRACTAL in at and same and (group.type in ELEMENTWISE or group.type in _ROWS):
            return FRACTAL
        return PLAIN

    def _keeps_blocks(self, group: Group, shapes: list[tuple[int, ...] | None]) -> bool:
        if group.type in ELEMENTWISE or group.type in _SPATIAL:
            return True
        if group.type == "ReduceMean":
            shape = sizes(self.wiring.of(group.out))
            return shape is not None and len(shape) == 4 and shape[2:] == (1, 1)
        if group.type in ("Concat", "Split"):
            rank = 4
            axis = group.head.integer("axis", 0) % rank
            ends = shapes + [sizes(self.wiring.of(name)) for name in group.head.outputs if name]
            return axis != 1 or all(
                shape is not None and len(shape) == rank and shape[1] % BLOCK == 0 for shape in ends
            )
        return False

    # --- cube kernels ---------------------------------------------------------------------------------------------

    def _convolution(self, group: Group) -> None:
        node = group.head
        weight = sizes(self.wiring.input(node, 1))
        data = sizes(self.wiring.input(node, 0))
        if weight is None or data is None or len(weight) != 4:
            kind = (
                "Conv3D" if weight is not None and len(weight) == 5 else names.kernel_type(group.type, node)
            )
            if weight is not None and len(weight) == 3:  # one axis: converters add one of size 1
                self._flat_convolution(group, weight)
            else:
                self._call(group, kind, PLAIN)
            return
        groups = max(1, node.integer("group", 1))
        depthwise = groups > 1 and weight[1] == 1 and weight[0] == groups
        kind = (
            "DepthwiseConv2D" if depthwise and group.type == "Conv" else names.kernel_type(group.type, node)
        )
        self._call(group, kind, self.blocked, (self._filter(node, weight, groups),))
        last = self.calls.pop()
        attributes = {"groups": str(groups)} if groups > 1 else {}
        self.calls.append(
            Call(last.type, last.name, last.inputs, last.outputs, last.engine, last.layers, attributes)
        )

    def _filter(self, node: Node, weight: tuple[int, ...], groups: int) -> Tensor:
        dtype = device_dtype(self.wiring.input(node, 1).dtype, half=True)
        if groups > 1 or self.blocked == PLAIN:
            return tensor(weight, dtype)
        windows = math.prod(weight[2:]) * math.ceil(weight[1] / BLOCK)
        return Tensor((windows, math.ceil(weight[0] / BLOCK), BLOCK, BLOCK), dtype, "FRACTAL_Z")

    def _flat_convolution(self, group: Group, weight: tuple[int, ...]) -> None:
        """A one-dimensional convolution as the product it is unfolded to."""
        engine = self._engine(group)
        inputs = [self.bring(name, PLAIN) for name in data_inputs(self.wiring, group)]
        outputs = tuple(self._made(name, PLAIN) for name in group.nodes[-1].outputs[:1])

        def tall(t: Tensor) -> Tensor:
            return (
                t
                if t.shape is None or len(t.shape) != 3
                else Tensor((*t.shape[:2], 1, t.shape[2]), t.dtype, "NCHW")
            )

        flt = Tensor(
            (*weight[:2], 1, weight[2]),
            device_dtype(self.wiring.input(group.head, 1).dtype, half=True),
            "NCHW",
        )
        groups = max(1, group.head.integer("group", 1))
        kind = "Conv2D" if group.type == "Conv" else names.kernel_type(group.type, group.head)
        self.calls.append(
            Call(
                kind, (group.head.name or group.out)[:120], (*map(tall, inputs), flt), tuple(map(tall, outputs)), engine,
                tuple(node.type for node in group.nodes), {"groups": str(groups)} if groups > 1 else {},
            )
        )  # fmt: skip

    def _product(self, group: Group) -> None:
        node = group.head
        shapes = [sizes(self.wiring.input(node, position)) for position in (0, 1)]
        layout = FRACTAL if self.chip.fused else PLAIN
        if len(node.inputs) > 1 and self.wiring.is_data(node.inputs[1]):
            matrix = all(shape is not None and len(shape) == 2 for shape in shapes)
            self._call(group, "MatMulV2" if matrix else "BatchMatMulV2", layout)
            return
        weight = shapes[1]
        if weight is None or shapes[0] is None:
            self._call(group, "MatMulV2", PLAIN)
            return
        flat = len(weight) == 2
        dtype = device_dtype(self.wiring.input(node, 1).dtype, half=True)
        self._call(group, "MatMulV2" if flat else "BatchMatMulV2", layout, (tensor(weight, dtype, layout),))
        if flat:
            last = self.calls.pop()
            inputs = tuple(_rows(t, layout) if at == 0 else t for at, t in enumerate(last.inputs))
            outputs = tuple(_rows(t, layout) for t in last.outputs)
            self.calls.append(Call(last.type, last.name, inputs, outputs, last.engine, last.layers))

    def _moves_heads(self, group: Group) -> bool:
        """A reshape with a transpose of heads and sequence: one kernel that keeps the blocks of products."""
        node = group.head
        if not self.chip.fused or node.integers("perm") not in _HEAD_PERMUTATIONS:
            return False
        name = self.wiring.data_inputs(node)[0]
        source = self.renamed.get(name, name)
        if self.layouts.of(source) != FRACTAL or self._engine(group) != "ai_core":
            return False
        after = self.wiring.next(node)
        layers = [node.type]
        out = group.out
        if source != name:
            del self.renamed[name]
            layers.insert(0, "Reshape")
        elif after is not None and after.type == "Reshape":
            layers.append("Reshape")
            out = after.outputs[0]
            self.done.add(id(after))
        moved = self.bring(source, FRACTAL)
        made = self._made(out, FRACTAL)
        self.calls.append(
            Call("ConfusionTransposeD", node.name[:120] or out[:120], (moved,), (made,), layers=tuple(layers))
        )
        return True


def _rows(t: Tensor, layout: str) -> Tensor:
    """All axes but the last of a product's operand as rows."""
    shape = t.shape
    if shape is None:
        return t
    if t.format == FRACTAL and len(shape) > 4:
        columns, rows = shape[-4:-2]
        return Tensor((columns, math.prod(shape[:-4]) * rows, *shape[-2:]), t.dtype, layout)
    if t.format != FRACTAL and len(shape) > 2:
        return Tensor((math.prod(shape[:-1]), shape[-1]), t.dtype, PLAIN)
    return t
