"""ONNX models: read, their shapes worked out, their operators checked against a chip."""

from __future__ import annotations

from fuzz.sample import refused
from kb.engine import check
from kb.errors import KbError
from kb.graph import parse
from tools.samples import onnx_writer as w

PARSES = ("kb.graph.onnx", "kb.graph.wire", "kb.graph.shapes", "kb.engine.check.model")


def seeds() -> list[bytes]:
    """Small networks with constants, attributes, a subgraph and external weights."""
    inner = w.graph(
        [w.node("Relu", ["x"], ["y"])], inputs=[w.value("x", [4])], outputs=[w.value("y", [4])], name="body"
    )
    nodes = [
        w.node("MatMul", ["a", "b"], ["c"]), w.node("Reshape", ["c", "to"], ["d"]), w.node("Softmax", ["d"], ["e"], axis=-1),
        w.node("Concat", ["e", "e"], ["f"], axis=0), w.node("Transpose", ["f"], ["g"], perm=[1, 0]),
    ]  # fmt: skip
    tensors = [w.tensor("to", [2], w.INT64, integers=[2, -1]), w.tensor("b", [4, 4], location="weights.bin")]
    inputs, outputs = [w.value("a", ["batch", 4])], [w.value("g", None)]
    return [
        w.small(),
        w.model(w.graph(nodes, inputs=inputs, outputs=outputs, tensors=tensors)),
        w.model(inner),
    ]


def one(data: bytes) -> None:
    """Read and check it."""
    try:
        check.check(parse(data, "given.onnx"), "Ascend310P3", ())
    except KbError as fault:
        refused(fault)
