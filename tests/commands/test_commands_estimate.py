from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

HEAD = "chip\top_type\tin_shapes\tin_dtypes\tout_shapes\tout_dtypes\tsomething_else"


def table(folder: Path, *lines: str, head: str = HEAD) -> str:
    path = folder / "ops.tsv"
    path.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    return str(path)


def test_one_json_line_a_row_in_order(kb: Any, tmp_path: Path) -> None:
    path = table(
        tmp_path,
        "910B2\tAdd\t64,768;64,768\tFLOAT16;FLOAT16\t64,768\tFLOAT16\tx",
        "910-30core\tMyKernel\t64\tFLOAT16\t64\tFLOAT16",
        "950PR\tMatMul\t512,512;512,512\tFLOAT16;FLOAT16",
    )
    done = kb("estimate", path)
    assert done.status == 0
    first, second, third = map(json.loads, done.out.splitlines())
    assert list(first) == ["chip", "op_type", "low_us", "mid_us", "high_us", "bound", "basis"]
    assert (first["chip"], first["op_type"]) == ("910B2", "Add")
    assert 0 < first["low_us"] <= first["mid_us"] <= first["high_us"] < 100
    assert list(second) == ["chip", "op_type", "not_estimated"]
    assert "MyKernel" in second["not_estimated"]
    assert third["op_type"] == "MatMul"
    assert "1 of 3 operators not estimated" in done.err
    assert kb("estimate", path, "-q").err == ""
    assert kb("estimate", path, "--format", "jsonl").out == done.out


def test_the_chip_of_rows_without_one(kb: Any, tmp_path: Path) -> None:
    path = table(tmp_path, "\tRelu\t64,768\tFLOAT16", "910B2\tRelu\t64,768\tFLOAT16")
    asked, own = map(json.loads, kb("estimate", path, "--soc", "Ascend310P3").out.splitlines())
    assert (asked["chip"], own["chip"]) == ("Ascend310P3", "910B2")
    assert "Ascend310P3" in asked["basis"]
    only_types = table(tmp_path, "Relu", head="op_type")
    assert "not_estimated" in json.loads(kb("estimate", only_types, "--soc", "910B2").out)


@pytest.mark.parametrize(
    ("line", "status", "what"),
    [
        ("\tRelu\t64\tFLOAT16", 3, "names no chip"),
        ("Ascend999\tRelu\t64\tFLOAT16", 3, 'unknown chip "Ascend999"'),
        ("910B2\tRelu\tsixtyfour\tFLOAT16", 3, "not understood"),
        ("910B2\t\t64\tFLOAT16", 3, "op_type is empty"),
    ],
)
def test_a_faulty_row_is_named_before_anything_is_printed(
    kb: Any, tmp_path: Path, line: str, status: int, what: str
) -> None:
    path = table(tmp_path, "910B2\tRelu\t64\tFLOAT16", line)
    done = kb("estimate", path)
    assert (done.status, done.out) == (status, "")
    assert f"{path}:3: " in done.err
    assert what in done.err
    assert "Traceback" not in done.err


def test_faults_of_the_command(kb: Any, tmp_path: Path) -> None:
    path = table(tmp_path, "910B2\tRelu\t64\tFLOAT16")
    assert kb("estimate", path, "--soc", "nothing").status == 2
    assert kb("estimate", str(tmp_path / "none.tsv")).status == 3
    assert kb("estimate", table(tmp_path)).status == 5
    assert kb("estimate", path, "--format", "html").status == 2
    assert kb("estimate").status == 2


def test_terminal_sequences_in_a_table_do_not_reach_the_screen(kb: Any, tmp_path: Path) -> None:
    path = table(tmp_path, "910B2\tRe\x1b[31mlu\u202e\t64\tFLOAT16")
    done = kb("estimate", path)
    assert done.status == 0
    assert "\x1b" not in done.out
    assert "\u202e" not in done.out
