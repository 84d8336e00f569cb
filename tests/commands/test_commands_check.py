"""`kb check` from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tools.samples import onnx_writer as w

FALLS = w.model(
    w.graph(
        [w.node("ScatterElements", ["x", "i", "u"], ["y"], name="place")],
        [w.value("x", [4])],
        [w.value("y", [4])],
    )
)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "m.onnx"
    path.write_bytes(w.small())
    return path


def test_a_covered_model(kb: Any, model: Path) -> None:
    done = kb("check", str(model), "--soc", "Ascend310P3")
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("Everything can be imported and stays on the AI Core of Ascend310P3.")
    assert "8.1.RC1" in done.out and "Conv2D" in done.out


def test_a_fallback_is_exit_one_and_named(kb: Any, tmp_path: Path) -> None:
    path = tmp_path / "falls.onnx"
    path.write_bytes(FALLS)
    done = kb("check", str(path), "--soc", "310P3")
    assert done.status == 1
    assert "ScatterElements x1: AI CPU" in done.out and "place" in done.out
    assert kb("check", str(path), "--soc", "Ascend910B3").status == 0


@pytest.mark.parametrize("lang", ["en", "zh", "ja"])
@pytest.mark.parametrize("format", ["text", "markdown", "html", "json", "jsonl"])
def test_every_format_and_language(kb: Any, model: Path, lang: str, format: str) -> None:
    done = kb("check", str(model), "--soc", "Ascend310P3", "--lang", lang, "--format", format)
    assert done.status == 0 and "Conv" in done.out


def test_the_document(kb: Any, model: Path) -> None:
    found = json.loads(kb("check", str(model), "--soc", "Ascend310P3", "--format", "json").out)
    assert (found["schema"], found["opset"], found["falls_back"], found["importable"]) == (
        "kb.check/1",
        17,
        False,
        True,
    )
    rows = kb("check", str(model), "--soc", "Ascend310P3", "--format", "jsonl").out.splitlines()
    assert [json.loads(row)["type"] for row in rows] == [row["type"] for row in found["operators"]]


def test_pytorch_names(kb: Any, tmp_path: Path) -> None:
    path = tmp_path / "ops.txt"
    path.write_text("aten.relu\naten._efficientzerotensor\n")
    done = kb("check", "--torch", str(path), "--soc", "Ascend910B3")
    assert done.status == 1 and "_efficientzerotensor" in done.out


def test_a_profile_against_another_chip(kb: Any, tmp_path: Path) -> None:
    path = tmp_path / "op_summary_0.csv"
    head = "Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us),Task Wait Time(us),Block Dim"
    path.write_text(
        f"{head}\n0,1,1,1,a,ScatterElements,AI_CORE,1.0,5.0,0.0,8\n0,1,2,1,b,Conv2D,AI_CORE,9.0,5.0,0.0,8\n"
    )
    done = kb("check", str(path), "--soc", "Ascend310P3")
    assert done.status == 1 and "ScatterElements x1: AI CPU" in done.out


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"", "empty"), (b"no model at all", "byte"), (w.small()[:-30], "cut off"), (None, "no such file")],
)
def test_what_cannot_be_read_is_exit_three(kb: Any, tmp_path: Path, content: bytes | None, says: str) -> None:
    path = tmp_path / "bad.onnx"
    if content is not None:
        path.write_bytes(content)
    done = kb("check", str(path), "--soc", "Ascend310P3")
    assert (done.status, done.out) == (3, "")
    assert says in done.err and "Traceback" not in done.err


def test_usage(kb: Any, model: Path) -> None:
    assert kb("check", str(model)).status == 2
    assert kb("check", "--soc", "Ascend310P3").status == 2
    assert kb("check", str(model), "--torch", str(model), "--soc", "Ascend310P3").status == 2
    unknown = kb("check", str(model), "--soc", "Ascend31P3")
    assert unknown.status == 2 and "unknown chip" in unknown.err


def test_names_with_escapes_do_not_reach_the_terminal(kb: Any, tmp_path: Path) -> None:
    path = tmp_path / "evil.onnx"
    node = w.node("ScatterElements", ["x", "i", "u"], ["y"], name="\x1b[2J\x1b]0;owned\x07")
    path.write_bytes(
        w.model(w.graph([node, w.node("Mi\x1bne", ["y"], ["z"], domain="a\x1bb")], [w.value("x", [4])]))
    )
    done = kb("check", str(path), "--soc", "Ascend310P3")
    assert done.status == 1 and "\x1b" not in done.out


def test_operators_of_other_libraries_are_named_and_not_left_out(kb: Any, tmp_path: Path) -> None:
    (tmp_path / "ops.txt").write_text("aten::conv2d\ntorchvision::nms\ntorch.ops.mylib.foo.default\n")
    done = kb("check", "--torch", "ops.txt", "--soc", "Ascend310P3", "--format", "json")
    found = json.loads(done.out)
    assert {op["type"] for op in found["operators"] if op["engine"] == "unknown"} == {
        "torchvision.nms", "mylib.foo.default",
    }  # fmt: skip
    assert "not a regular file" in kb("check", "--torch", "/dev/null", "--soc", "Ascend310P3").err


def test_only_unknown_names_are_not_judged(kb: Any, tmp_path: Path) -> None:
    names = tmp_path / "ops.txt"
    names.write_text("FooOp\nBarOp\n")
    assert kb("check", "--torch", str(names), "--soc", "Ascend310P3").status == 5
    names.write_text("FooOp\nrelu\n")
    assert kb("check", "--torch", str(names), "--soc", "Ascend310P3").status == 0


def test_names_as_code_calls_them(kb: Any, tmp_path: Path) -> None:
    names = tmp_path / "ops.txt"
    names.write_text("torch.relu\ntorch.add\n")
    done = kb("check", "--torch", str(names), "--soc", "Ascend910B3")
    assert done.status == 0 and "aten.relu" in done.out and "torch.relu" not in done.out


def test_an_operator_list_is_checked(kb: Any, tmp_path: Path) -> None:
    path = tmp_path / "layer.json"
    operators = [
        {"type": "Add", "count": 3, "in_shapes": [[8, 64], [8, 64]]},
        {"type": "MatMulV2", "in_shapes": [[16, 64], [64, 64]]},
    ]
    path.write_text(json.dumps({"name": "a layer", "operators": operators}))
    done = kb("check", str(path), "--soc", "Ascend910B3", "--format", "json")
    found = json.loads(done.out)
    assert done.status == 0
    assert {row["type"]: row["count"] for row in found["operators"]} == {"Add": 3, "MatMulV2": 1}
    path.write_text(json.dumps({"operators": [{"type": 3}]}))
    assert kb("check", str(path), "--soc", "Ascend910B3").status == 3
