"""Oddities of real exports that no other test holds: wide tables, names, cores, words that are no UTF-8."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kb.engine.readers import read, tasks
from kb.model import Operator, Tensor

OP_SUMMARY = (
    "Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,Task Start Time(us),Task Duration(us),"
    "Task Wait Time(us),Block Num,Mix Block Num,HF32 Eligible,Input Shapes,Input Data Types,Input Formats,Output Shapes,"
    "Output Data Types,Output Formats,Context ID,aicore_time(us),aic_total_cycles,aic_mac_time(us),aic_mac_ratio,"
    "aiv_time(us),aiv_total_cycles,aiv_vec_time(us),aiv_vec_ratio,cube_utilization(%)\n"
)


def row(
    name: str = "MatMul", kind: str = "MatMulV2", task: str = "AI_CORE", start: int = 1_784_216_647_596_110, *,
    blocks: int = 20, shapes: str = '"""1024,1024;1024,1024"""', dtypes: str = "FLOAT16;FLOAT16", formats: str = "ND;ND",
    counters: str = "40.0,1480000,2.2,0.055,0.0,0,0.0,0.0,89.1",
) -> str:  # fmt: skip
    return (
        f"0,4294967295,7,2,{name},{kind},dynamic,{task},{start}.805\t,50.0,1.5,{blocks},0,NO,{shapes},{dtypes},{formats},"
        f'"""1024,1024""",FLOAT16,ND,N/A,{counters}\n'
    )


def operators(place: Path, *rows: str) -> dict[str, Operator]:
    path = place / "op_summary_20260716125419.csv"
    path.write_text(OP_SUMMARY + "".join(rows), encoding="utf-8")
    return {operator.name: operator for operator in read([path]).operators}


@pytest.mark.parametrize("columns", [21, 42, 300, 1056])
def test_a_step_table_of_a_thousand_columns(tmp_path: Path, columns: int) -> None:
    """MindSpore writes three columns for every stream and parallel part."""
    first = [
        "step_num",
        "start_point",
        "end_point",
        "total",
        "fp_point",
        "bp_point",
        "iteration_interval",
        "fp_and_bp",
    ]
    names = [*first, "tail"]
    while len(names) < columns:
        part = f"stream_{11 + len(names)}_parallel_{len(names)}"
        names += [f"{part}_start_point", f"{part}_end_point", part]
    names = names[:columns]
    path = tmp_path / "step_trace_raw_1_detail_time.csv"
    lines = [",".join(names)]
    for step in (1, 2):
        cells = [
            step,
            step * 10**7,
            step * 10**7 + 9 * 10**6,
            9 * 10**6,
            step * 10**7 + 10,
            step * 10**7 + 100,
            10,
            90,
            5,
        ]
        lines.append(",".join(str(cell) for cell in [*cells, *[0] * (columns - 9)]))
    path.write_text("\r\n".join(lines) + "\r\n")
    profile = read([path])
    assert (profile.source, profile.files[0].rows, profile.files[0].rows_lost) == ("mindspore", 2, 0)


def test_rows_whose_every_metric_is_absent(tmp_path: Path) -> None:
    """AI CPU and random-number tasks have no counters; they keep their time and lose nothing else."""
    absent = ",".join(["N/A"] * 9)
    found = operators(
        tmp_path,
        row("Cumsum", "Cumsum", "AI_CPU", counters=absent),
        row(
            "aclnnInplaceNormal_DSARandomNormal_DSARandomNormal",
            "DSARandomNormal",
            "DSA_SQE",
            counters=absent,
        ),
        row("Decode", "DecodeJpeg", "JPEGD_SQE", counters=absent),
    )
    assert {operator.core for operator in found.values()} == {"ai_cpu", "dsa", "dvpp"}
    assert all(operator.total_us == 50.0 and not operator.counters for operator in found.values())


def test_a_utilisation_that_contradicts_the_ratio_stays_beside_it(tmp_path: Path) -> None:
    """`cube_utilization(%)` reads 89 where the cube worked 5.5 % of the time: both are kept as they are."""
    (operator,) = operators(tmp_path, row()).values()
    assert operator.counters["cube_utilization"].value == pytest.approx(89.1)
    assert operator.counters["aic_mac_ratio"].value == pytest.approx(0.055)


@pytest.mark.parametrize("blocks", [256, 1024, 2048])
def test_more_blocks_than_any_chip_has_cores(tmp_path: Path, blocks: int) -> None:
    (operator,) = operators(tmp_path, row(blocks=blocks)).values()
    assert operator.block_dim == blocks


def test_thirty_one_inputs_of_which_some_are_absent(tmp_path: Path) -> None:
    parts = ["16,128", "", "", "8"] + [""] * 26 + ["4"]
    words = ["FLOAT16" if part else "" for part in parts]
    shapes, dtypes = f'"""{";".join(parts)}"""', ";".join(words)
    (operator,) = operators(
        tmp_path, row(shapes=shapes, dtypes=dtypes, formats=dtypes.replace("FLOAT16", "ND"))
    ).values()
    assert len(operator.inputs) == 31
    assert operator.inputs[0] == Tensor((16, 128), "FLOAT16", "ND")
    assert operator.inputs[1] == Tensor(None) and operator.inputs[30].shape == (4,)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("aclnnAdd_AddAiCore_Add", "Add"),
        ("aclnnInplaceCopy_SliceAiCore_Slice", "Slice"),
        ("trans_Cast_15", "Cast"),
        ("hcom_allReduce__868_0_1", "hcom_allReduce_"),
        ("Default/network-TrainOneStepCell/Conv2D-op12", "Conv2D"),
        ("_Z22elementwise_add_kernelPhS_S_", None),
        ("main_kernel_mix_aic", None),
        ("te_add_1a2b3c4d5e6f_1_mix_aiv", None),
    ],
)
def test_types_that_names_spell_out(name: str, kind: str | None) -> None:
    assert tasks.type_from_name(name) == kind


@pytest.mark.parametrize(
    "name", ["_Z22elementwise_add_kernelPhS_S_", "matmul_kernel_mix_aic", "算子_加法", "a::b<int>"]
)
def test_names_of_kernels_are_kept(tmp_path: Path, name: str) -> None:
    assert list(operators(tmp_path, row(name, "N/A", "MIX_AIC"))) == [name]


def test_names_of_files_and_folders_in_chinese(tmp_path: Path) -> None:
    home = tmp_path / "推理 结果"
    home.mkdir()
    path = home / "性能数据（第1次）.csv"
    path.write_text(OP_SUMMARY + row(), encoding="utf-8")
    profile = read([home])
    assert profile.files[0].path == "性能数据（第1次）.csv" and profile.operators


@pytest.mark.parametrize("encoding", ["gbk", "latin-1", "shift_jis"])
def test_a_name_that_is_no_utf8_costs_nothing_else(tmp_path: Path, encoding: str) -> None:
    name = {"gbk": "算子加法", "latin-1": "Zähler", "shift_jis": "行列積"}[encoding]
    path = tmp_path / "op_summary.csv"
    path.write_bytes((OP_SUMMARY + row(name)).encode(encoding) + row().encode())
    profile = read([path])
    assert (profile.files[0].rows, profile.files[0].rows_lost) == (2, 0)
    assert sum(operator.count for operator in profile.operators) == 2
    assert all(operator.name.isprintable() for operator in profile.operators)


def test_a_byte_order_mark_before_the_header(tmp_path: Path) -> None:
    path = tmp_path / "op_summary.csv"
    path.write_text("\ufeff" + OP_SUMMARY + row(), encoding="utf-8")
    assert read([path]).files[0].rows == 1


def test_arguments_of_a_trace_with_line_ends_in_them(tmp_path: Path) -> None:
    """Call stacks of the framework are joined by ";\\r\\n"."""
    task = {"Task Type": "AI_VECTOR_CORE", "Stream Id": 2}
    stack = {"Call stack": "model.py(12): forward;\r\ntrain.py(3): <module>;\r\n"}
    events = [
        {
            "ph": "X",
            "name": "aten::add",
            "cat": "cpu_op",
            "pid": 1,
            "tid": 1,
            "ts": "1784216647596100.1",
            "dur": 9,
            "args": stack,
        },
        {
            "ph": "X",
            "name": "aclnnAdd_AddAiCore_Add",
            "pid": 2,
            "tid": 2,
            "ts": "1784216647596110.8",
            "dur": 5.5,
            "args": task,
        },
    ]
    path = tmp_path / "trace_view.json"
    path.write_text(json.dumps(events))
    (operator,) = read([path]).operators
    assert (operator.type, operator.core, operator.total_us) == ("Add", "vector", 5.5)
