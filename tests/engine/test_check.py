"""Coverage checks on models written by hand: what runs where, what is reported, and that nothing crashes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb import operators
from kb.engine.check import CheckResult, check, check_torch, check_types, document, read_names
from kb.engine.check.coverage import importer
from kb.engine.check.limits import EFFECTS, SUBJECTS
from kb.errors import SourceError, UsageError
from kb.graph import parse
from kb.model import Entry, Text3
from tools.samples import onnx_writer as w

CHIPS = (
    "Ascend310",
    "Ascend310P3",
    "Ascend310B1",
    "Ascend910A",
    "Ascend910B3",
    "Ascend910_9392",
    "Ascend950PR_9599",
    "910B",
)


def checked(*nodes: bytes, soc: str = "Ascend310P3", opset: int = 17, shape: list[w.Dim] | None = None, dtype: int = w.FLOAT, tensors: tuple[bytes, ...] = (), entries: list[Entry] | None = None, domains: dict[str, int] | None = None) -> CheckResult:  # fmt: skip
    given = [w.value("x", [1, 3, 8, 8] if shape is None else shape, dtype)]
    return check(
        parse(w.model(w.graph(list(nodes), given, [w.value("y", None)], tensors), opset, domains), "m.onnx"),
        soc,
        entries,
    )


def engines(result: CheckResult) -> dict[str, str]:
    return {operator.type: operator.engine for operator in result.operators}


def test_a_plain_network_is_covered() -> None:
    result = check(parse(w.small(), "m.onnx"), "Ascend310P3")
    assert engines(result) == {
        "Conv": "ai_core",
        "Gemm": "ai_core",
        "Relu": "ai_core",
        "Flatten": "no_kernel",
    }
    assert (result.falls_back, result.importable, result.exit_status) == (False, True, 0)
    flatten = next(operator for operator in result.operators if operator.type == "Flatten")
    assert not flatten.runs and not flatten.falls_back
    assert any("batch" in warning for warning in result.warnings), "dynamic input is said by name"


def test_the_document_has_every_promised_key() -> None:
    found = document(check(parse(w.small(), "m.onnx"), "Ascend310P3"))
    promised = [
        "schema",
        "model",
        "soc",
        "opset",
        "operators",
        "falls_back",
        "importable",
        "family",
        "similar_cases",
        "warnings",
    ]
    assert list(found)[: len(promised)] == promised
    assert list(found["operators"][0])[:5] == ["type", "count", "engine", "restriction", "remedies"]
    assert found["schema"] == "kb.check/1"
    assert {"name", "confidence"} <= set(found["family"])
    assert "8.1.RC1" in found["tables"]
    json.dumps(found)


@pytest.mark.parametrize("soc", CHIPS)
def test_every_chip_gets_an_answer(soc: str) -> None:
    result = check(parse(w.small(), "m.onnx"), soc)
    assert {operator.engine for operator in result.operators} <= {"ai_core", "no_kernel", "unknown"}


def test_an_unknown_chip_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="unknown chip"):
        check(parse(w.small()), "Ascend999")


def test_the_same_operator_falls_back_on_one_chip_only() -> None:
    node = w.node("ScatterElements", ["x", "i", "u"], ["y"])
    assert engines(checked(node, soc="Ascend310P3")) == {"ScatterElements": "ai_cpu"}
    assert engines(checked(node, soc="Ascend910B3")) == {"ScatterElements": "ai_core"}
    assert checked(node).exit_status == 1


def test_a_decomposed_operator_is_judged_by_what_does_the_work() -> None:
    """ConvTranspose becomes Unsqueeze, Conv2DTranspose, Squeeze: the convolution counts, not its helpers."""
    assert importer("", "ConvTranspose").kernel == "Conv2DTranspose"  # type: ignore[union-attr]
    assert importer("", "OneHot").kernel == "OneHot"  # type: ignore[union-attr]
    node = w.node("ConvTranspose", ["x", "w"], ["y"], kernel_shape=[2, 2])
    assert engines(checked(node, tensors=(w.tensor("w", [3, 4, 2, 2]),))) == {"ConvTranspose": "ai_core"}


def test_opset_too_new_keeps_the_engines_and_says_what_to_do() -> None:
    result = check(parse(w.small(19), "m.onnx"), "Ascend310P3")
    assert (result.opset, result.importable, result.exit_status) == (19, False, 1)
    assert engines(result)["Conv"] == "ai_core"
    assert any("opset 19 is too new" in warning and "18" in warning for warning in result.warnings)


def test_opset_too_old_is_reported() -> None:
    result = check(parse(w.small(6), "m.onnx"), "Ascend310P3")
    assert not result.importable and any("too old" in warning for warning in result.warnings)


def test_an_importer_for_other_opsets_only_is_none() -> None:
    assert engines(checked(w.node("Scatter", ["x", "i", "u"], ["y"]), opset=13)) == {"Scatter": "no_importer"}
    assert engines(checked(w.node("HardSwish", ["x"], ["y"]), opset=14)) == {"HardSwish": "ai_core"}


def test_int8_nodes_have_no_importer() -> None:
    result = checked(
        w.node("QuantizeLinear", ["x", "s", "z"], ["q"]), w.node("DequantizeLinear", ["q", "s", "z"], ["y"]),
        tensors=(w.tensor("s", []), w.tensor("z", [], w.INT8)),
    )  # fmt: skip
    assert set(engines(result).values()) == {"no_importer"}
    assert (result.importable, result.falls_back, result.exit_status) == (False, False, 1)
    assert any("int8" in warning for warning in result.warnings)


def test_custom_domains_are_named() -> None:
    result = checked(w.node("Mine", ["x"], ["y"], domain="com.acme"), domains={"com.acme": 1})
    assert result.operators[0].domain == "com.acme"
    assert engines(result) == {"Mine": "no_importer"}
    assert "com.acme" in (result.operators[0].restriction or "")
    known = checked(
        w.node("NPURmsNorm", ["x", "g"], ["y"], domain="npu"), domains={"npu": 1}, soc="Ascend910B3"
    )
    assert engines(known) == {"NPURmsNorm": "ai_core"}


def test_an_operator_nobody_knows_is_unknown_not_missing() -> None:
    result = checked(w.node("Frobnicate", ["x"], ["y"]))
    assert engines(result) == {"Frobnicate": "unknown"} and result.importable


def test_control_flow_is_checked_inside() -> None:
    body = w.graph([w.node("NonZero", ["x"], ["o"], name="nz")], outputs=[w.value("o", None)])
    loop = w.node("Loop", ["n", "c"], ["z"], body=("graph", body))
    choice = w.node("If", ["c"], ["y"], name="pick", then_branch=("graph", body), else_branch=("graph", body))
    result = checked(loop, choice, soc="Ascend310B1")
    assert engines(result) == {"Loop": "no_importer", "NonZero": "ai_cpu", "If": "no_kernel"}
    nonzero = next(operator for operator in result.operators if operator.type == "NonZero")
    assert nonzero.count == 3 and "pick/then_branch/nz" in nonzero.nodes
    assert any("control flow (If, Loop)" in warning for warning in result.warnings)
    assert any("depends on the data" in warning for warning in result.warnings)


def test_functions_and_external_data_are_reported() -> None:
    twice = w.function("Twice", "mine", [w.node("Add", ["a", "a"], ["b"])], ["a"], ["b"])
    graph = w.graph(
        [w.node("Twice", ["x"], ["t"], domain="mine"), w.node("Twice", ["t"], ["y"], domain="mine")],
        [w.value("x", [4])], [w.value("y", [4])], [w.tensor("k", [9], location="../../etc/weights.bin")],
    )  # fmt: skip
    result = check(parse(w.model(graph, 17, {"mine": 1}, [twice]), "m.onnx"), "Ascend310P3")
    assert engines(result) == {"Twice": "no_importer", "Add": "ai_core"}
    assert next(operator for operator in result.operators if operator.type == "Add").count == 2
    assert any("outside the model's folder" in warning for warning in result.warnings)
    assert any("inline" in warning for warning in result.warnings)


@pytest.mark.parametrize(
    ("node", "engine", "says"),
    [
        (w.node("MaxPool", ["x"], ["y"], kernel_shape=[20, 20]), "ai_cpu", "area above 256"),
        (w.node("MaxPool", ["x"], ["y"], kernel_shape=[3, 3], strides=[64, 64]), "ai_cpu", "stride above 63"),
        (w.node("MaxPool", ["x"], ["y"], kernel_shape=[3, 3], strides=[2, 2]), "ai_core", ""),
        (w.node("Conv", ["x", "w"], ["y"], strides=[64, 64]), "ai_core", "strides must be 1..63"),
        (w.node("LRN", ["x"], ["y"], size=4), "ai_core", "odd"),
        (w.node("LRN", ["x"], ["y"], size=5), "ai_core", ""),
        (w.node("ConvTranspose", ["x", "w"], ["y"], auto_pad="SAME_UPPER"), "ai_core", "auto_pad"),
        (w.node("Resize", ["x", "", "", "dyn"], ["y"], mode="linear"), "ai_core", "sizes must be constant"),
        (w.node("Resize", ["x", "", "w"], ["y"], mode="linear"), "ai_core", ""),
        (w.node("Expand", ["x", "dyn"], ["y"]), "ai_core", "must be constant"),
    ],
)
def test_limits(node: bytes, engine: str, says: str) -> None:
    graph = w.graph(
        [node],
        [w.value("x", [1, 3, 300, 300]), w.value("dyn", [4], w.INT64)],
        [],
        [w.tensor("w", [3, 3, 3, 3])],
    )
    found = check(parse(w.model(graph)), "Ascend310P3").operators[0]
    assert found.engine == engine
    assert says in "; ".join(found.broken) if says else not found.broken


def test_limits_name_known_operators_only() -> None:
    for row in operators.rows("onnx_limits"):
        assert importer("", row["onnx_op"]) is not None
        assert row["effect"] in EFFECTS and row["subject"].split()[0] in SUBJECTS


def test_a_type_the_kernel_does_not_list_goes_to_ai_cpu() -> None:
    node = w.node("CumSum", ["x", "a"], ["y"])
    axis = w.tensor("a", [], w.INT32, integers=[0])
    found = checked(node, dtype=w.INT64, tensors=(axis,)).operators[0]
    assert found.engine == "ai_cpu" and "int64" in (found.restriction or "")
    assert checked(node, dtype=w.FLOAT, tensors=(axis,)).operators[0].engine == "ai_core"


def test_shape_arithmetic_is_no_fallback() -> None:
    """Mod of int64 shapes folds away; the same on data does not."""
    shapes = [
        w.node("Shape", ["x"], ["s"]),
        w.node("Mod", ["s", "k"], ["m"]),
        w.node("Reshape", ["x", "m"], ["y"]),
    ]
    constant = w.tensor("k", [1], w.INT64, integers=[7])
    assert not checked(*shapes, tensors=(constant,)).falls_back
    assert checked(w.node("Mod", ["x", "k"], ["y"]), dtype=w.INT64, tensors=(constant,)).falls_back


def entry(id: str, kind: str, ops: tuple[str, ...], **more: Any) -> Entry:
    return Entry(
        id, kind, "reviewed", Text3(id), Text3(""), Text3(""), more.pop("family", ""), operators=ops, **more
    )  # type: ignore[arg-type]


def test_remedies_are_recipes_for_this_operator() -> None:
    entries = [
        entry("for-scatter", "recipe", ("ScatterElements",), bottlenecks=("aicpu-fallback",)),
        entry("for-all", "recipe", ("*",), bottlenecks=("aicpu-fallback",)),
        entry("other-operator", "recipe", ("NonZero",), bottlenecks=("aicpu-fallback",)),
        entry("other-trouble", "recipe", ("ScatterElements",), bottlenecks=("scalar-bound-vector",)),
        entry("a-case", "case", ("ScatterElements",), bottlenecks=("aicpu-fallback",)),
    ]
    result = checked(w.node("ScatterElements", ["x", "i", "u"], ["y"]), entries=entries)
    assert result.operators[0].remedies == ("for-scatter",)
    fine = checked(w.node("Relu", ["x"], ["y"]), entries=entries)
    assert fine.operators[0].remedies == ()


def test_dynamic_shapes_are_a_fault_only_where_the_tables_say_so() -> None:
    def broken(kind: str, soc: str) -> str:
        return "; ".join(checked(w.node(kind, ["x"], ["y"]), shape=["n", 3], soc=soc).operators[0].broken)

    assert "dynamic-shape" in broken("LRN", "Ascend910B3"), "its kernel is listed without dynamic shapes"
    assert broken("Relu", "Ascend910B3") == ""
    assert broken("Slice", "Ascend910B3") == "", "StridedSliceV2 is a name of the converter, not a kernel"
    assert broken("LRN", "Ascend310P3") == ""


def test_types_of_a_profile_on_another_chip() -> None:
    result = check_types(
        {"Conv2D": 50, "ScatterElements": 2, "hcom_allReduce_": 1, "MyOwn": 1}, "Ascend310P3"
    )
    assert engines(result) == {
        "Conv2D": "ai_core",
        "ScatterElements": "ai_cpu",
        "hcom_allReduce_": "no_kernel",
        "MyOwn": "unknown",
    }
    assert result.exit_status == 1 and result.operators[0].type == "ScatterElements"
    assert check_types({"Conv2D": 50, "ScatterElements": 2}, "Ascend910B3").exit_status == 0


def test_pytorch_names_in_every_spelling() -> None:
    names = {
        "aten.relu.default": 3,
        "aten.nonzero": 1,
        "aten::_efficientzerotensor": 1,
        "aten.conv2d.default": 2,
        "aten.nothing_at_all": 1,
    }
    result = check_torch({name.replace("::", "."): count for name, count in names.items()}, "Ascend910B3")
    found = engines(result)
    assert found["aten.relu.default"] == "ai_core"
    assert found["aten._efficientzerotensor"] == "host"
    assert found["aten.conv2d.default"] == "ai_core", "made of a convolution"
    assert found["aten.nothing_at_all"] == "unknown"
    assert any("nothing_at_all" in warning for warning in result.warnings)
    assert result.exit_status == 1


def test_names_without_overload_and_composites_are_followed() -> None:
    names = ["softmax", "unique2", "argwhere", "linear", "nll_loss", "nothing_at_all"]
    found = check_torch(dict.fromkeys((f"aten.{name}" for name in names), 1), "Ascend910B3")
    engine = {op.type: op.engine for op in found.operators}
    assert engine["aten.softmax"] == engine["aten.linear"] == engine["aten.unique2"] == "ai_core"
    assert engine["aten.nothing_at_all"] == "unknown"
    svd = check_torch({"aten.linalg_svd.default": 1}, "Ascend910B3").operators[0]
    assert svd.engine in ("ai_core", "ai_cpu", "host") and (
        svd.engine == "ai_core" or "_linalg_svd" in svd.broken[0]
    )
    unknown = next(op for op in found.operators if op.engine == "unknown")
    assert unknown.restriction == unknown.broken[0], "said once"


def test_names_are_read_from_lists_and_programs(tmp_path: Path) -> None:
    import zipfile

    listed = tmp_path / "ops.txt"
    listed.write_text("# what it uses\naten.add.Tensor\naten::mm\nrelu\ntorch.ops.aten.add.Tensor(x, y)\n")
    assert read_names(listed) == {"aten.add.Tensor": 2, "aten.mm": 1, "aten.relu": 1}
    program = tmp_path / "m.pt2"
    with zipfile.ZipFile(program, "w") as archive:
        node = {"target": "torch.ops.aten.mm.default", "inputs": []}
        archive.writestr(
            "m/models/model.json", json.dumps({"graph_module": {"graph": {"nodes": [node, node]}}})
        )
    assert read_names(program) == {"aten.mm.default": 2}


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"# only a remark\n", b"PK\x05\x06" + bytes(18)])
def test_lists_without_names_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "ops.txt"
    path.write_bytes(content)
    with pytest.raises(SourceError):
        read_names(path)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_any_graph_is_checked(data: st.DataObject) -> None:
    kinds = [*sorted({row["onnx_op"] for row in operators.rows("coverage_onnx")}), "Nonsense", ""]
    listed = st.one_of(
        st.integers(-99, 999), st.lists(st.integers(-9, 99), min_size=1, max_size=4), st.text(max_size=5)
    )
    names = st.sampled_from(["strides", "kernel_shape", "dilations", "mode", "axis", "auto_pad", "pads"])
    nodes = [
        w.node(
            data.draw(st.sampled_from(kinds)), data.draw(st.lists(st.sampled_from(["x", "a", "b", ""]), max_size=4)),
            [data.draw(st.sampled_from(["a", "b", "c"]))], data.draw(st.sampled_from(["", "npu", "odd"])),
            **data.draw(st.dictionaries(names, listed, max_size=2)),
        )
        for _ in range(data.draw(st.integers(0, 6)))
    ]  # fmt: skip
    result = checked(*nodes, opset=data.draw(st.integers(0, 30)), soc=data.draw(st.sampled_from(CHIPS)))
    assert sum(operator.count for operator in result.operators) == len(nodes)
    counted: Mapping[str, int] = result.summary
    assert sum(counted.values()) == len(nodes)
