"""Shapes: each kind of operator by hand, and that nothing wrong is ever invented from a damaged node."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.graph import parse
from kb.graph.known import Known
from kb.graph.rules import RULES
from kb.graph.shapes import infer
from tools.samples import onnx_writer as w


def shape_of(
    node: bytes, inputs: dict[str, list[w.Dim]], constants: list[bytes] | None = None, opset: int = 17
) -> Known:
    given = [w.value(name, shape) for name, shape in inputs.items()]
    return infer(parse(w.model(w.graph([node], given, tensors=constants or []), opset)))["y"]


def longs(name: str, *values: int) -> bytes:
    return w.tensor(name, [len(values)], w.INT64, integers=list(values))


@pytest.mark.parametrize(
    ("node", "shape", "constants", "expected"),
    [
        (w.node("Conv", ["x", "w"], ["y"], strides=[2, 2], pads=[3, 3, 3, 3], kernel_shape=[7, 7]), [1, 3, 224, 224], [w.tensor("w", [64, 3, 7, 7])], (1, 64, 112, 112)),
        (w.node("Conv", ["x", "w"], ["y"], auto_pad="SAME_UPPER", strides=[2, 2]), [1, 3, 15, 15], [w.tensor("w", [8, 3, 3, 3])], (1, 8, 8, 8)),
        (w.node("Conv", ["x", "w"], ["y"], dilations=[2, 2]), ["n", 3, 9, 9], [w.tensor("w", [8, 3, 3, 3])], ("n", 8, 5, 5)),
        (w.node("ConvTranspose", ["x", "w"], ["y"], strides=[2, 2], kernel_shape=[2, 2]), [1, 8, 4, 4], [w.tensor("w", [8, 5, 2, 2])], (1, 5, 8, 8)),
        (w.node("MaxPool", ["x"], ["y"], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]), [1, 64, 112, 112], [], (1, 64, 56, 56)),
        (w.node("AveragePool", ["x"], ["y"], kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1), [1, 4, 7, 7], [], (1, 4, 4, 4)),
        (w.node("GlobalAveragePool", ["x"], ["y"]), [2, 4, 7, "w"], [], (2, 4, 1, 1)),
        (w.node("Gemm", ["x", "w"], ["y"], transB=1), ["n", 64], [w.tensor("w", [10, 64])], ("n", 10)),
        (w.node("MatMul", ["x", "w"], ["y"]), [2, 5, 64], [w.tensor("w", [64, 32])], (2, 5, 32)),
        (w.node("Add", ["x", "w"], ["y"]), ["n", 1, 5], [w.tensor("w", [4, 1])], ("n", 4, 5)),
        (w.node("Concat", ["x", "w"], ["y"], axis=1), ["n", 3], [w.tensor("w", [2, 4])], (2, 7)),
        (w.node("Reshape", ["x", "s"], ["y"]), ["n", 4, 6], [longs("s", 0, -1)], ("n", 24)),
        (w.node("Reshape", ["x", "s"], ["y"]), ["n", 4, 6], [longs("s", -1, 24)], ("n", 24)),
        (w.node("Reshape", ["x", "s"], ["y"]), [2, 4, 6], [longs("s", 2, 3, -1)], (2, 3, 8)),
        (w.node("Flatten", ["x"], ["y"], axis=1), ["n", 4, 6], [], ("n", 24)),
        (w.node("Transpose", ["x"], ["y"], perm=[0, 2, 1]), [1, "t", 6], [], (1, 6, "t")),
        (w.node("Unsqueeze", ["x", "s"], ["y"]), [4, 6], [longs("s", 0, -1)], (1, 4, 6, 1)),
        (w.node("Squeeze", ["x", "s"], ["y"]), [1, 4, 1], [longs("s", 0)], (4, 1)),
        (w.node("Slice", ["x", "a", "b", "c"], ["y"]), [1, 10, 4], [longs("a", 1), longs("b", 1 << 62), longs("c", 1)], (1, 9, 4)),
        (w.node("Slice", ["x", "a", "b", "c", "d"], ["y"]), [10], [longs("a", -1), longs("b", -(1 << 63)), longs("c", 0), longs("d", -1)], (10,)),
        (w.node("Gather", ["x", "s"], ["y"], axis=1), [2, 9, 4], [longs("s", 0, 2, 4)], (2, 3, 4)),
        (w.node("Split", ["x"], ["y", "z"], axis=-1), [2, 6], [], (2, 3)),
        (w.node("Expand", ["x", "s"], ["y"]), [1, 4], [longs("s", 3, 1, 4)], (3, 1, 4)),
        (w.node("Tile", ["x", "s"], ["y"]), [2, "n"], [longs("s", 3, 1)], (6, "n")),
        (w.node("Pad", ["x", "s"], ["y"]), [2, 3], [longs("s", 0, 1, 0, 2)], (2, 6)),
        (w.node("Resize", ["x", "", "f"], ["y"], mode="nearest"), [1, 3, 5, 5], [w.tensor("f", [4], raw=struct.pack("<4f", 1, 1, 2, 2))], (1, 3, 10, 10)),
        (w.node("Resize", ["x", "", "", "s"], ["y"]), [1, 3, 5, 5], [longs("s", 1, 3, 20, 30)], (1, 3, 20, 30)),
        (w.node("ReduceMean", ["x"], ["y"], axes=[-1], keepdims=0), [2, 3, 4], [], (2, 3)),
        (w.node("ReduceSum", ["x", "s"], ["y"]), [2, 3, 4], [longs("s", 1)], (2, 1, 4)),
        (w.node("ArgMax", ["x"], ["y"], axis=1, keepdims=0), [2, 3], [], (2,)),
        (w.node("TopK", ["x", "s"], ["y", "i"]), [2, 30], [longs("s", 5)], (2, 5)),
        (w.node("DepthToSpace", ["x"], ["y"], blocksize=2), [1, 12, 4, "w"], [], (1, 3, 8, None)),
        (w.node("LSTM", ["x", "w", "r"], ["y"], hidden_size=7, direction="bidirectional"), [9, 1, 4], [], (9, 2, 1, 7)),
        (w.node("Einsum", ["x", "w"], ["y"], equation="bij,jk->bik"), ["b", 3, 4], [w.tensor("w", [4, 5])], ("b", 3, 5)),
        (w.node("NonZero", ["x"], ["y"]), [3, 4], [], (2, None)),
        (w.node("Softmax", ["x"], ["y"]), [3, None], [], (3, None)),
        (w.node("Whatever", ["x"], ["y"]), [3], [], None),
        (w.node("Relu", ["x"], ["y"], domain="mine"), [3], [], None),
    ],
)  # fmt: skip
def test_shape(
    node: bytes, shape: list[w.Dim], constants: list[bytes], expected: tuple[object, ...] | None
) -> None:
    assert shape_of(node, {"x": shape}, constants).shape == expected


def test_shape_arithmetic_is_followed_and_marked() -> None:
    """Shape, Gather, Concat, Reshape as exporters write it for x.reshape(x.size(0), -1)."""
    nodes = [
        w.node("Shape", ["x"], ["s"]),
        w.node("Gather", ["s", "zero"], ["b"], axis=0),
        w.node("Unsqueeze", ["b", "axis"], ["u"]),
        w.node("Concat", ["u", "minus"], ["t"], axis=0),
        w.node("Reshape", ["x", "t"], ["y"]),
    ]
    constants = [w.tensor("zero", [], w.INT64, integers=[0]), longs("axis", 0), longs("minus", -1)]
    known = infer(parse(w.model(w.graph(nodes, [w.value("x", ["batch", 3, 4])], tensors=constants))))
    assert known["t"].values == ("batch", -1)
    assert known["y"].shape == ("batch", 12)
    assert (known["t"].static, known["y"].static) == (True, False)


def test_both_branches_of_an_if_decide_its_shape() -> None:
    def branch(size: int) -> bytes:
        return w.graph(
            [w.node("Expand", ["x", "s"], ["o"])],
            outputs=[w.value("o", [2, size])],
            tensors=[longs("s", 2, size)],
        )

    node = w.node("If", ["c"], ["y"], then_branch=("graph", branch(3)), else_branch=("graph", branch(4)))
    assert shape_of(node, {"x": [1, 1], "c": []}).shape == (2, None)


def test_random_numbers_are_no_constants() -> None:
    assert not shape_of(w.node("RandomNormal", [], ["y"], shape=[2]), {}).static


def test_products_do_not_grow_without_bound() -> None:
    nodes = [w.node("Mul", [f"v{i}", f"v{i}"], [f"v{i + 1}"]) for i in range(3000)]
    known = infer(parse(w.model(w.graph(nodes, tensors=[longs("v0", 3)]))))
    assert known["v3000"].values == (None,)


def test_every_standard_rule_survives_a_node_without_inputs() -> None:
    for kind in RULES:
        known = infer(parse(w.model(w.graph([w.node(kind, [], ["y"])]))))
        assert "y" in known


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_any_node_gets_a_shape_or_none(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(sorted(RULES)))
    dims = st.lists(st.one_of(st.integers(0, 9), st.none(), st.just("n")), max_size=5)
    shapes = data.draw(st.lists(dims, max_size=4))
    listed = st.lists(st.integers(-9, 9), min_size=1, max_size=5)
    names = [
        "axis",
        "axes",
        "perm",
        "strides",
        "pads",
        "kernel_shape",
        "dilations",
        "split",
        "blocksize",
        "group",
    ]
    attributes = data.draw(
        st.dictionaries(st.sampled_from(names), st.one_of(st.integers(-9, 9), listed), max_size=4)
    )
    constants = [longs(f"k{i}", *data.draw(listed)) for i in range(data.draw(st.integers(0, 3)))]
    inputs = [f"x{i}" for i in range(len(shapes))] + [f"k{i}" for i in range(len(constants))]
    node = w.node(kind, inputs, ["y", "z"], **attributes)
    opset = data.draw(st.sampled_from([7, 9, 11, 13, 17]))
    known = infer(
        parse(
            w.model(
                w.graph([node], [w.value(f"x{i}", s) for i, s in enumerate(shapes)], tensors=constants), opset
            )
        )
    )
    for dim in known["y"].shape or ():
        assert dim is None or isinstance(dim, str) or dim >= 0
