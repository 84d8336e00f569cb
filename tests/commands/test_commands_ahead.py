"""Models, operator lists and calibrations from the command line, with the real engine and knowledge."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kb.cli import main
from tools.samples import models
from tools.samples import onnx_writer as w

Run = Callable[..., Any]
SOC = "Ascend310P3"


@pytest.fixture
def real(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Run one command line, without the stand-ins of the other command tests."""
    models.shipped(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KB_DB", str(tmp_path / "home" / "runs.db"))
    monkeypatch.setenv("COLUMNS", "80")

    def run(*arguments: str) -> tuple[int, str, str]:
        status = main(list(arguments))
        return (status, *capsys.readouterr())

    return run


def test_a_model_is_foretold_kept_and_shown_again(real: Run) -> None:
    status, out, err = real("profile-and-advise", "tiny_detector.onnx", "--soc", SOC, "--format", "json")
    assert (status, err) == (0, "")
    found = json.loads(out)
    assert found["schema"] == "kb.report/1"
    assert found["forecast"]["soc"] == SOC and found["capture"]["tool"] == "estimate"
    assert found["recommendations"] and found["similar_cases"]
    status, out, _ = real("report", found["run"], "--format", "json")
    assert status == 0 and json.loads(out)["forecast"] == found["forecast"]
    status, out, _ = real(
        "profile-and-advise", "tiny_detector.onnx", "--soc", SOC, "--top", "1", "--for", "deployment"
    )
    assert status == 0 and "Estimate, nothing measured" in " ".join(out.split())


def test_an_estimate_is_not_compared_with_a_run(real: Run) -> None:
    rows = [
        f'r{at},Add,AI_VECTOR_CORE,{9 + at},40,"""16,4096""",FLOAT16,ND,"""16,4096""",FLOAT16,ND'
        for at in range(2)
    ]
    Path("op_summary_1.csv").write_text("\n".join([HEAD, *rows]) + "\n", encoding="utf-8")
    found = json.loads(real("profile-and-advise", "decoder_layer.json", "--format", "json")[1])
    status, out, err = real("compare", found["run"], "op_summary_1.csv", "--format", "json")
    assert status in (0, 1), err
    assert json.loads(out)["verdict"] == "not-comparable"


def test_options_of_a_collection_are_named_as_unused(real: Run) -> None:
    _, _, err = real(
        "profile-and-advise", "tiny_detector.onnx", "--soc", SOC, "--mode", "estimate", "--warm-up", "3"
    )
    assert "nothing is collected, --warm-up not used" in err


def test_sizes_of_inputs(real: Run, tmp_path: Path) -> None:
    nodes = [w.node("Relu", ["x"], ["y"])]
    Path("open.onnx").write_bytes(w.model(w.graph(nodes, [w.value("x", ["n", 64])], [w.value("y", None)])))

    def relu(*more: str) -> dict[str, Any]:
        status, out, _ = real("profile-and-advise", "open.onnx", "--soc", SOC, "--format", "json", *more)
        assert status == 0
        return json.loads(out)["forecast"]  # type: ignore[no-any-return]

    assert relu("--input-shape", "x:4096,64")["operators"][0]["shapes"] == "4096x64"
    assert any("taken as 1x64" in text for text in relu()["assumptions"])
    assert real("profile-and-advise", "open.onnx", "--soc", SOC, "--input-shape", "x:0,64")[0] == 2
    assert real("profile-and-advise", "open.onnx", "--soc", SOC, "--input-shape", "z:4,64")[0] == 2
    assert real("profile-and-advise", "decoder_layer.json", "--input-shape", "x:4,64")[0] == 2


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["tiny_detector.onnx"], 2), (["tiny_detector.onnx", "--soc", "Ascend999"], 2), (["bad.onnx", "--soc", SOC], 3),
        (["empty.onnx", "--soc", SOC], 3), (["tiny_detector.onnx", "--soc", SOC, "--mode", "device"], 2),
        (["odd.json", "--soc", SOC], 3), (["shapeless.json", "--soc", SOC], 5),
    ],
)  # fmt: skip
@pytest.mark.parametrize("command", ["profile-and-advise", "migrate-report"])
def test_exit_statuses(real: Run, command: str, arguments: list[str], status: int) -> None:
    Path("bad.onnx").write_bytes(b"\xff" * 64)
    Path("empty.onnx").write_bytes(b"")
    Path("odd.json").write_text('{"operators": [{"type": "Add", "count": -1}]}', encoding="utf-8")
    Path("shapeless.json").write_text('{"operators": [{"type": "Add", "count": 2}]}', encoding="utf-8")
    if command == "migrate-report" and "--mode" in arguments:
        return
    found, out, err = real(command, *arguments)
    assert (found, out) == (status, "")
    assert err.startswith("kb: ") and "Traceback" not in err


@pytest.mark.parametrize("form", ["text", "markdown", "html", "json", "jsonl"])
@pytest.mark.parametrize("lang", ["en", "zh", "ja"])
def test_a_migration_report_in_every_form(real: Run, form: str, lang: str) -> None:
    status, out, _ = real(
        "migrate-report", "tiny_detector.onnx", "--soc", SOC, "--format", form, "--lang", lang
    )
    assert status == 0
    assert "AvgPoolV2" in out if form != "jsonl" else '"measure"' in out
    if form in ("text", "markdown", "html"):
        for text in ("avgpool-kernel-limit", "yolov8s-910b-seed", "Conv2D", "kb estimate --calibrate"):
            assert text in " ".join(out.split()), text


def test_a_migration_report_into_a_file(real: Run) -> None:
    assert real("migrate-report", "tiny_detector.onnx", "--soc", SOC, "-o", "plan.html")[0] == 0
    assert Path("plan.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert real("migrate-report", "tiny_detector.onnx", "--soc", SOC, "-o", "plan.md")[0] == 0
    assert Path("plan.md").read_text(encoding="utf-8").startswith("# Moving tiny_detector.onnx")
    assert real("migrate-report", "tiny_detector.onnx", "--soc", SOC, "-o", "plan.pdf")[0] == 2
    assert (
        json.loads(real("migrate-report", "decoder_layer.json", "--format", "json")[1])["soc"]
        == "Ascend910B3"
    )


HEAD = "Op Name,OP Type,Task Type,Task Duration(us),Block Dim,Input Shapes,Input Data Types,Input Formats,Output Shapes,Output Data Types,Output Formats"


def test_a_calibration_is_kept_used_and_left_out(real: Run) -> None:
    rows = [
        f'r{at},Relu,AI_VECTOR_CORE,{100 + at},40,"""{64 + at},8192""",FLOAT16,ND,"""{64 + at},8192""",FLOAT16,ND'
        for at in range(12)
    ]
    Path("op_summary_1.csv").write_text("\n".join([HEAD, *rows]) + "\n", encoding="utf-8")
    Path("ops.tsv").write_text("op_type\tin_shapes\tin_dtypes\nRelu\t100,8192\tFLOAT16\n", encoding="utf-8")
    plain = json.loads(real("estimate", "ops.tsv", "--soc", "Ascend910B3")[1])
    assert real("estimate", "--calibrate", "op_summary_1.csv")[0] == 2, "which chip?"
    status, out, err = real("estimate", "--calibrate", "op_summary_1.csv", "--soc", "Ascend910B3")
    assert status == 0 and "kept in" in err
    fitted = json.loads(out)
    assert (fitted["class"], fitted["kernels"]) == ("elementwise", 12)
    used = json.loads(real("estimate", "ops.tsv", "--soc", "Ascend910B3")[1])
    assert used["mid_us"] == pytest.approx(plain["mid_us"] * fitted["factor"], rel=0.02)
    assert "calibrated by" in used["basis"]
    assert json.loads(real("estimate", "ops.tsv", "--soc", "Ascend910B3", "--uncalibrated")[1]) == plain
    assert (
        json.loads(real("estimate", "ops.tsv", "--soc", "Ascend910B4")[1])["basis"].count("calibrated") == 0
    )
    out = real("profile-and-advise", "decoder_layer.json", "--format", "json")[1]
    row = next(row for row in json.loads(out)["forecast"]["operators"] if row["type"] == "Add")
    assert "calibrated by" in row["basis"]
    kept = Path("home") / "calibration" / "Ascend910B3.json"
    kept.write_text("{", encoding="utf-8")
    assert real("estimate", "ops.tsv", "--soc", "Ascend910B3")[0] == 3
    assert real("estimate")[0] == 2
    assert real("estimate", "ops.tsv", "--calibrate", "op_summary_1.csv")[0] == 2
    assert real("estimate", "--calibrate", "ops.tsv", "--soc", "Ascend910B3")[0] == 3


def test_a_profile_of_another_chip_calibrates_nothing(real: Run) -> None:
    """The columns of split cube and vector cores are none of a 310P."""
    head = "Op Name,OP Type,Task Type,Task Duration(us),Block Dim,Input Shapes,Input Data Types,aiv_time(us),aiv_vec_ratio"
    rows = [
        f'r{at},Relu,AI_VECTOR_CORE,{100 + at},40,"""{64 + at},8192""",FLOAT16,90,0.5' for at in range(12)
    ]
    Path("op_summary_1.csv").write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    status, _, err = real("estimate", "--calibrate", "op_summary_1.csv", "--soc", "Ascend310P3")
    assert status == 2 and "the stated Ascend310P3 is none of these" in err
    assert not (Path("home") / "calibration").exists()
    assert real("estimate", "--calibrate", "op_summary_1.csv", "--soc", "Ascend910B3")[0] == 0


def test_a_plan_says_each_remedy_once(real: Run) -> None:
    out = real("migrate-report", "tiny_detector.onnx", "--soc", "Ascend310P3", "--format", "json")[1]
    told = [entry for step in json.loads(out)["plan"] for entry in step["entries"]]
    assert told and len(told) == len(set(told))


def test_networks_are_scored(real: Run) -> None:
    table = "network\tbatch\tper_s\tcount\tchip\top_type\tin_shapes\tin_dtypes\nnet\t1\t10000\t3\t310P3\tRelu\t64,8192\tfloat16\n"
    Path("nets.tsv").write_text(table, encoding="utf-8")
    status, out, _ = real("eval", "estimate", "--networks", "nets.tsv", "--format", "json")
    assert status == 0
    found = json.loads(out)
    assert found["results"][0]["network"] == "net" and set(found["summary"]) == {
        "within_2",
        "error",
        "covered",
    }
    assert real("eval", "estimate")[0] == 2
    assert real("eval", "estimate", "nets.tsv", "--networks", "nets.tsv")[0] == 2


def test_a_broken_limit_ends_with_one(real: Run) -> None:
    node = w.node("Conv", ["x", "w"], ["y"], kernel_shape=[3, 3], strides=[64, 64])
    graph = w.graph(
        [node], [w.value("x", [1, 3, 256, 256])], [w.value("y", None)], [w.tensor("w", [8, 3, 3, 3])]
    )
    Path("limit.onnx").write_bytes(w.model(graph))
    status, out, _ = real("check", "limit.onnx", "--soc", SOC)
    assert status == 1 and "strides must be 1..63" in out
    status, out, _ = real("migrate-report", "limit.onnx", "--soc", SOC)
    assert status == 0 and "stated limits are broken" in out and "all is covered" not in out


def test_a_plan_says_what_the_total_lacks_what_overlaps_and_where_it_was_measured(real: Run) -> None:
    status, out, _ = real("migrate-report", "tiny_detector.onnx", "--soc", SOC)
    told = " ".join(out.split())
    assert status == 0 and "without 1 of 48 calls that have no estimate" in told
    assert "against the same as step 2" in told
    assert "Steps 2, 3 work on the same time: what they save does not add up." in told
    assert "measured on atlas-a3 only" in told
    assert "memory floor" not in real("profile-and-advise", "tiny_detector.onnx", "--soc", SOC)[1]


def test_weights_that_are_missing_come_first_in_the_plan(real: Run) -> None:
    outside = w.tensor("w", [16, 16], location="away.bin")
    graph = w.graph(
        [w.node("MatMul", ["x", "w"], ["y"])],
        [w.value("x", [16, 16])],
        [w.value("y", [16, 16])],
        tensors=[outside],
    )
    Path("away.onnx").write_bytes(w.model(graph))
    status, out, _ = real("migrate-report", "away.onnx", "--soc", SOC)
    told = " ".join(out.split())
    assert status == 0 and "all is covered" not in told
    assert "1. Make importable: weights; weights are missing: away.bin" in told
    assert "weights are missing" in " ".join(real("check", "away.onnx", "--soc", SOC)[1].split())


@pytest.mark.parametrize(
    ("arguments", "name", "content", "told"),
    [
        (("check",), "empty.json", "[]", "operators is no list"),
        (("check",), "ops.txt", "torch.relu\n", "kb check --torch"),
        (("migrate-report",), "ops.txt", "torch.relu\n", "kb check --torch"),
        (("migrate-report",), "empty.txt", "", "the file is empty"),
        (("estimate",), "ops.json", '{"operators": []}', "kb profile-and-advise FILE"),
        (("estimate",), "ops.csv", "op_type,in_shapes\n", "separated by commas"),
        (("advise",), "m.onnx", "no model", "kb profile-and-advise MODEL.onnx"),
    ],
)
def test_the_wrong_file_is_sent_to_the_right_command(
    real: Run, arguments: tuple[str, ...], name: str, content: str, told: str
) -> None:
    Path(name).write_text(content, encoding="utf-8")
    status, _, err = real(*arguments, name, "--soc", SOC)
    assert status == 3 and told in err, err


def test_a_model_that_is_not_there_and_a_size_beyond_all_tensors(real: Run) -> None:
    status, _, err = real("profile-and-advise", "nothere.onnx", "--soc", SOC)
    assert status == 2 and "no such file" in err
    huge = "images:1,3,9999999,99999999"
    status, _, err = real("migrate-report", "tiny_detector.onnx", "--soc", SOC, "--input-shape", huge)
    assert status == 2 and "larger than any tensor" in err
