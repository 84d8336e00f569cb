"""What was not judged names the command of the tool that took the profile."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from running import ROOT

from kb.engine import recollect
from kb.engine.bottlenecks import registry
from kb.engine.collect.metric_groups import TABLES
from kb.engine.metrics import Features, RunFeatures
from kb.engine.pipeline import Knowledge, advise
from kb.model import NotJudged
from kb.vocabulary.metrics import BY_ID

SAMPLES = ROOT / "tests" / "samples"
NO_KNOWLEDGE = Knowledge({}, lambda text, kinds, count: {})
# What msprof and the PyTorch profiler accept for --aic-metrics and aic_metrics.
JOB_GROUPS = {
    "PipeUtilization", "ArithmeticUtilization", "Memory", "MemoryL0", "MemoryUB", "ResourceConflictRatio", "L2Cache",
    "MemoryAccess",
}  # fmt: skip


def needs() -> set[str]:
    return {
        metric
        for bottleneck in registry().values()
        for need in bottleneck.needs
        for metric in need.split("|")
    }


def test_every_metric_that_a_judgement_needs_has_a_row() -> None:
    patterns = [pattern for row, _ in recollect.table() for pattern in row]
    assert [metric for metric in needs() if not any(fnmatchcase(metric, p) for p in patterns)] == []
    assert [p for p in patterns if not any(fnmatchcase(metric, p) for metric in BY_ID)] == []


def test_the_table_names_groups_that_exist() -> None:
    for _, cells in recollect.table():
        for tool, cell in cells.items():
            groups = [word for word in cell.split(",") if word != "-" and not word.startswith("@")]
            assert set(groups) <= (
                {*TABLES, "BasicInfo"} if tool in ("msopprof", "simulator") else JOB_GROUPS
            ), cell
        assert cells["msopprof"] != "-"


@pytest.mark.parametrize(
    ("tool", "metrics", "command"),
    [
        ("msopprof", ["l2_hit_rate", "passes_over_data"], "msopprof --aic-metrics=L2Cache,Memory --output=DIR ./app"),
        ("msopprof simulator", ["aiv_vec_total_cflt_ratio"], "msopprof --aic-metrics=ResourceConflictRatio --output=DIR ./app"),
        ("msopprof simulator", ["max_pipe_ratio"], "msopprof simulator --soc-version=SOC --output=DIR ./app, and give the whole folder with trace.json"),
        ("typed in", ["matmul_m"], "kb advise PROFILE --shape SHAPES"),
        ("msprof", ["l2_hit_rate"], "msprof --task-time=l1 --aic-metrics=L2Cache --output=DIR ./app"),
        ("msprof", ["core"], "msprof --task-time=l1 --output=DIR ./app"),
        ("msprof", ["clock_ratio"], "msopprof --aic-metrics=BasicInfo --kernel-name=NAME --output=DIR ./app"),
        ("MindSpore profiler", ["aic_mac_ratio"], "msprof --task-time=l1 --aic-metrics=PipeUtilization --output=DIR ./app"),
        ("Ascend PyTorch Profiler", ["used_core_share"], "kb advise PROFILE --soc NAME"),
        (
            "Ascend PyTorch Profiler",
            ["aiv_vec_bank_cflt_ratio"],
            "torch_npu.profiler._ExperimentalConfig(profiler_level=torch_npu.profiler.ProfilerLevel.Level1, "
            "aic_metrics=torch_npu.profiler.AiCMetrics.ResourceConflictRatio)",
        ),
        ("msprof", ["no_such_metric"], ""),
    ],
)  # fmt: skip
def test_the_command(tool: str, metrics: list[str], command: str) -> None:
    assert recollect.commands(tool, metrics) == command


@pytest.mark.parametrize(
    ("sample", "word"),
    [
        ("op_summary/whole-detector", "msprof --task-time=l1 --aic-metrics="),
        ("kernel_details/whole-detector", "AiCMetrics."),
        ("simulator/whole-add", "msopprof --aic-metrics="),
    ],
)
def test_a_report_names_commands_and_no_bare_words(sample: str, word: str) -> None:
    report = advise([SAMPLES / sample], knowledge=NO_KNOWLEDGE)
    commands = [item.collect for item in report.not_judged if item.id != "operator"]
    assert any(word in command for command in commands)
    form = re.compile(r"(msopprof|msprof|kb advise|torch_npu\.profiler\._ExperimentalConfig\()")
    assert [
        command for command in commands if not all(form.match(part) for part in command.split("; "))
    ] == []


def test_the_table_is_shipped() -> None:
    assert (Path(recollect.__file__).with_name("recollect.tsv")).is_file()


def test_an_estimate_asks_for_a_profile_of_the_device_and_for_nothing_else() -> None:
    item = NotJudged(
        "under-parallel", "needs used_core_share, which the input does not hold", "PipeUtilization"
    )
    (told,) = recollect.with_commands([item], "estimate", RunFeatures(Features(None, {}), ()))
    assert told.id == "under-parallel" and "estimate from shapes" in told.reason
    assert told.collect == "profile the converted model on the device, then: kb advise PROFILE"
