"""The same networks as a device profile shows them: counts of CANN operator types, without wiring.

`device_counts` says what a converted graph runs, after the usual fusions (activation into convolution, spelt-out
normalisations into one kernel). `groups` reads counts of any profile into coarse features. A profile keeps far less
than a graph, so families that differ by wiring only (U-Net, YOLO neck) are told apart less well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from kb import operators
from kb.engine.family.tokens import tokens
from kb.engine.family.wiring import wire
from kb.graph.types import Model

_KERNELS = {
    "conv1": "Conv2D", "conv3": "Conv2D", "conv5": "Conv2D", "conv_strip": "Conv2D", "patchify": "Conv2D",
    "gconv": "Conv2D", "conv1d": "Conv2D", "dw": "DepthwiseConv2D", "dw7": "DepthwiseConv2D", "dw1d": "DepthwiseConv2D",
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


def device_counts(model: Model) -> dict[str, int]:
    """CANN operator types and how often a converted graph of this model runs them, as far as its layers say."""
    found: Counter[str] = Counter()
    for name, count in tokens(wire(model)).items():
        if name in _KERNELS:
            found[_KERNELS[name]] += count
    return dict(found)


def groups(counts: Mapping[str, float]) -> dict[str, float]:
    """Share of each group (square root, as for graphs) in counts of operator types as a profile names them."""
    table = {plain: group for group, names in GROUPS.items() for plain in names.split()}
    found: Counter[str] = Counter()
    for op_type, count in counts.items():
        group = table.get(op_type) or table.get(operators.canonical(op_type))
        if group:
            found[group] += int(count)
    total = sum(found.values()) or 1
    return {f"device:{group}": round((count / total) ** 0.5, 4) for group, count in sorted(found.items())}
