"""What the user states: the chip, and with it where an operator without a stated core runs."""

from __future__ import annotations

import pytest

from kb.engine.stated import apply, parse, with_chip
from kb.errors import UsageError
from kb.model import Capture, Chip, Measure, Operator, Profile


def typed(kind: str, hardware: str, core: str = "unknown") -> Operator:
    unit = Measure(10.0, "us", "typed")
    op = Operator(kind, kind, core, 1, unit, 10.0)  # type: ignore[arg-type]
    profile = Profile(
        "t", "metrics_json", "operator", Capture("typed in"), Chip(), (op,), stated={"hardware": hardware}
    )
    return with_chip(profile).operators[0]


@pytest.mark.parametrize(
    ("kind", "hardware", "core"),
    [
        ("MatMul", "Ascend910B3", "cube"),
        ("Add", "Ascend910B3", "vector"),
        ("FlashAttentionScore", "atlas-a2", "mix"),
        ("Transpose", "Ascend910B3", "vector"),
        ("Add", "Ascend310P3", "fused"),
        ("NonMaxSuppression", "Ascend910B3", "ai_cpu"),
        ("my_kernel", "Ascend910B3", "unknown"),
        ("MatMul", "no such chip", "unknown"),
    ],
)
def test_an_unstated_core_follows_from_chip_and_type(kind: str, hardware: str, core: str) -> None:
    assert typed(kind, hardware).core == core


def test_a_stated_core_stays() -> None:
    assert typed("MatMul", "Ascend910B3", "mix").core == "mix"


def shaped(text: str, kind: str = "MatMul") -> Operator:
    op = Operator(kind, kind, "cube", 1, Measure(10.0, "us", "typed"), 10.0)
    return apply(Profile("t", "x", "operator", Capture("typed in"), Chip(), (op,)), text).operators[0]


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("8x1024", (8, 1024)), ("(8,1024)", (8, 1024)), ("( 8, 1024, )", (8, 1024)), ("[4,128,64]:float32", (4, 128, 64)),
        ("8", (8,)), ("(8,)", (8,)),
    ],
)  # fmt: skip
def test_a_shape_may_be_written_as_programs_print_it(text: str, shape: tuple[int, ...]) -> None:
    assert [tensor.shape for tensor in parse(text)] == [shape]
    assert shaped(text).inputs[0].shape == shape


@pytest.mark.parametrize(
    "text", ["0x5", "(8,0)", "(8,1024", "8,1024)", "[8,4)", "x", "", "a=3", "M=0 N=4", "8x" * 40, "9" * 400]
)
def test_a_shape_that_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        shaped(text) if text else parse(text)


def test_named_sizes_must_fit_the_operator() -> None:
    assert shaped("M=1 N=4096 K=4096").counters["matmul_m"].value == 1
    assert shaped("M=1 K=64", "my_own_kernel").name == "my_own_kernel", "an own kernel may compute anything"
    with pytest.raises(UsageError):
        shaped("M=1 N=4096 K=4096", "Add")
    with pytest.raises(UsageError):
        shaped("a=3", "my_own_kernel")
