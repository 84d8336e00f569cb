"""The command that collects what a judgement lacked, for the tool that took the profile.

The table `recollect.tsv` names for every metric the metric group of each tool. "-" is a counter that tool never
writes: the kernel is then profiled alone with msopprof. "@level", "@shape", "@soc" and "@ranks" are no groups but a
level of detail, or what `kb` itself needs to be told.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files

from kb.engine.bottlenecks import registry
from kb.engine.metrics import RunFeatures
from kb.model import NotJudged

_TOOLS = {
    "msprof": "msprof",
    "MindSpore profiler": "msprof",
    "Ascend PyTorch Profiler": "pytorch",
    "msopprof simulator": "simulator",
}
ESTIMATE = "estimate"  # as `kb.engine.network.profile.TOOL` names a forecast
_NO_READINGS = "takes readings of a profile, which an estimate from shapes does not have"
_ON_THE_DEVICE = "profile the converted model on the device, then: kb advise PROFILE"
_NEVER = "-"
_WORDS = {
    "@shape": "kb advise PROFILE --shape SHAPES",
    "@soc": "kb advise PROFILE --soc NAME",
    "@simulate": "msopprof simulator --soc-version=SOC --output=DIR ./app, and give the whole folder with trace.json",
    "@ranks": "kb advise PROFILE_OF_RANK_0 PROFILE_OF_RANK_1 ...",
}
_LEVEL = {
    "simulator": _WORDS["@simulate"],
    "msopprof": "msopprof --aic-metrics=Default --output=DIR ./app",
    "msprof": "msprof --task-time=l1 --output=DIR ./app",
    "pytorch": "torch_npu.profiler._ExperimentalConfig(profiler_level=torch_npu.profiler.ProfilerLevel.Level1)",
}
_GROUP = {
    "msprof": "msprof --task-time=l1 --aic-metrics={group} --output=DIR ./app",
    "pytorch": (
        "torch_npu.profiler._ExperimentalConfig(profiler_level=torch_npu.profiler.ProfilerLevel.Level1, "
        "aic_metrics=torch_npu.profiler.AiCMetrics.{group})"
    ),
}


@cache
def table() -> tuple[tuple[tuple[str, ...], dict[str, str]], ...]:
    """Rows of the table: patterns of metrics, and the cell of each tool."""
    lines = (files(__package__) / "recollect.tsv").read_text(encoding="utf-8").splitlines()
    tools = lines[0].split("\t")[1:]
    rows = (line.split("\t") for line in lines[1:])
    return tuple(
        (tuple(metrics.split("|")), dict(zip(tools, cells, strict=True))) for metrics, *cells in rows
    )


def anything(tool: str) -> str:
    """The command that collects counters at all, for a tool as `Capture` names it."""
    return _LEVEL[_TOOLS.get(tool, "msopprof")]


def commands(tool: str, metrics: Iterable[str]) -> str:
    """The commands that collect these metrics, in the order they were asked for; empty when none is known."""
    short = _TOOLS.get(tool, "msopprof")
    own: dict[str, None] = {}
    for metric in metrics:
        own.update(dict.fromkeys(_cells(metric, short)))
    groups = [cell for cell in own if not cell.startswith(("@", "msopprof:"))]
    alone = [cell.partition(":")[2] for cell in own if cell.startswith("msopprof:")]
    out = []
    if short in ("msopprof", "simulator") and groups:
        out.append(f"msopprof --aic-metrics={','.join(groups)} --output=DIR ./app")
    elif short not in ("msopprof", "simulator"):
        out += [_GROUP[short].format(group=group) for group in groups]
    if alone:
        out.append(f"msopprof --aic-metrics={','.join(alone)} --kernel-name=NAME --output=DIR ./app")
    if "@level" in own and not out:
        out.append(_LEVEL[short])
    return "; ".join([*out, *(text for word, text in _WORDS.items() if word in own)])


def _cells(metric: str, tool: str) -> Sequence[str]:
    for patterns, cells in table():
        if any(fnmatchcase(metric, pattern) for pattern in patterns):
            if cells[tool] == _NEVER:
                return [f"msopprof:{group}" for group in cells["msopprof"].split(",")]
            return cells[tool].split(",")
    return ()


def with_commands(items: Iterable[NotJudged], tool: str, features: RunFeatures) -> tuple[NotJudged, ...]:
    """The items with the command in place of what the bottleneck says for any tool; a rule that failed needs none."""
    out = []
    for item in items:
        if tool == ESTIMATE and item.reason.startswith("needs "):
            out.append(replace(item, reason=_NO_READINGS, collect=_ON_THE_DEVICE))
            continue
        if not item.collect:
            out.append(item)
            continue
        bottleneck = registry().get(item.id)
        asked = [features.run] if bottleneck and bottleneck.judge_run else features.operators
        lacking = next(
            (
                lacks
                for f in asked
                if bottleneck and bottleneck.applies(f) and (lacks := bottleneck.missing(f))
            ),
            (),
        )
        # "a|b" is satisfied by either: the first is asked for
        found = commands(tool, (need.partition("|")[0] for need in lacking))
        out.append(replace(item, collect=found) if found else item)
    return tuple(out)
