"""Two runs held against one another: pairing, noise, comparability, verdict."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from pathlib import Path
from typing import Any

import pytest
from comparison_samples import (
    AFTER,
    B2,
    BEFORE,
    DEVICE,
    EXPORT,
    FASTER,
    KERNEL,
    RUN_AFTER,
    RUN_BEFORE,
    finding,
    report,
    row,
)  # fmt: skip
from hypothesis import given
from hypothesis import strategies as st

import kb
from kb.comparison import Comparison
from kb.engine.compare import compare, gated
from kb.engine.compare.noise import RESOLUTION, STATED, band, deviation
from kb.engine.compare.pairs import pairs
from kb.engine.compare.sides import side
from kb.engine.pipeline import advise
from kb.errors import NothingToJudge, UsageError
from kb.model import Chip, NotJudged, Report


def state(found: Comparison, dimension: str) -> tuple[str, bool]:
    check = next(check for check in found.checks if check.dimension == dimension)
    return check.state, check.blocks


# --- noise


def test_launches_make_the_band() -> None:
    before = row("A", 100.0, 100, low_us=90.0, high_us=110.0)
    after = row("A", 80.0, 100, low_us=75.0, high_us=85.0)
    one, two = 20 / 5.015, 10 / 5.015  # range of 100 values / d2(100)
    by_hand = 1.96 * sqrt((one / 10) ** 2 + (two / 10) ** 2) / 100
    assert by_hand < RESOLUTION
    assert band(before, after).value == RESOLUTION  # never below what single runs differ by
    wide = band(replace(before, low_us=0.0, high_us=1000.0), after)
    assert wide.basis == "launches"
    assert wide.value == pytest.approx(1.96 * sqrt((1000 / 5.015 / 10) ** 2 + (two / 10) ** 2) / 100)


def test_few_launches_are_worth_less() -> None:
    two = row("A", 100.0, 2, low_us=99.0, high_us=101.0)
    error = 2 / 1.128 / sqrt(2)
    assert deviation(99.0, 101.0, 2) == pytest.approx(2 / 1.128)
    assert band(two, two).value == pytest.approx(4.30 * sqrt(2) * error / 100)  # t for 2 degrees of freedom


def test_a_single_launch_spreads_as_the_other_side_does() -> None:
    many = row("A", 100.0, 10, low_us=80.0, high_us=120.0)
    assert band(row("A", 100.0), many).basis == "launches"
    assert band(row("A", 100.0), many).value > band(many, many).value


def test_cores_narrow_the_stated_band_and_never_widen_it() -> None:
    found = band(KERNEL, FASTER)
    by_hand = 2 * sqrt((2 / 3.078) ** 2 + (1 / 3.078) ** 2) / 100
    assert (found.basis, found.value) == ("cores", max(by_hand, RESOLUTION))
    uneven = replace(KERNEL, core_low_us=20.0)
    assert band(uneven, FASTER) == replace(found, value=STATED, basis="stated")
    assert band(replace(KERNEL, cores=2), FASTER).basis == "stated"


def test_short_kernels_have_a_band_in_microseconds() -> None:
    assert band(row("A", 4.0), row("A", 4.0)).value == pytest.approx(0.25)


def test_a_given_band_replaces_all_others() -> None:
    found = compare(BEFORE, AFTER, 0.6)
    assert found.total is not None
    assert (found.verdict, found.total.band.basis) == ("within-noise", "given")
    with pytest.raises(UsageError):
        compare(BEFORE, AFTER, 1.5)


# --- verdicts


def test_a_faster_kernel() -> None:
    found = compare(BEFORE, AFTER)
    assert found.total is not None
    assert (found.verdict, found.total.change, found.total.basis) == ("faster", -0.5, "launch")
    (change,) = found.changes
    assert (change.verdict, change.delta_us, change.share) == ("faster", -50.0, 1.0)
    pipe, reading = change.moved
    assert (pipe.metric, pipe.before, pipe.after, pipe.before_us, pipe.after_us) == (
        "aiv_mte2_ratio", 0.6, 0.3, 60.0, 15.0,
    )  # fmt: skip
    assert (reading.metric, reading.unit) == ("bytes_per_mte2_instruction", "B")
    assert [(item.state, item.pattern) for item in found.findings] == [
        ("new", "scalar-bound-vector"), ("gone", "small-mte2-reads"), ("stays", "under-parallel"),
    ]  # fmt: skip


def test_a_run_has_its_regressions_first_and_its_steps_add_up() -> None:
    found = compare(RUN_BEFORE, RUN_AFTER)
    assert found.total is not None and found.elapsed is not None
    assert (found.total.before_us, found.total.after_us, found.total.basis) == (1800.0, 1851.0, "run")
    assert [(item.name, item.verdict) for item in found.changes] == [
        ("MatMul", "slower"), ("Fresh", "new"), ("Softmax", "faster"), ("Gone", "gone"), ("Cast", "within-noise"),
    ]  # fmt: skip
    assert found.waterfall[0].from_us == 1800.0
    assert found.waterfall[-1].to_us == pytest.approx(1851.0)
    assert sum(step.delta_us for step in found.waterfall) == pytest.approx(51.0)
    assert found.elapsed.change == pytest.approx(0.04)


def test_runs_of_different_length_are_compared_by_launch() -> None:
    longer = report(
        row("MatMul", 10.0, 1000, shapes="32x32"), row("Softmax", 5.0, 1000, shapes="32x32"), capture=EXPORT
    )
    found = compare(RUN_BEFORE, longer)
    assert found.total is not None
    assert (found.total.basis, found.total.before_us, found.total.after_us) == ("launches", 1500.0, 1500.0)
    assert state(found, "work") == ("differs", False)
    assert found.verdict == "within-noise"


def test_runs_with_steps_are_compared_by_step() -> None:
    found = compare(replace(RUN_BEFORE, steps=10), replace(RUN_BEFORE, steps=20, run="d" * 12))
    assert found.total is not None
    assert (found.total.basis, found.total.before_us, found.total.after_us) == ("step", 180.0, 90.0)


def test_a_report_without_rows_is_compared_by_its_operators() -> None:
    found = compare(replace(BEFORE, measured=()), replace(AFTER, measured=()))
    assert found.total is not None
    assert (found.verdict, found.total.band.basis) == ("faster", "stated")


def test_an_export_without_shapes_is_compared_by_type() -> None:
    plain = report(row("Conv2D1", 30.0, type="Conv2D1"), row("Conv2D2", 10.0, type="Conv2D2"), capture=EXPORT)
    full = report(
        row("a", 15.0, type="Conv2D", shapes="1x1"),
        row("b", 10.0, type="Conv2D", shapes="2x2"),
        capture=EXPORT,
    )
    (change,) = compare(plain, full).changes
    assert (change.type, change.verdict, change.change) == ("Conv2D", "faster", -0.375)
    assert change.band is not None and change.band.basis == "stated"


def test_a_run_without_times_cannot_be_compared() -> None:
    with pytest.raises(NothingToJudge, match="no time"):
        compare(replace(BEFORE, measured=(), operators=()), AFTER)


def test_random_fills_are_no_part_of_the_work() -> None:
    fill = row("DSARandomNormal", 500.0, setup=True)
    found = compare(report(KERNEL, fill, capture=EXPORT), report(FASTER, fill, run="b" * 12, capture=EXPORT))
    assert found.total is not None
    assert (found.total.before_us, found.total.after_us) == (100.0, 50.0)


# --- what makes runs not comparable


@pytest.mark.parametrize(
    ("dimension", "after"),
    [
        ("mode", replace(AFTER, capture=replace(DEVICE, simulated=True))),
        ("tool", replace(AFTER, capture=EXPORT)),
        ("chip", replace(AFTER, chip=Chip("Ascend310P3", ("Ascend310P3",), "file"))),
        ("chip", replace(AFTER, chip=Chip(None, ("Ascend310P1", "Ascend310P3"), "inferred"))),
        ("clock", replace(AFTER, measured=(replace(FASTER, clock_mhz=1700.0),))),
        ("timed", replace(AFTER, measured=(replace(FASTER, timed="core"),))),
        ("replay", replace(AFTER, capture=replace(DEVICE, replay_mode="application"))),
        ("metrics", replace(AFTER, capture=replace(DEVICE, metric_groups=("PipeUtilization",)))),
        ("shape", replace(AFTER, measured=(replace(FASTER, shapes="128x64"),))),
        ("dtype", replace(AFTER, measured=(replace(FASTER, dtypes="FLOAT"),))),
        ("operators", replace(AFTER, measured=(replace(FASTER, name="Mul", type="Mul"),))),
        ("ranks", replace(AFTER, ranks=8)),
    ],
)
def test_a_difference_that_blocks(dimension: str, after: Report) -> None:
    for one, two in ((BEFORE, after), (after, BEFORE)):
        found = compare(one, two)
        assert found.verdict == "not-comparable"
        assert dimension in {check.dimension for check in found.reasons}
        assert found.total is not None  # shown, not judged


@pytest.mark.parametrize(
    ("dimension", "after"),
    [
        ("clock", replace(AFTER, measured=(replace(FASTER, clock_mhz=1720.0),))),
        ("warm-up", replace(AFTER, capture=replace(DEVICE, warm_up=50))),
        ("cann", replace(AFTER, capture=replace(DEVICE, cann_version="9.0.0"))),
        ("chip", replace(AFTER, chip=Chip(None, ("Ascend910B1", "Ascend910B2"), "inferred"))),
        ("replay", replace(AFTER, capture=replace(DEVICE, replay_mode=None))),
        ("shape", replace(AFTER, measured=(replace(FASTER, shapes=""),))),
        ("operators", replace(AFTER, measured=(replace(FASTER, name="add_v2", type="add_v2"),))),
    ],
)
def test_a_difference_that_does_not_block(dimension: str, after: Report) -> None:
    found = compare(BEFORE, after)
    assert found.verdict == "faster"
    assert state(found, dimension)[0] in {
        "clock": ("same",),
        "chip": ("unknown",),
        "replay": ("unknown",),
        "shape": ("unknown",),
    }.get(dimension, ("differs",))


def test_an_option_and_the_tables_it_writes_are_the_same_metrics() -> None:
    tables = (
        "ArithmeticUtilization", "L2Cache", "Memory", "MemoryL0", "MemoryUB", "PipeUtilization", "ResourceConflictRatio",
    )  # fmt: skip
    found = compare(BEFORE, replace(AFTER, capture=replace(DEVICE, metric_groups=tables)))
    assert state(found, "metrics") == ("same", True)


def test_two_models_that_share_collectives_only_are_not_one() -> None:
    reduce = row("hcom_allReduce_", 900.0, core="communication")
    one = report(row("MatMul", 100.0, shapes="1x1"), reduce, capture=EXPORT)
    two = report(row("Conv2D", 100.0, shapes="2x2"), reduce, capture=EXPORT)
    assert compare(one, two).verdict == "not-comparable"


def test_a_model_may_change_dtype_and_operators() -> None:
    half = report(
        row("MatMul", 5.0, 100, shapes="32x32", dtypes="FLOAT16"), row("Fused", 1.0, 100, shapes="32x32"),
        capture=EXPORT,
    )  # fmt: skip
    full = report(
        row("MatMul", 10.0, 100, shapes="32x32", dtypes="FLOAT"), row("Softmax", 5.0, 100, shapes="32x32"),
        capture=EXPORT,
    )  # fmt: skip
    found = compare(full, half)
    assert found.verdict == "faster"
    assert state(found, "dtype") == ("differs", False)


# --- pairing, findings, gate


def test_launches_of_one_kernel_are_taken_together() -> None:
    both = side(report(row("Add", 10.0), row("Add", 14.0)))
    (merged,) = both.rows
    assert (merged.count, merged.mean_us, merged.low_us, merged.high_us) == (2, 12.0, 10.0, 14.0)


def test_each_operator_is_paired_once() -> None:
    one = side(report(*(row("Add", 10.0, shapes=f"{n}") for n in range(5)), row("Mul", 1.0), capture=EXPORT))
    two = side(
        report(*(row("Add", 9.0, shapes=f"{n}") for n in range(3, 8)), row("Mul", 1.0), capture=EXPORT)
    )
    found = pairs(one, two)
    assert sum(pair.before is not None for pair in found) == 6
    assert sum(pair.after is not None for pair in found) == 6
    assert sum(pair.before is not None and pair.after is not None for pair in found) == 3


def test_what_could_not_be_judged_is_neither_gone_nor_new() -> None:
    blind = replace(
        AFTER, findings=(), not_judged=(NotJudged("small-mte2-reads", ""), NotJudged("under-parallel", ""))
    )
    assert {item.state for item in compare(BEFORE, blind).findings} == {"not-judged"}
    assert {item.state for item in compare(blind, BEFORE).findings} == {"first-judged"}


def test_a_run_without_counters_says_nothing_of_findings() -> None:
    blind = replace(AFTER, findings=(), not_judged=(), measured=(replace(FASTER, readings={}),))
    assert {item.state for item in compare(BEFORE, blind).findings} == {"not-judged"}
    assert {item.state for item in compare(blind, BEFORE).findings} == {"first-judged"}


def test_a_finding_follows_an_operator_that_is_called_otherwise_now() -> None:
    renamed = report(
        replace(FASTER, name="add_v2", type="add_v2"), findings=(finding("under-parallel", "add_v2"),)
    )
    assert [(item.state, item.pattern) for item in compare(BEFORE, renamed).findings] == [
        ("gone", "small-mte2-reads"), ("stays", "under-parallel"),
    ]  # fmt: skip


def test_the_gate() -> None:
    slower = compare(AFTER, BEFORE)
    assert gated(slower, 0.05).failed == ("", "Add")
    assert gated(slower, 1.5).failed == ()
    assert gated(compare(BEFORE, AFTER), 0.0).failed == ()
    simulated = compare(BEFORE, replace(AFTER, capture=replace(DEVICE, simulated=True)))
    assert not gated(simulated, 0.05).judged
    mixed = compare(RUN_BEFORE, RUN_AFTER)  # the whole is within 5 %, MatMul is not
    assert gated(mixed, 0.05).failed == ("MatMul",)


TIMES = st.floats(0.5, 1e6)
ROWS = st.lists(st.tuples(st.sampled_from("ABCDEF"), TIMES, st.integers(1, 50)), min_size=1, max_size=6)


@given(ROWS, ROWS)
def test_whatever_is_compared_adds_up(
    one: list[tuple[str, float, int]], two: list[tuple[str, float, int]]
) -> None:
    before, after = (
        report(*(row(name, mean, count, shapes="1") for name, mean, count in rows), capture=EXPORT)
        for rows in (one, two)
    )
    found = compare(before, after)
    assert compare(before, before).verdict == "within-noise"
    if found.total is not None:
        reached = found.waterfall[-1].to_us if found.waterfall else found.total.before_us
        assert reached == pytest.approx(found.total.after_us, rel=1e-5, abs=1e-6)
        assert found.total.band.value >= RESOLUTION
    assert all((item.change is None) == (item.before is None or item.after is None) for item in found.changes)


# --- real captures


ROUNDS = [(0, 1, -4.5, "faster"), (1, 2, -50.4, "faster"), (2, 3, -0.8, "within-noise")]


@pytest.mark.parametrize(("before", "after", "percent", "verdict"), ROUNDS)
def test_the_rounds_of_a_real_kernel(
    shared_profiles: Path, before: int, after: int, percent: float, verdict: str
) -> None:
    folder = shared_profiles / "cummin-s1-rounds"
    found = kb.compare(folder / f"round_00{before}", str(folder / f"round_00{after}"))
    assert found.total is not None
    assert (round(found.total.change * 100, 1), found.verdict) == (percent, verdict)
    if (before, after) == (1, 2):
        assert [item.pattern for item in found.findings if item.state == "gone"] == ["small-mte3-writes"]
        assert found.changes[0].moved[0].metric == "aiv_mte3_ratio"


def test_another_published_pair(shared_profiles: Path) -> None:
    folder = shared_profiles / "attn-bwd-batch-cast"
    found = kb.compare(folder / "before", folder / "after")
    assert found.total is not None
    assert (found.verdict, round(found.total.change, 3)) == ("faster", -0.102)


def test_a_real_run_against_itself(shared_profiles: Path) -> None:
    path = shared_profiles / "vllm-qwen3-32b-decode"
    found = kb.compare(path, path)
    assert found.verdict == "within-noise"
    assert all(item.change == 0 for item in found.changes)


def test_the_chip_of_the_samples_is_one() -> None:
    assert state(compare(BEFORE, AFTER), "chip") == ("same", True)
    assert B2.soc == "Ascend910B2"


def with_collective(time: float, kernel: float = 50.0, **more: Any) -> Report:
    rows = (
        row("hcom_allReduce__1", time, core="communication", type="HcomAllReduce"),
        row("MatMul", kernel, 1, shapes="32x32"),
    )
    return report(*rows, capture=replace(EXPORT, **more), run="c" * 12)


def test_waiting_for_other_ranks_fails_no_limit() -> None:
    """The all-reduce takes twice as long, the product as long as before: another rank was late."""
    found = compare(with_collective(100.0), with_collective(200.0))
    assert found.verdict == "slower" and found.parts is not None
    assert found.parts.compute.change == 0 and found.parts.collectives.change == pytest.approx(1.0)
    gate = gated(found, 0.05)
    assert gate.judged and not gate.failed and gate.apart == ("hcom_allReduce__1",)
    slower = gated(compare(with_collective(100.0), with_collective(100.0, 80.0)), 0.05)
    assert slower.failed == ("", "MatMul") and not slower.apart


def test_a_run_without_collectives_has_no_parts() -> None:
    """What takes longer there is the program's own."""
    found = compare(RUN_BEFORE, RUN_AFTER)
    assert found.parts is None and gated(found, 0.05).failed == ("MatMul",)


def test_another_profiler_level_is_named_and_fails_no_limit() -> None:
    found = compare(with_collective(100.0, level="Level0"), with_collective(100.0, 80.0, level="Level1"))
    (level,) = [check for check in found.checks if check.dimension == "level"]
    assert (level.state, level.before, level.after) == ("differs", "Level0", "Level1")
    gate = gated(found, 0.05)
    assert not gate.judged and gate.why == "level" and not gate.failed


def test_two_levels_of_a_real_training(shared_profiles: Path) -> None:
    """Level 0: 85.5 ms in the all-reduce, 8.83 ms in kernels; level 1: 106 ms and 8.87 ms."""
    one, two = (advise([shared_profiles / f"torch-cnn-level{level}-rank0"]) for level in (0, 1))
    found = compare(one, two)
    assert [check.dimension for check in found.checks if check.state == "differs"] == ["level"]
    assert found.parts is not None and abs(found.parts.compute.change) < found.parts.compute.band.value
    assert found.parts.collectives.change == pytest.approx(0.239, abs=0.001)
    assert gated(found, 0.05).why == "level"
    same = replace(one, capture=replace(one.capture, level="Level1"))
    assert gated(compare(same, two), 0.05).failed == ()


def test_collectives_of_different_sizes_are_no_noise(shared_profiles: Path) -> None:
    """Four all-reduces of 2 to 79 ms carry no shapes: their range must not hide a regression."""
    folder = shared_profiles / "torch-cnn-level1-rank0"
    found = compare(advise([folder]), advise([folder / "db"]))
    assert found.total is not None
    assert found.total.band.value < 0.1


def test_a_kernel_that_moved_to_other_cores_and_is_launched_otherwise_is_not_compared(
    shared_profiles: Path,
) -> None:
    """One launch of a product became twelve, and without shapes nothing tells: a mean of launches would flatter it twelvefold."""
    before, after = (
        advise([shared_profiles / "matmul-scalar-to-cube" / name]) for name in ("before", "after")
    )
    found = compare(before, after)
    assert found.verdict == "not-comparable"
    assert [item.dimension for item in found.checks if item.blocks and item.state == "differs"] == ["work"]
