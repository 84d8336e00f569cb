"""What each data node does, in words that do not depend on the exporter: conv3, dw, linear, silu, gelu, layernorm, ...

A group of nodes that is one operation (Sigmoid and Mul: SiLU; the Erf chain: GELU; a spelt-out LayerNorm) counts once.
"""

from __future__ import annotations

from collections import Counter

from kb.engine.family.wiring import Wiring
from kb.graph.types import Node

_PLAIN = {
    "Relu": "relu", "LeakyRelu": "lrelu", "PRelu": "lrelu", "Tanh": "tanh", "HardSwish": "hswish", "Mish": "silu",
    "HardSigmoid": "hsigmoid", "Gelu": "gelu", "Elu": "relu", "Softplus": "softplus", "Softmax": "softmax",
    "LogSoftmax": "softmax", "LayerNormalization": "layernorm", "RMSNormalization": "rmsnorm",
    "SimplifiedLayerNormalization": "rmsnorm", "InstanceNormalization": "groupnorm", "GroupNormalization": "groupnorm",
    "BatchNormalization": "batchnorm", "Resize": "resize", "Upsample": "resize", "DepthToSpace": "shuffle",
    "LSTM": "rnn", "GRU": "rnn", "RNN": "rnn", "DynamicQuantizeLSTM": "rnn", "TopK": "topk",
    "NonMaxSuppression": "nms", "RoiAlign": "roialign", "MaxRoiPool": "roialign", "GridSample": "gridsample",
    "ScatterND": "scatter", "ScatterElements": "scatter", "CumSum": "cumsum", "GlobalAveragePool": "gap",
    "GlobalMaxPool": "gap", "Einsum": "bmm", "Sin": "trig", "Cos": "trig", "Split": "split", "Slice": "slice",
    "MatMulInteger": "linear", "FusedMatMul": "linear", "Attention": "attention", "MultiHeadAttention": "attention",
}  # fmt: skip


def tokens(wiring: Wiring) -> Counter[str]:
    """How often each kind of operation occurs."""
    found: Counter[str] = Counter()
    swallowed = _swallowed(wiring, found)
    for node in wiring.nodes:
        if id(node) not in swallowed:
            name = token(wiring, node)
            if name:
                found[name] += 1
    return found


def token(wiring: Wiring, node: Node) -> str:
    """The kind of operation of one node on its own; empty for what moves or renames only."""
    if node.type in _PLAIN:
        return _PLAIN[node.type]
    if node.type in ("Conv", "ConvInteger", "QLinearConv", "FusedConv"):
        return _conv(wiring, node)
    if node.type == "ConvTranspose":
        return "tconv"
    if node.type in ("Gemm", "MatMul", "QLinearMatMul"):
        return "linear" if len(wiring.data_inputs(node)) < 2 else "bmm"
    if node.type == "Clip":
        return "relu6" if _follows_layer(wiring, node) else "clamp"
    if node.type in ("MaxPool", "AveragePool"):
        return _pool(wiring, node)
    if node.type == "ReduceMean":
        return "gap" if _is_spatial_mean(wiring, node) else "reduce"
    if node.type.startswith("Reduce"):
        return "reduce"
    if node.type == "Concat":
        return (
            "concat"
            if len(wiring.data_inputs(node)) > 1 and _rank(wiring, node) in (4, 5, None)
            else "concat_other"
        )
    if node.type == "Add":
        return "residual" if len(wiring.data_inputs(node)) > 1 else ""
    if node.type == "Sum":
        return "residual"
    if node.type == "Mul":
        return "gate" if len(wiring.data_inputs(node)) > 1 else ""
    if node.type == "Gather":
        return _gather(wiring, node)
    if node.type == "Sigmoid":
        return "sigmoid"
    if node.type == "Transpose":
        return "transpose"
    if node.type == "Pad":
        return "pad" if node.text("mode", "constant") == "constant" else "pad_reflect"
    return ""


def kernel(wiring: Wiring, node: Node) -> tuple[int, ...]:
    """Spatial sizes of a convolution's window; empty when unknown."""
    sizes = node.integers("kernel_shape")
    if sizes is None and len(node.inputs) > 1:
        shape = wiring.input(node, 1).shape or ()
        sizes = tuple(dim for dim in shape[2:] if isinstance(dim, int))
    return sizes or ()


def _conv(wiring: Wiring, node: Node) -> str:
    sizes = kernel(wiring, node)
    if len(sizes) == 1:
        return "dw1d" if node.integer("group", 1) > 1 else "conv1d"
    if len(sizes) == 3:
        return "conv3d"
    groups = node.integer("group", 1)
    weight = wiring.input(node, 1).shape
    if groups > 1:
        per_group = weight[1] if weight and len(weight) > 1 else None
        if per_group == 1:
            return "dw" if max(sizes, default=3) < 7 else "dw7"
        return "gconv"
    if not sizes:
        return "conv3"
    if max(sizes) == 1:
        return "conv1"
    if 1 in sizes:
        return "conv_strip"
    strides = node.integers("strides") or (1,)
    if strides[0] >= 4 and strides[0] == sizes[0]:
        return "patchify"
    return "conv3" if max(sizes) <= 3 else "conv5"


def _pool(wiring: Wiring, node: Node) -> str:
    short = "maxpool" if node.type == "MaxPool" else "avgpool"
    out, data = wiring.of(node.outputs[0]).shape, wiring.input(node, 0).shape
    if (
        node.type == "AveragePool"
        and out
        and all(dim == 1 for dim in out[2:])
        and data
        and data[2:] != out[2:]
    ):
        return "gap"
    strides = node.integers("strides") or (1,)
    return f"{short}_same" if max(strides) == 1 else short


def _is_spatial_mean(wiring: Wiring, node: Node) -> bool:
    data = wiring.input(node, 0).shape
    axes = node.integers("axes")
    if axes is None and len(node.inputs) > 1:
        values = wiring.input(node, 1).values or ()
        axes = tuple(value for value in values if isinstance(value, int))
    if axes is None or data is None or len(data) != 4:
        return False
    return sorted(axis % 4 for axis in axes) in ([2, 3], [1, 2])


def _gather(wiring: Wiring, node: Node) -> str:
    """A table looked up with indices that come from the network's inputs."""
    table = wiring.input(node, 0)
    return "embedding" if table.static and table.rank == 2 and wiring.data_inputs(node) else ""


def _follows_layer(wiring: Wiring, node: Node) -> bool:
    before = wiring.maker(node.inputs[0]) if node.inputs else None
    return before is not None and before.type in ("Conv", "BatchNormalization", "Add")


def _rank(wiring: Wiring, node: Node) -> int | None:
    return wiring.of(node.outputs[0]).rank


# --- several nodes that are one operation ------------------------------------------------------------------------


def _swallowed(wiring: Wiring, found: Counter[str]) -> set[int]:
    gone: set[int] = set()
    for node in wiring.nodes:
        group = _silu(wiring, node) or _gelu(wiring, node) or _norm(wiring, node)
        if group and not gone & {id(part) for part in group[1]}:
            found[group[0]] += 1
            gone |= {id(part) for part in group[1]}
    return gone


def _silu(wiring: Wiring, node: Node) -> tuple[str, list[Node]] | None:
    if node.type not in ("Sigmoid", "HardSigmoid"):
        return None
    after = wiring.next(node)
    if after is None or after.type != "Mul":
        return None
    source = wiring.data_inputs(node)[:1]
    return (
        ("silu" if node.type == "Sigmoid" else "hswish", [node, after])
        if source and source[0] in wiring.data_inputs(after)
        else None
    )


def _gelu(wiring: Wiring, node: Node) -> tuple[str, list[Node]] | None:
    """The Erf form, or the Tanh form with its cubic term."""
    after = wiring.next(node) if node.type in ("Erf", "Tanh") else None
    if after is None or after.type != "Add" or len(wiring.data_inputs(after)) != 1:
        return None
    product = wiring.next(after)
    parts = [node, after]
    if product is not None and product.type == "Mul":
        parts.append(product)
        last = wiring.next(product)
        if last is not None and last.type == "Mul" and len(wiring.data_inputs(last)) == 1:
            parts.append(last)
    return "gelu", parts


def _norm(wiring: Wiring, node: Node) -> tuple[str, list[Node]] | None:
    """A normalisation spelt out around its square root; centred ones are LayerNorm, others RMSNorm."""
    if node.type != "Sqrt":
        return None
    before = wiring.maker(wiring.data_inputs(node)[0]) if wiring.data_inputs(node) else None
    if before is not None and before.type == "Add":
        inner = wiring.data_inputs(before)
        before = wiring.maker(inner[0]) if inner else None
    if before is None or before.type not in ("ReduceMean", "GlobalAveragePool"):
        return None
    power = wiring.maker(wiring.data_inputs(before)[0]) if wiring.data_inputs(before) else None
    if power is None or power.type not in ("Pow", "Mul"):
        return None
    source = wiring.maker(wiring.data_inputs(power)[0]) if wiring.data_inputs(power) else None
    if source is not None and source.type == "Sub":
        mean = [
            n
            for name in wiring.data_inputs(source)
            if (n := wiring.maker(name)) is not None and n.type == "ReduceMean"
        ]
        return "layernorm", [node, before, power, source, *mean]
    return "rmsnorm", [node, before, power]
