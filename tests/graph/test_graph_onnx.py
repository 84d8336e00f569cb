"""The reader of ONNX files: what it takes, what it refuses, and that it never reads more than it needs."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.errors import SourceError
from kb.graph import parse, read, walk
from kb.graph.types import Constant, Model
from kb.graph.wire import LIMITS
from tools.samples import onnx_writer as w


def test_a_model_is_read_with_its_names_shapes_and_attributes() -> None:
    model = parse(w.small(), "m.onnx")
    assert model.opset == 17
    assert [node.type for node in model.graph.nodes] == ["Conv", "Relu", "Flatten", "Gemm"]
    assert model.graph.nodes[0].integers("strides") == (2, 2)
    assert model.graph.inputs[0].shape == ("batch", 3, 8, 8)
    assert model.graph.constants["w"].shape == (4, 3, 3, 3)
    assert model.graph.constants["w"].values is None, "weights are not kept"


def test_small_constants_are_kept_from_either_storage() -> None:
    packed = w.tensor("a", [3], w.INT64, integers=[1, 2, -1])
    raw = w.tensor("b", [2], w.INT64, raw=struct.pack("<2q", 7, -8))
    halves = w.tensor("c", [2], w.FLOAT16, raw=struct.pack("<2e", 0.5, 2.0))
    model = parse(w.model(w.graph([w.node("Identity", ["a"], ["o"])], tensors=[packed, raw, halves])))
    assert {name: constant.values for name, constant in model.graph.constants.items()} == {
        "a": (1, 2, -1), "b": (7, -8), "c": (0.5, 2.0),
    }  # fmt: skip


def test_a_tensor_whose_bytes_do_not_fit_its_shape_has_no_values() -> None:
    short = w.tensor("a", [3], w.INT64, raw=struct.pack("<2q", 7, 8))
    model = parse(w.model(w.graph([w.node("Identity", ["a"], ["o"])], tensors=[short])))
    assert model.graph.constants["a"].values is None


def test_subgraphs_functions_domains_and_external_data_are_seen() -> None:
    body = w.graph([w.node("Relu", ["x"], ["inner"])], outputs=[w.value("inner", [1])])
    call = w.node("Twice", ["x"], ["t"], domain="mine")
    branch = w.node(
        "If", ["flag"], ["y"], name="choice", then_branch=("graph", body), else_branch=("graph", body)
    )
    twice = w.function("Twice", "mine", [w.node("Add", ["a", "a"], ["b"])], ["a"], ["b"])
    outside = w.tensor("w", [4], location="weights.bin")
    model = parse(
        w.model(
            w.graph([call, branch, call], [w.value("x", [1])], tensors=[outside]), 17, {"mine": 1}, [twice]
        )
    )
    assert model.opsets == {"": 17, "mine": 1}
    assert model.graph.constants["w"].location == "weights.bin"
    assert [(placed.node.type, placed.place, placed.calls) for placed in walk(model)] == [
        ("Twice", "", 1), ("If", "", 1), ("Relu", "choice/then_branch", 1), ("Relu", "choice/else_branch", 1), ("Twice", "", 1),
        ("Add", "function Twice", 2),
    ]  # fmt: skip


def test_a_function_that_calls_itself_ends() -> None:
    loop = w.function("F", "mine", [w.node("F", ["a"], ["b"], domain="mine")], ["a"], ["b"])
    model = parse(w.model(w.graph([w.node("F", ["x"], ["y"], domain="mine")]), 17, {"mine": 1}, [loop]))
    assert len(list(walk(model))) == 2


def test_a_constant_node_keeps_its_tensor() -> None:
    node = w.node("Constant", [], ["c"], value=("tensor", w.tensor("", [1], w.INT64, integers=[5])))
    kept = parse(w.model(w.graph([node]))).graph.nodes[0].attributes["value"]
    assert isinstance(kept, Constant) and kept.values == (5,)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "no graph"),
        (b"PK\x03\x04 a zip", "byte"),
        (w.number(1, 8), "no graph"),
        (w.small()[:-40], "cut off"),
        (w.message(7, w.graph([w.node("Relu", ["x"], ["y"])]))[:-3], "cut off"),
        (b"\x3a\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "left"),
        (b"\x3a" + b"\xff" * 11, "10 bytes"),
        (w.varint(7 << 3 | 3) + b"\x00", "wire type 3"),
        (b"\x00\x00", "field number 0"),
        (w.model(w.graph([w.node("x" * 70_000, [], [])])), "a name of 70000 bytes"),
        (w.model(w.graph([w.node("Relu", ["x"], ["y"])], tensors=[w.tensor("t", [-3])])), "dimensions"),
    ],
    ids=range(11),
)
def test_what_is_no_model_is_refused_with_its_place(data: bytes, says: str) -> None:
    with pytest.raises(SourceError) as caught:
        parse(data, "bad.onnx")
    assert says in str(caught.value)
    assert "bad.onnx" in str(caught.value)


def test_nesting_without_end_is_refused() -> None:
    body = w.graph([w.node("Relu", ["x"], ["y"])])
    for _ in range(40):
        body = w.graph([w.node("If", ["c"], ["y"], then_branch=("graph", body))])
    with pytest.raises(SourceError, match="nested"):
        parse(w.model(body))


def test_types_nested_without_end_do_not_recurse() -> None:
    kind = w.message(1, w.number(1, 1))
    for _ in range(5000):
        kind = w.message(4, w.message(1, kind))
    model = parse(w.model(w.graph([w.node("Relu", ["x"], ["y"])], [w.message(1, "x") + w.message(2, kind)])))
    assert model.graph.inputs[0].kind == "sequence"


def test_more_nodes_than_the_bound_are_refused() -> None:
    empty = w.message(1, b"") * (LIMITS["nodes"] + 1)
    with pytest.raises(SourceError, match="nodes"):
        parse(w.model(empty))


def test_weights_are_stepped_over(tmp_path: Path) -> None:
    """A sparse file of 3 GB is read in no time and memory: only its ends hold anything."""
    size = 3 << 30
    start = w.number(1, 8) + w.message(8, w.number(2, 17))
    head = (
        w.message(8, "w")
        + w.number(2, w.FLOAT)
        + w.number(1, size // 4)
        + w.varint(9 << 3 | 2)
        + w.varint(size)
    )
    tail = w.message(1, w.node("Relu", ["x"], ["y"]))
    whole = varlen(5, len(head) + size) + head
    graph = varlen(7, len(whole) + size + len(tail))
    path = tmp_path / "big.onnx"
    with path.open("wb") as stream:
        stream.write(start + graph + whole)
        stream.seek(size, 1)
        stream.write(tail)
    model = read(path)
    assert [node.type for node in model.graph.nodes] == ["Relu"]
    assert model.graph.constants["w"].shape == (size // 4,)


def varlen(field: int, length: int) -> bytes:
    return w.varint(field << 3 | 2) + w.varint(length)


@pytest.mark.parametrize("kind", ["missing", "folder", "empty"])
def test_what_is_no_file_is_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "m.onnx"
    if kind == "folder":
        path.mkdir()
    elif kind == "empty":
        path.touch()
    with pytest.raises(SourceError, match=r"m\.onnx"):
        read(path)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_are_a_model_or_refused(data: bytes) -> None:
    _read_or_refuse(data)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_any_damage_to_a_model_is_read_or_refused(data: st.DataObject) -> None:
    good = bytearray(w.small())
    for _ in range(data.draw(st.integers(1, 4))):
        good[data.draw(st.integers(0, len(good) - 1))] = data.draw(st.integers(0, 255))
    _read_or_refuse(bytes(good[: data.draw(st.integers(1, len(good)))]))


def _read_or_refuse(data: bytes) -> None:
    try:
        model = parse(data)
    except SourceError:
        return
    assert isinstance(model, Model)


def test_the_onnx_package_reads_the_same(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx", reason="the onnx package is not installed: nothing to compare with")
    theirs = onnx.load_model_from_string(w.small())
    ours = parse(w.small())
    assert [node.op_type for node in theirs.graph.node] == [node.type for node in ours.graph.nodes]
    assert [tuple(item.dims) for item in theirs.graph.initializer] == [
        c.shape for c in ours.graph.constants.values()
    ]
    inferred = onnx.shape_inference.infer_shapes(theirs)
    from kb.graph.shapes import infer

    known = infer(ours)
    for item in inferred.graph.value_info:
        dims = tuple(dim.dim_param or dim.dim_value for dim in item.type.tensor_type.shape.dim)
        assert known[item.name].shape == dims


@pytest.mark.parametrize(
    ("place", "there", "absent"),
    [
        ("weights.bin", False, ("weights.bin",)),
        ("weights.bin", True, ()),
        ("../outside.bin", False, ()),  # what lies outside of the folder is not looked at
        ("/etc/passwd", False, ()),
        ("w" * 300, False, ("w" * 300,)),  # longer than a file system takes
    ],
)
def test_external_weights_that_do_not_lie_beside_the_model_are_named(
    tmp_path: Path, place: str, there: bool, absent: tuple[str, ...]
) -> None:
    outside = w.tensor("w", [4], location=place)
    graph = w.graph([w.node("Add", ["x", "w"], ["y"])], [w.value("x", [4])], tensors=[outside])
    (tmp_path / "m.onnx").write_bytes(w.model(graph))
    if there:
        (tmp_path / place).write_bytes(bytes(16))
    assert read(tmp_path / "m.onnx").absent == absent
