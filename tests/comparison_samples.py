"""Reports and comparisons that engine and views are tested with: made by hand, small enough to reckon with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from report_samples import NASTY

from kb.comparison import Comparison
from kb.engine.compare import compare, gated
from kb.measured import Measured
from kb.model import Capture, Chip, Finding, NotJudged, OperatorRef, Report

DEVICE = Capture(
    "msopprof", cann_version="8.5.0", replay_mode="kernel", warm_up=5, metric_groups=("Default",)
)
EXPORT = Capture("msprof", cann_version="8.5.0", metric_groups=("PipeUtilization",))
B2 = Chip("Ascend910B2", ("Ascend910B2",), "file")


def row(name: str, mean: float, count: int = 1, **more: Any) -> Measured:
    given = {"type": name, "core": "vector", "total_us": mean * count} | more
    return Measured(name=name, count=count, mean_us=mean, **given)


def report(*rows: Measured, run: str = "a" * 12, **more: Any) -> Report:
    refs = tuple(OperatorRef(r.type, r.name, r.core, r.shapes, r.count, r.total_us) for r in rows)
    given: dict[str, Any] = {
        "target": "some/folder", "chip": B2, "capture": DEVICE, "total_us": sum(r.total_us for r in rows), "headline": "",
        "findings": (), "not_judged": (), "recommendations": (), "similar_cases": (), "warnings": (),
    }  # fmt: skip
    return Report(run=run, operators=refs, measured=rows, **(given | more))


def finding(pattern: str, operator: str = "Add", share: float = 1.0) -> Finding:
    ref = OperatorRef(operator, operator, "vector", "", 1, 10.0)
    return Finding(
        f"{pattern}/{operator}", pattern, "operator", (ref,), share, 0.9, (), summary=f"{pattern} holds"
    )


KERNEL = row(
    "Add", 100.0, shapes="64x64", dtypes="FLOAT16", formats="ND", clock_mhz=1800.0, core_us=99.0,
    core_low_us=98.0, core_high_us=100.0, cores=10,
    readings={"aiv_mte2_ratio": 0.6, "aiv_mte2_time_us": 60.0, "bytes_per_mte2_instruction": 512.0},
)  # fmt: skip
FASTER = replace(
    KERNEL, mean_us=50.0, total_us=50.0, core_us=49.5, core_low_us=49.0, core_high_us=50.0,
    readings={"aiv_mte2_ratio": 0.3, "aiv_mte2_time_us": 15.0, "bytes_per_mte2_instruction": 4096.0},
)  # fmt: skip
BEFORE = report(KERNEL, findings=(finding("small-mte2-reads"), finding("under-parallel")))
AFTER = report(
    FASTER, run="b" * 12, findings=(finding("under-parallel"), finding("scalar-bound-vector")),
    not_judged=(NotJudged("l2-thrash", "no counter"),),
)  # fmt: skip

RUN_BEFORE = report(
    row("MatMul", 10.0, 100, shapes="32x32", low_us=9.5, high_us=10.5),
    row("Softmax", 5.0, 100, shapes="32x32", low_us=4.9, high_us=5.1),
    row("Cast", 2.0, 100, shapes="32", low_us=1.9, high_us=2.1),
    row("Gone", 1.0, 100, shapes="8"),
    capture=EXPORT, elapsed_us=2500.0,
)  # fmt: skip
RUN_AFTER = report(
    row("MatMul", 12.0, 100, shapes="32x32", low_us=11.5, high_us=12.5),
    row("Softmax", 4.0, 100, shapes="32x32", low_us=3.9, high_us=4.1),
    row("Cast", 2.01, 100, shapes="32", low_us=1.9, high_us=2.1),
    row("Fresh", 0.5, 100, shapes="8"),
    run="c" * 12, capture=EXPORT, elapsed_us=2600.0,
)  # fmt: skip


def samples() -> dict[str, Comparison]:
    """By name, the comparisons that every view is shown."""
    slower = compare(AFTER, BEFORE)
    simulated = replace(AFTER, capture=replace(DEVICE, tool="msopprof simulator", simulated=True))
    nasty = replace(FASTER, name=NASTY, type=NASTY, shapes=NASTY, dtypes=NASTY)
    hostile = report(
        nasty, target=NASTY, run=NASTY, chip=Chip(NASTY, (NASTY,), "file"), findings=(finding(NASTY, NASTY),)
    )
    return {
        "faster": compare(BEFORE, AFTER),
        "same": compare(BEFORE, BEFORE),
        "slower": replace(slower, gate=gated(slower, 0.05)),
        "run": compare(RUN_BEFORE, RUN_AFTER),
        "simulated": compare(BEFORE, simulated),
        "hostile": compare(BEFORE, hostile),
    }
