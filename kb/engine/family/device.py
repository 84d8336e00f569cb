"""The same networks as a device profile shows them: counts of CANN operator types, without wiring.

`device_counts` says what a converted graph runs, after the usual fusions (activation into convolution, spelt-out
normalisations into one kernel); `profile_counts` takes the same from a profile. A convolution whose window is known is
counted as `Conv2D/1`, `Conv2D/3` or `Conv2D/5` (5 and larger). `groups` reads counts into coarse features. A profile
keeps far less than a graph, so families that differ by wiring only (U-Net, YOLO neck) are told apart less well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from kb import operators
from kb.engine.family import sizes
from kb.engine.family.tokens import tokens
from kb.engine.family.wiring import wire
from kb.graph.types import Model
from kb.model import Operator, Tensor

_KERNELS = {
    "conv1": "Conv2D/1", "conv3": "Conv2D/3", "conv5": "Conv2D/5", "conv_strip": "Conv2D/3", "patchify": "Conv2D/5",
    "gconv": "Conv2D/3", "conv1d": "Conv2D", "dw": "DepthwiseConv2D", "dw7": "DepthwiseConv2D", "dw1d": "DepthwiseConv2D",
    "conv3d": "Conv3D", "tconv": "Conv2DTransposeD", "linear": "MatMulV2", "bmm": "BatchMatMulV2",
    "softmax": "SoftmaxV2", "layernorm": "LayerNormV3", "rmsnorm": "RmsNorm", "groupnorm": "InstanceNorm",
    "batchnorm": "BNInfer", "rnn": "DynamicRNN", "embedding": "GatherV2", "silu": "Swish", "gelu": "Gelu",
    "hswish": "HardSwish", "sigmoid": "Sigmoid", "hsigmoid": "HardSigmoid", "tanh": "Tanh", "maxpool": "MaxPoolV3",
    "maxpool_same": "MaxPoolV3", "avgpool": "AvgPoolV2", "avgpool_same": "AvgPoolV2", "gap": "ReduceMeanD",
    "reduce": "ReduceSumD", "resize": "ResizeBilinearV2", "concat": "ConcatD", "concat_other": "ConcatD",
    "residual": "Add", "gate": "Mul", "transpose": "TransposeD", "split": "SplitVD", "slice": "StridedSliceD",
    "shuffle": "DepthToSpace", "topk": "TopKD", "nms": "NonMaxSuppressionV7", "roialign": "ROIAlign",
    "scatter": "ScatterElements", "gridsample": "GridSampler2D", "cumsum": "Cumsum", "pad": "PadV3D",
    "pad_reflect": "MirrorPad", "attention": "FlashAttentionScore", "trig": "Cos", "softplus": "Softplus",
}  # fmt: skip
# Group of a profile's type, by its plain name. Types that say nothing about the family (TransData, Cast, Relu fused or
# not) are in no group.
GROUPS = {
    "conv": "Conv2D Conv2DCompress FixPipe QuantConv2D Conv1D",
    "dw": "DepthwiseConv2D",
    "conv3d": "Conv3D",
    "tconv": "Conv2DTranspose Deconvolution Conv3DTranspose Conv2DBackpropInput",
    "matmul": "MatMul FullyConnection GroupedMatmul QuantBatchMatmul WeightQuantBatchMatmul Gemm MatmulAllReduce",
    "bmm": "BatchMatMul",
    "softmax": "Softmax ScaledMaskedSoftmax MaskedSoftmax AxpyWithSoftmaxAndDropOutDoMask",
    "attention": "FlashAttentionScore PromptFlashAttention IncreFlashAttention FusedInferAttentionScore UnpadFlashAttention",
    "layernorm": "LayerNorm AddLayerNorm",
    "rmsnorm": "RmsNorm AddRmsNorm AddRmsNormCast AddRmsNormQuant",
    "groupnorm": "InstanceNorm GroupNorm GroupNormSilu InstanceNormV2 INInfer",
    "batchnorm": "BNInfer BatchNorm BNInference",
    "rnn": "DynamicRNN DynamicGRU DynamicGRUHidden CommonLSTM CommonGRU BasicLSTMCell",
    "gather": "Gather Embedding EmbeddingBag",
    "silu": "Swish Silu",
    "swiglu": "SwiGlu GeGlu SwiGluQuant",
    "gelu": "Gelu FastGelu Erf",
    "hswish": "HardSwish HardSigmoid",
    "sigmoid": "Sigmoid",
    "tanh": "Tanh",
    "maxpool": "MaxPool",
    "avgpool": "AvgPool GlobalAveragePool",
    "mean": "ReduceMean",
    "reduce": "ReduceSum ReduceMax",
    "resize": "ResizeBilinear ResizeNearestNeighbor Resize UpsampleNearest UpsampleBilinear",
    "concat": "Concat",
    "add": "Add AddN",
    "mul": "Mul",
    "transpose": "Transpose ConfusionTranspose",
    "slice": "Split SplitV StridedSlice Slice",
    "shuffle": "DepthToSpace PixelShuffle",
    "topk": "TopK MoeGatingTopKSoftmax MoeGatingTopK",
    "moe": "MoeInitRouting MoeFinalizeRouting MoeDistributeDispatch MoeDistributeCombine MoeComputeExpertTokens",
    "rope": "RotaryMul ApplyRotaryPosEmb InterleaveRope KvRmsNormRopeCache RotaryPositionEmbedding",
    "kv_cache": "ScatterPaKvCache ReshapeAndCache ScatterUpdate",
    "nms": "NonMaxSuppression BatchMultiClassNonMaxSuppression NMSWithMask",
    "roialign": "ROIAlign RoiExtractor",
    "scatter": "ScatterElements ScatterNdUpdate ScatterAdd",
    "gridsample": "GridSampler2D GridSampler3D MultiScaleDeformableAttn DeformableOffsets BevPool",
    "cumsum": "Cumsum",
    "mirror": "MirrorPad",
    "trig": "Cos Sin",
}

MERGED = frozenset({"silu", "gelu", "hswish", "sigmoid", "tanh", "add", "mul", "batchnorm"})
_MERGED_TYPES = frozenset(
    [
        "Relu",
        "LeakyRelu",
        "Relu6",
        "PRelu",
        "Swish",
        "Silu",
        "Gelu",
        "HardSwish",
        "Sigmoid",
        "Add",
        "AddN",
        "Mul",
    ]
)
FEW_APART = (
    0.35  # such operators a convolution, up to which they count as merged: gates and a few sums remain
)
WINDOWS = ("conv1", "conv3", "conv5")
# Groups whose mere presence tells, however rare they are beside hundreds of convolutions.
TELLING = (
    "resize", "tconv", "softmax", "bmm", "layernorm", "groupnorm", "rnn", "nms", "roialign", "gridsample", "scatter", "shuffle",
    "tanh", "dw", "gather", "matmul", "mean", "rope", "conv3d", "mirror", "cumsum", "topk", "maxpool", "sigmoid", "rmsnorm",
)  # fmt: skip


def device_counts(model: Model) -> dict[str, int]:
    """CANN operator types and how often a converted graph of this model runs them, as far as its layers say."""
    found: Counter[str] = Counter()
    for name, count in tokens(wire(model)).items():
        if name in _KERNELS:
            found[_KERNELS[name]] += count
    return dict(found)


def device_sizes(model: Model) -> dict[str, float]:
    """What shapes of this model's operators tell."""
    return sizes.readings(sizes.of_graph(wire(model)))


def profile_counts(operators_: Iterable[Operator]) -> dict[str, int]:
    """Operator types of a profile and how often each ran, convolutions with their window where shapes tell it."""
    found: Counter[str] = Counter()
    for operator in operators_:
        if operator.type and operator.core not in ("communication", "other"):
            found[_windowed(operator)] += operator.count
    return dict(found)


def _windowed(operator: Operator) -> str:
    name = operator.type or ""
    if (
        operators.canonical(name) == "Gather"
        and operator.inputs
        and len(operator.inputs[0].shape or (0, 0)) != 2
    ):
        return "Slice"  # picks along an axis; a table of embeddings has two
    if operators.canonical(name) != "Conv2D" or len(operator.inputs) < 2:
        return name
    area = _window_area(operator.inputs[0], operator.inputs[1])
    return name if area is None else f"Conv2D/{1 if area == 1 else 3 if area <= 9 else 5}"


def _window_area(data: Tensor, weight: Tensor) -> int | None:
    """Elements of the window: of an NCHW weight its last two sizes, of a fractal one its first by the channel blocks."""
    if data.shape is None or weight.shape is None or len(weight.shape) != 4:
        return None
    if weight.format.startswith("FRACTAL"):
        blocks = data.shape[1] if len(data.shape) == 5 else 0
        return weight.shape[0] // blocks if blocks and weight.shape[0] % blocks == 0 else None
    return weight.shape[0] * weight.shape[1] if weight.format == "HWCN" else weight.shape[2] * weight.shape[3]


def is_merged(counts: Mapping[str, float]) -> bool:
    """Whether activations and sums have gone into the convolutions before them, as on chips with one kind of core."""
    found: Counter[str] = Counter()
    for op_type, count in counts.items():
        found[operators.canonical(op_type.partition("/")[0])] += int(count)
    convolutions = sum(found[name] for name in GROUPS["conv"].split())
    apart = sum(count for name, count in found.items() if name in _MERGED_TYPES)
    return apart < FEW_APART * convolutions


def groups(
    counts: Mapping[str, float], read: Mapping[str, float] | None = None, *, merged: bool = False
) -> dict[str, float]:
    """Share of each group (square root, as for graphs) in counts of operator types as a profile names them.

    `merged` leaves out what a chip merges into its convolutions, so that a graph compares with such a profile.
    """
    table = {plain: group for group, names in GROUPS.items() for plain in names.split()}
    found: Counter[str] = Counter()
    for op_type, count in counts.items():
        name, _, window = op_type.partition("/")
        group = table.get(name) or table.get(operators.canonical(name))
        if group and not (merged and group in MERGED):
            found[group] += int(count)
        if window:
            found[f"conv{window}"] += int(count)
    total = sum(count for group, count in found.items() if group not in WINDOWS) or 1
    shares = {f"device:{group}": round((count / total) ** 0.5, 4) for group, count in sorted(found.items())}
    return {**shares, **{f"device:has_{group}": 1.0 for group in TELLING if found[group]}, **(read or {})}
