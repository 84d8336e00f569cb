"""The CANN operator that a layer of a model becomes."""

from __future__ import annotations

from kb.engine.check.coverage import importer
from kb.graph.types import Node

# Where the importer's own choice depends on attributes, or the constant form ("D") is what static graphs run.
_TYPES = {
    "Conv": "Conv2D", "ConvTranspose": "Conv2DTransposeD", "Gemm": "MatMulV2", "MatMul": "BatchMatMulV2",
    "GlobalAveragePool": "ReduceMeanD", "ReduceMean": "ReduceMeanD", "ReduceSum": "ReduceSumD", "ReduceMax": "ReduceMaxD",
    "MaxPool": "MaxPoolV3", "AveragePool": "AvgPoolV2", "Concat": "ConcatD", "Split": "SplitVD", "Slice": "StridedSliceD",
    "Transpose": "TransposeD", "Gather": "GatherV2", "BatchNormalization": "BNInfer", "InstanceNormalization": "InstanceNorm",
    "Upsample": "ResizeNearestNeighborV2", "Pad": "PadV3D", "Softmax": "SoftmaxV2", "Expand": "BroadcastTo", "Tile": "TileD",
    "Clip": "ClipByValue", "Sum": "AddN", "Max": "Maximum", "Min": "Minimum", "Div": "RealDiv", "Where": "SelectV2",
    "TopK": "TopKD", "LayerNormalization": "LayerNorm", "RMSNormalization": "RmsNorm", "GroupNormalization": "GroupNorm",
    "SimplifiedLayerNormalization": "RmsNorm", "Celu": "Celu", "Einsum": "BatchMatMulV2",
}  # fmt: skip
FREE = frozenset(
    {
        "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Dropout", "Shape", "Size", "Constant", "ConstantOfShape",
        "If", "Loop", "Scan",
    }
)  # fmt: skip


def kernel_type(kind: str, node: Node) -> str:
    """CANN type for a group of that type; the ONNX name itself where no table knows it."""
    if kind == "Resize":
        return "ResizeNearestNeighborV2" if node.text("mode", "nearest") == "nearest" else "ResizeBilinearV2"
    if kind != node.type and kind not in _TYPES:
        return kind  # a spelt-out operation goes by its CANN name
    row = importer(node.domain, node.type)
    return _TYPES.get(kind) or (row.kernel if row is not None and row.kernel else kind)
