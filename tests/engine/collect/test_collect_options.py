"""Ranges and characters, before anything is looked at."""

from __future__ import annotations

from typing import Any

import pytest

from kb.engine.collect import Options
from kb.errors import UsageError

GOOD: list[dict[str, Any]] = [
    {},
    {"launch_count": 1},
    {"launch_count": 5000},
    {"warm_up": 0},
    {"warm_up": 500},
    {"kernel_name": "MatMul*|add_custom_123|*"},
    {"kernel_name": "a" * 1023},
    {"aic_metrics": ("pipeutilization", "L2CACHE")},
    {"replay_mode": "range"},
    {"timeout_s": 0.5},
    {"soc": "Ascend910B2"},
    {"output": "x" * 200},
]
BAD: list[tuple[dict[str, Any], str]] = [
    ({"target": ()}, "TARGET"),
    ({"target": ("",)}, "TARGET"),
    ({"target": ("--output=x",)}, "TARGET"),
    ({"target": ("./a", "b\0c")}, "TARGET"),
    ({"mode": "ca"}, "--mode"),
    ({"launch_count": 0}, "--launch-count"),
    ({"launch_count": 5001}, "--launch-count"),
    ({"warm_up": -1}, "--warm-up"),
    ({"warm_up": 501}, "--warm-up"),
    ({"kernel_name": ""}, "--kernel-name"),
    ({"kernel_name": "add custom"}, "--kernel-name"),
    ({"kernel_name": "add;rm"}, "--kernel-name"),
    ({"kernel_name": "a||b"}, "--kernel-name"),
    ({"kernel_name": "add\n"}, "--kernel-name"),
    ({"kernel_name": "a" * 1024}, "--kernel-name"),
    ({"aic_metrics": ("Pipes",)}, "--aic-metrics"),
    ({"replay_mode": "graph"}, "--replay-mode"),
    ({"timeout_s": 0}, "--timeout"),
    ({"timeout_s": float("nan")}, "--timeout"),
    ({"timeout_s": float("inf")}, "--timeout"),
    ({"soc": "../lib"}, "--soc"),
    ({"output": ""}, "--output"),
    ({"output": "a\x1b[2J"}, "--output"),
    ({"output": "x" * 201}, "--output"),
]


@pytest.mark.parametrize("given", GOOD, ids=str)
def test_what_msopprof_accepts_is_accepted(given: dict[str, Any]) -> None:
    Options(**{"target": ("./a",), **given})


@pytest.mark.parametrize(("given", "where"), BAD, ids=[str(bad)[:60] for bad, _ in BAD])
def test_what_msopprof_refuses_is_refused_with_the_option_and_a_way_out(
    given: dict[str, Any], where: str
) -> None:
    with pytest.raises(UsageError) as caught:
        Options(**{"target": ("./a",), **given})
    assert caught.value.where == where
    assert caught.value.now
    assert caught.value.exit_status == 2


def test_metric_names_are_spelled_as_the_tool_spells_them_and_doubles_go() -> None:
    assert Options(("./a",), aic_metrics=("memoryub", "MemoryUB", " l2cache ")).aic_metrics == (
        "MemoryUB",
        "L2Cache",
    )


def test_a_metric_list_beyond_200_characters_is_refused() -> None:
    every = (
        "ArithmeticUtilization", "L2Cache", "Memory", "MemoryL0", "MemoryUB", "PipeUtilization",
        "ResourceConflictRatio", "Default", "Roofline", "MemoryDetail", "Occupancy", "Source", "KernelScale",
        "TimelineDetail", "BasicInfo", "PcSampling", "InstrTimeline", "PipeTimeline",
    )  # fmt: skip
    with pytest.raises(UsageError, match="200"):
        Options(("./a",), aic_metrics=every)
