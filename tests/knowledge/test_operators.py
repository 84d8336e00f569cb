"""Operator types: spellings, categories, framework names, engines, and the globs of entries."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb import operators


@pytest.mark.parametrize(
    ("spelling", "plain"),
    [
        ("MatMulV2", "MatMul"),
        ("MatMulCommon", "MatMul"),
        ("matmulv3", "MatMul"),
        ("BatchMatMulNd", "BatchMatMul"),
        ("LayerNormV3WithImplMode", "LayerNorm"),
        ("SliceAiCore", "Slice"),
        ("DepthwiseConv2DD", "DepthwiseConv2D"),
        ("TopKV2D", "TopK"),
        ("FusionOp_MatMul_Add", "MatMul"),
        ("Conv2D", "Conv2D"),
        ("MaxPool3D", "MaxPool3D"),
        ("GatherNd", "GatherNd"),
        ("GatherD", "GatherD"),
        ("MyKernelV2", "MyKernelV2"),
    ],
)
def test_canonical(spelling: str, plain: str) -> None:
    assert operators.canonical(spelling) == plain


def test_canonical_never_leaves_the_pattern_of_the_table() -> None:
    rows = {row["op_type"]: row["pattern"] for row in operators.rows("op_types")}
    for name, pattern in rows.items():
        plain = operators.canonical(name)
        if not name.startswith("FusionOp_") and name.casefold() != plain.casefold() and plain in rows:
            assert rows[plain] == pattern, (name, plain)


@given(st.sampled_from(sorted(operators.known_types())))
def test_canonical_is_stable_and_matches_itself(name: str) -> None:
    plain = operators.canonical(name)
    assert operators.canonical(plain) == plain
    assert operators.matches(name, plain)
    assert operators.matches(plain, name)


@pytest.mark.parametrize(
    ("wanted", "op_type", "answer"),
    [
        ("MatMul*", "MatMulV2", True),
        ("MatMul*", "BatchMatMulV2", False),
        ("*MatMul*", "BatchMatMulV2", True),
        ("MatMul", "MatMulV3", True),
        ("MatMulV2", "MatMul", True),
        ("Gemm", "MatMulV2", True),
        ("MatMul*", "Gemm", True),
        ("Conv2D", "Conv", True),
        ("Conv2D", "MatMul", False),
        ("aten::mm", "MatMulV3", True),
        ("NonMaxSuppression*", "NonMaxSuppressionV3", True),
        ("FlashAttention*", "FlashAttentionScoreGrad", True),
        ("*", "anything", True),
        ("TritonKernel", "my_kernel", True),
        ("TritonKernel", "MatMulV2", False),
        ("my_kernel", "my_kernel", True),
        ("my_kernel", "your_kernel", False),
    ],
)
def test_what_an_entry_means_by_an_operator(wanted: str, op_type: str, answer: bool) -> None:
    assert operators.matches(wanted, op_type) is answer


@pytest.mark.parametrize(
    ("op_type", "soc", "engine"),
    [
        ("MatMulV2", "Ascend910B2", "ai_core"),
        ("GatherV3", "Ascend310P3", "no_kernel"),
        ("NonMaxSuppressionV2", "Ascend310P3", "ai_cpu"),
        ("Bucketize", "Ascend910B2", "ai_cpu"),
        ("TopK", "Ascend910B2", "ai_core"),
        ("MyKernel", "Ascend910B2", "unknown"),
        ("Bucketize", "Ascend 950", "unknown"),
        ("MatMulV2", "Ascend035", "unknown"),
    ],
)
def test_engine(op_type: str, soc: str, engine: str) -> None:
    assert operators.engine(op_type, soc) == engine


def test_categories_are_the_closed_list() -> None:
    allowed = {
        "cube",
        "vector",
        "mix",
        "data-movement",
        "format-conversion",
        "communication",
        "aicpu",
        "control",
    }
    seen = {operators.category(name) for name in operators.known_types()}
    assert seen - {None} == allowed
    assert operators.category("TransDataAiCore") == "format-conversion"
    assert operators.category("hcom_allReduce_") == "communication"
    assert operators.category("my_kernel") is None


def test_framework_names() -> None:
    assert {"Gemm", "aten.mm"} <= set(operators.aliases("MatMulV2"))
    assert operators.from_alias("Conv")[0] == "Conv2D"
    assert operators.from_alias("no such name") == ()


def test_tables_equal_the_facts(shared_facts: Path) -> None:
    for table, count in (("op_types", 766), ("op_engines", 2137), ("aicpu_ops", 881), ("coverage_onnx", 346)):
        assert sum(1 for _ in operators.rows(table)) == count, table
