"""What the user states: the chip, and with it where an operator without a stated core runs."""

from __future__ import annotations

import pytest

from kb.engine.stated import with_chip
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
