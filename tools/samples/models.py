"""The shipped model: a small detector without training, its weights made by ConstantOfShape, so that the file is tiny."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from pathlib import Path

from tools.samples import onnx_writer as w

SIZE = 320
CLASSES = 8
ROWS = (SIZE // 8) ** 2 + (SIZE // 16) ** 2  # boxes of both levels


class _Net:
    """Nodes and constants in the making."""

    def __init__(self) -> None:
        self.nodes: list[bytes] = []
        self.tensors: list[bytes] = []
        self.count = 0

    def constant(self, name: str, values: list[int]) -> str:
        self.tensors.append(w.tensor(name, [len(values)], w.INT64, integers=values))
        return name

    def weight(self, dims: list[int]) -> str:
        """A tensor of zeros, made when the model is loaded."""
        self.count += 1
        name = f"w{self.count}"
        self.nodes.append(w.node("ConstantOfShape", [self.constant(f"{name}_shape", dims)], [name]))
        return name

    def add(self, kind: str, inputs: list[str], name: str, **attributes: w.Attribute) -> str:
        self.nodes.append(w.node(kind, inputs, [name], name=name, **attributes))
        return name

    def conv(
        self, source: str, name: str, channels: tuple[int, int], kernel: int = 3, stride: int = 1
    ) -> str:
        """A convolution with bias and SiLU, which the exporter spells out."""
        into, out = channels
        flt, bias = self.weight([out, into, kernel, kernel]), self.weight([out])
        edge = kernel // 2
        made = self.add(
            "Conv", [source, flt, bias], f"{name}.conv", kernel_shape=[kernel, kernel], strides=[stride, stride],
            pads=[edge] * 4,
        )  # fmt: skip
        gate = self.add("Sigmoid", [made], f"{name}.sigmoid")
        return self.add("Mul", [made, gate], name)

    def block(self, source: str, name: str, channels: int) -> str:
        """Half of the channels through two convolutions and a sum, then joined again."""
        half = channels // 2
        left = self.conv(source, f"{name}.left", (channels, half), 1)
        right = self.conv(source, f"{name}.right", (channels, half), 1)
        inner = self.conv(self.conv(right, f"{name}.a", (half, half)), f"{name}.b", (half, half))
        summed = self.add("Add", [right, inner], f"{name}.sum")
        return self.conv(
            self.add("Concat", [left, summed], f"{name}.concat", axis=1), name, (channels, channels), 1
        )


def detector() -> bytes:
    """Backbone, a pyramid of two levels, a head, and non-maximum suppression in the graph."""
    net = _Net()
    at = net.conv("images", "stem", (3, 16), 3, 2)
    at = net.conv(at, "down1", (16, 32), 3, 2)
    at = net.conv(net.block(at, "block1", 32), "down2", (32, 64), 3, 2)
    middle = net.block(at, "block2", 64)
    deep = _gate(net, net.block(net.conv(middle, "down3", (64, 128), 3, 2), "block3", 128), 128)
    net.tensors.append(w.tensor("scales", [4], w.FLOAT, raw=struct.pack("<4f", 1, 1, 2, 2)))
    up = net.add("Resize", [deep, "", "scales"], "up", mode="nearest")
    fused = net.conv(net.add("Concat", [up, middle], "pyramid", axis=1), "fuse", (192, 64), 1)
    rows = [_head(net, net.block(fused, "block4", 64), "head_fine", 64), _head(net, deep, "head_coarse", 128)]
    joined = net.add("Concat", rows, "predictions", axis=2)
    net.nodes.append(
        w.node("Split", [joined, net.constant("parts", [4, CLASSES])], ["box", "logit"], name="split", axis=1)
    )
    boxes = net.add("Transpose", ["box"], "boxes", perm=[0, 2, 1])
    scores = net.add("Sigmoid", ["logit"], "scores")
    net.constant("most", [100])
    for name, value in (("overlap", 0.5), ("least", 0.25)):
        net.tensors.append(w.tensor(name, [1], w.FLOAT, raw=struct.pack("<f", value)))
    net.add("NonMaxSuppression", [boxes, scores, "most", "overlap", "least"], "selected")
    graph = w.graph(
        net.nodes, [w.value("images", [1, 3, SIZE, SIZE])],
        [
            w.value("boxes", [1, ROWS, 4]), w.value("scores", [1, CLASSES, ROWS]), w.value("selected", ["found", 3], w.INT64),
        ],
        net.tensors, "tiny_detector",
    )  # fmt: skip
    return w.model(graph, 17)


def _gate(net: _Net, source: str, channels: int) -> str:
    """Squeeze and excite, its mean written as a pool over the whole map: too large a window for the AI Core kernel."""
    edge = SIZE // 16
    mean = net.add("AveragePool", [source], "gate.mean", kernel_shape=[edge, edge])
    made = net.add(
        "Conv",
        [mean, net.weight([channels, channels, 1, 1]), net.weight([channels])],
        "gate.conv",
        kernel_shape=[1, 1],
    )
    return net.add("Mul", [source, net.add("Sigmoid", [made], "gate.sigmoid")], "gate")


def _head(net: _Net, source: str, name: str, channels: int) -> str:
    hidden = net.conv(source, f"{name}.hidden", (channels, 64))
    flt, bias = net.weight([4 + CLASSES, 64, 1, 1]), net.weight([4 + CLASSES])
    out = net.add("Conv", [hidden, flt, bias], f"{name}.out", kernel_shape=[1, 1])
    shape = net.constant(f"{name}.shape", [1, 4 + CLASSES, -1])
    return net.add("Reshape", [out, shape], f"{name}.flat")


def operators() -> str:
    """One layer of a decoder as an operator JSON with shapes."""
    rows: Iterator[dict[str, object]] = iter(
        (
            {
                "type": "RmsNorm",
                "count": 2,
                "in_shapes": [[16, 4096], [4096]],
                "out_shapes": [[16, 4096], [16, 1]],
            },
            {
                "type": "MatMulV2",
                "name": "qkv",
                "in_shapes": [[16, 4096], [4096, 6144]],
                "out_shapes": [[16, 6144]],
            },
            {
                "type": "MatMulV2",
                "name": "out",
                "in_shapes": [[16, 4096], [4096, 4096]],
                "out_shapes": [[16, 4096]],
            },
            {
                "type": "MatMulV2",
                "name": "gate_up",
                "in_shapes": [[16, 4096], [4096, 24576]],
                "out_shapes": [[16, 24576]],
            },
            {"type": "SwiGlu", "in_shapes": [[16, 24576]], "out_shapes": [[16, 12288]]},
            {
                "type": "MatMulV2",
                "name": "down",
                "in_shapes": [[16, 12288], [12288, 4096]],
                "out_shapes": [[16, 4096]],
            },
            {"type": "Add", "count": 2, "in_shapes": [[16, 4096], [16, 4096]], "out_shapes": [[16, 4096]]},
        )
    )
    listed = [{**row, "in_dtypes": ["bfloat16"], "out_dtypes": ["bfloat16"]} for row in rows]
    lines = ",\n  ".join(json.dumps(row) for row in listed)
    return (
        f'{{"name": "decoder layer, 16 tokens", "hardware": "Ascend910B3", "operators": [\n  {lines}\n]}}\n'
    )


def shipped(folder: Path) -> None:
    """Write both."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tiny_detector.onnx").write_bytes(detector())
    (folder / "decoder_layer.json").write_text(operators(), encoding="utf-8")
