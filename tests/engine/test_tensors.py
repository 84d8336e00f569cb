"""Sizes in words: what is said becomes tensors, what is not said stays unsaid."""

from __future__ import annotations

import pytest

from kb.engine.metrics.work import dtype_bytes
from kb.engine.stated import apply
from kb.engine.tensors import read
from kb.model import Capture, Chip, Measure, Operator, Profile
from kb.vocabulary.dtypes import ASSUMED


@pytest.mark.parametrize(
    ("text", "pattern", "shapes"),
    [
        ("M=768 N=2048 K=6144", "matmul", [(768, 6144), (6144, 2048), (768, 2048)]),
        ("8192 cubed half, one core", "matmul", [(8192, 8192)] * 3),
        ("(30720x1024) x (1024x4096)", "matmul", [(30720, 1024), (1024, 4096), (30720, 4096)]),
        ("[1024,256] x [256,640]", "batch_matmul", [(1024, 256), (256, 640), (1024, 640)]),
        ("8192x8192 half Add, 48 cores", "elementwise_binary", [(8192, 8192), (8192, 8192)]),
        ("8388608 elements", "elementwise", [(8388608,), (8388608,)]),
        ("1024x65536", "reduce", [(1024, 65536)]),
        ("B=24 N=5 S=9216 D=64", "attention", [(24, 5, 9216, 64)] * 4),
        ("M=1 N=4096", "matmul", []),
        ("[1024,256] x [512,640]", "matmul", []),
        ("copy benchmark, 128 B to 128 KB a copy", "", []),
        ("batch 32, dim 2048, causal conv1d update", "fused_norm", [(65536,), (65536,)]),
        ("99999999999x99999999999", "elementwise", []),
    ],
)
def test_words_become_tensors(text: str, pattern: str, shapes: list[tuple[int, ...]]) -> None:
    found = read(text, pattern)
    assert [tensor.shape for tensor in (*found.inputs, *found.outputs)] == shapes


def test_a_dtype_nobody_named_is_sized_but_not_claimed() -> None:
    assert read("M=8 N=8 K=8", "matmul").inputs[0].dtype == ASSUMED.name
    assert dtype_bytes(ASSUMED.name) == 2
    assert read("M=8 N=8 K=8 fp32", "matmul").inputs[0].dtype == "float32"


def test_a_typed_product_gets_its_floor_from_its_sizes() -> None:
    op = Operator("MatMul", "MatMul", "cube", 1, Measure(100.0, "us", "typed"), 100.0)
    profile = Profile(
        "t", "metrics_json", "operator", Capture("typed in"), Chip(), (op,),
        stated={"shape": "M=768 N=2048 K=6144", "dtype": "fp16"},
    )  # fmt: skip
    stated = apply(profile, None).operators[0]
    assert stated.outputs[0].shape == (768, 2048) and stated.inputs[0].dtype == "float16"
