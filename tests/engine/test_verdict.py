"""What leads a report: the finding that can be defended to cost most, and what says nothing of the kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from running import ROOT

import kb
from kb.engine.bottlenecks.comm_exposed import OVERLAP_UNKNOWN
from kb.engine.bottlenecks.diagnose import diagnose
from kb.engine.metrics import RunFeatures
from kb.engine.pipeline import Request, advise, narrow
from kb.engine.summary import _below_floor, _near_floor, first_words
from kb.model import (
    Capture,
    Chip,
    Features,
    Finding,
    Gain,
    Measure,
    Operator,
    OperatorRef,
    Recommendation,
    Report,
)
from kb.vocabulary.losses import DAMAGE, LOST, SEVERAL
from kb.vocabulary.metrics import BY_ID


def kernel(kind: str, launches: int = 1, us: float = 5.0, **values: float | str) -> Features:
    numbers = {"task_duration_us": us, "launch_count": float(launches)}
    numbers |= {name: value for name, value in values.items() if isinstance(value, float)}
    words = {name: value for name, value in values.items() if isinstance(value, str)}
    duration = Measure(us, "us", "t")
    op = Operator(kind, kind, "vector", launches, duration, us * launches)
    return Features(
        op,
        {name: Measure(value, BY_ID[name].unit, "t") for name, value in numbers.items()},
        {"op_type": kind, "core": "vector", **words},
    )


def run(values: Mapping[str, float], **labels: str) -> Features:
    return Features(None, {k: Measure(v, BY_ID[k].unit, "t") for k, v in values.items()}, labels)


IDLE = {"device_idle_share": 0.8, "small_kernel_share": 0.9, "host_gap_us": 40.0}
MODEL = [kernel(kind, 30) for kind in ("MatMul", "Add", "Softmax", "LayerNorm", "Gelu")]


def idle(operators: Sequence[Features], values: Mapping[str, float] = IDLE, **labels: str) -> str:
    """ "found", "withheld" or "silent"."""
    made = diagnose(run(values, **labels), operators, "run")
    if any(item.pattern == "host-bound" for item in made.findings):
        return "found"
    return "withheld" if any(item.id == "host-bound" for item in made.not_judged) else "silent"


def test_gaps_too_long_for_dispatching_are_not_judged_and_say_so() -> None:
    """An idle device that no finding explains is explained: the share alone reads as a fault of the host."""
    values = {"device_idle_share": 0.997, "small_kernel_share": 0.1, "host_gap_us": 119_000.0}
    made = diagnose(run(values, run_phase="training"), MODEL, "run")
    (told,) = [item for item in made.not_judged if item.id == "host-bound"]
    assert told.reason.startswith(
        "the device is idle 99.7 % of the elapsed time, in gaps of 119 ms on average"
    )


# --- what is not known about communication


def test_communication_whose_overlap_is_not_known_claims_none() -> None:
    """No "0 % overlaps" where the input cannot tell what runs at the same time."""
    known = {"comm_exposed_share": 0.46, "comm_share": 0.46}
    made = diagnose(run(known), MODEL, "run")
    assert "(0 % of all communication overlaps with computation)" in made.findings[0].summary
    values = {name: Measure(value, "1", f"x / run; {OVERLAP_UNKNOWN}") for name, value in known.items()}
    made = diagnose(Features(None, values, {}), MODEL, "run")
    assert "overlaps" not in made.findings[0].summary
    assert "whether computation hides part of it is not known" in made.findings[0].summary
    alone = diagnose(run({"comm_exposed_share": 0.46}), MODEL, "run")
    assert "overlaps" not in alone.findings[0].summary


def test_the_overlap_of_a_mindspore_run_is_not_known(shared_profiles: Path) -> None:
    report = kb.advise(shared_profiles / "mindspore-910a-run1")
    assert "whether computation hides part of it is not known" in report.headline


# --- a kernel and its floor


@pytest.mark.parametrize(
    ("floor", "words"),
    [
        (Measure(80.0, "us", "t"), "; Copy takes 100 us, and its roofline floor is 80 us"),
        (Measure(85.0, "us", "t", 80.0, 90.0), "; Copy takes 100 us, and its roofline floor is 80 us to 90 us, depending on the chip"),
        (Measure(120.0, "us", "t", 84.0, 168.0), ""),
    ],
)  # fmt: skip
def test_time_and_floor_are_told_once_and_in_one_wording(floor: Measure, words: str) -> None:
    """Near its floor in the headline; below that of a candidate chip as a warning, never both."""
    lead = kernel("Copy", us=100.0, op_time_share=0.5)
    lead = replace(lead, values={**lead.values, "floor_us": floor})
    features = RunFeatures(run({}), (lead,))
    assert _near_floor(features) == words
    told = _below_floor(features)
    assert bool(told) is not bool(words)
    assert all("its roofline floor is 84 us to 168 us, depending on the chip" in text for text in told)


def test_first_advice_for_another_operator_is_named_in_the_headline() -> None:
    mine, other = (OperatorRef(name, name, "cube", "", 1, 1.0) for name in ("Attention", "MatMul"))
    findings = (replace(FINDING, operators=(mine,)), replace(OTHER, operators=(other,)))
    words = first_words(findings, (advice(1, "b"),), 100.0, None)
    assert words.startswith(" First, against finding 2 (tail-wave, MatMul): Do 1 (")
    same = (findings[0], replace(OTHER, operators=(mine,)))
    assert "(tail-wave): Do 1" in first_words(same, (advice(1, "b"),), 100.0, None)


# --- which finding leads


def test_a_sure_finding_leads_one_that_is_hardly_believed() -> None:
    """Four of 48 cores work, but each of four pieces has its block (0.25); the scalar unit is busy 86 % of the time (0.9)."""
    made = diagnose(
        run({}),
        [
            kernel(
                "Cummin", us=343.0, used_core_share=4 / 48, block_dim=4.0, working_cores=4.0, core_count=48.0,
                core_time_imbalance=0.01, useful_cores=4.0, aiv_scalar_ratio=0.86, aiv_vec_ratio=0.001,
                aiv_mte2_ratio=0.05, aiv_mte3_ratio=0.09, max_pipe_ratio=0.86,
            )
        ],
        "operator",
    )  # fmt: skip
    sure = {item.pattern: item.confidence for item in made.findings}
    assert sure["under-parallel"] < 0.3 and sure["scalar-bound-vector"] > 0.8
    assert made.findings[0].pattern == "scalar-bound-vector"


def test_a_finding_of_the_run_is_weighed_in_elapsed_time() -> None:
    """Half of the busy time, where the device is busy for a fifth of the time, is a tenth: less than what idles."""
    slow = kernel(
        "Slow", us=100.0, op_time_share=0.9, compute_time_share=0.9, aiv_scalar_ratio=0.95, aiv_vec_ratio=0.01
    )
    made = diagnose(run(IDLE), [slow, *MODEL], "run")
    assert [item.pattern for item in made.findings][:2] == ["host-bound", "scalar-bound-vector"]


# --- programs that try kernels


@pytest.mark.parametrize(
    ("operators", "why"),
    [
        ([kernel("Relu", 700)], "700 of 700 launches are Relu"),
        ([kernel("Relu", 700), kernel("Cast", 1), kernel("Add", 1), kernel("Fill", 1)], "701 of 703"),
        ([kernel(kind) for kind in ("Range", "Less", "Tril", "Cast", "Equal")], "5 launches are all"),
    ],
)
def test_gaps_between_the_launches_of_a_test_program_are_not_judged(
    operators: list[Features], why: str
) -> None:
    made = diagnose(run(IDLE), operators, "run")
    assert [item.pattern for item in made.findings if item.pattern == "host-bound"] == []
    (item,) = [item for item in made.not_judged if item.id == "host-bound"]
    assert why in item.reason and "80 % of the elapsed time" in item.reason and item.collect
    assert made.remarks == (item.reason,)


def test_a_model_that_waits_for_the_host_is_found() -> None:
    assert idle(MODEL) == "found"


@pytest.mark.parametrize(
    ("values", "labels"),
    [({"step_us": 9000.0}, {}), ({"comm_share": 0.1}, {}), ({}, {"run_phase": "decode"})],
)
def test_steps_communication_and_what_only_models_do_speak_for_a_model(
    values: dict[str, float], labels: dict[str, str]
) -> None:
    assert idle([kernel("MatMul", 700)], IDLE | values, **labels) == "found"


def test_a_busy_test_program_needs_no_remark() -> None:
    assert idle([kernel("Relu", 700)], {**IDLE, "device_idle_share": 0.05}) == "silent"


def test_constants_are_set_up_in_a_test_program_and_work_in_a_model() -> None:
    fill = kernel("ZerosLike", us=600.0, op_time_share=0.9)
    rest = [kernel(kind, op_time_share=0.03) for kind in ("Less", "Cast", "Equal")]
    found = diagnose(run(IDLE), [fill, *rest], "run").findings
    assert [item.pattern for item in found] == ["setup-dominated-run"]
    model = diagnose(run({**IDLE, "step_us": 700.0}), [fill, *rest], "run").findings
    assert "setup-dominated-run" not in {item.pattern for item in model}


def test_set_up_that_does_not_lead_is_a_remark() -> None:
    fill = kernel("DSARandomNormal", 2, us=600.0, op_time_share=0.9, setup="yes", core="dsa")
    work = kernel("Own", 40, us=60.0, op_time_share=0.1, aiv_scalar_ratio=0.95, aiv_vec_ratio=0.01)
    made = diagnose(run({}), [fill, work], "run")
    assert [item.pattern for item in made.findings] == ["scalar-bound-vector", "setup-dominated-run"]
    assert made.remarks == (made.findings[1].summary,)


# --- too small to judge, by shapes where nothing was counted


@pytest.mark.parametrize(
    ("pattern", "wrote", "cores", "judged"),
    [("copy", 40e3, 40.0, False), ("copy", 40e6, 40.0, True), ("copy", 40e3, 1.0, True), ("matmul", 40e3, 40.0, True)],
)  # fmt: skip
def test_a_short_copy_of_little_is_too_small_to_judge(
    pattern: str, wrote: float, cores: float, judged: bool
) -> None:
    """13 us on 40 cores for 40 KB: launch and cold caches; of a kernel that computes the bytes alone do not tell."""
    made = diagnose(
        run({}),
        [
            kernel(
                "Slice", 20, us=13.0, op_pattern=pattern, output_bytes=wrote, block_dim=cores,
                aiv_mte2_ratio=0.61, aiv_scalar_ratio=0.32, aiv_vec_ratio=0.03, op_time_share=1.0,
            )
        ],
        "operator",
    )  # fmt: skip
    assert ("operator" not in {item.id for item in made.not_judged}) is judged


# --- the end of the headline


FINDING = Finding("a", "scalar-bound-vector", "operator", (), 0.4, 0.9, (), 0.5)
OTHER = replace(FINDING, id="b", pattern="tail-wave")
IDLING = Finding("h", "host-bound", "run", (), 1.0, 0.9, (), 0.75, base="elapsed")


def advice(rank: int, finding: str, basis: str = "measured: t", who: str = "") -> Recommendation:
    gain = Gain(0.1, 0.5, 0.9, "operator", basis)
    return Recommendation(
        rank, f"e{rank}", "recipe", f"Do {rank}", finding, gain, who, "", (), (), "", "", "", ()
    )


@pytest.mark.parametrize(
    ("findings", "first", "times", "words"),
    [
        ((FINDING, OTHER), advice(1, "a"), (100.0, None), " First: Do 1 (saves about 20 % of the run, measured elsewhere)."),
        ((FINDING, OTHER), advice(1, "b"), (100.0, None), " First, against finding 2 (tail-wave): Do 1 (saves about 20 % of the run, measured elsewhere)."),
        ((FINDING,), advice(1, "a", "modelled: t"), (None, None), " First: Do 1 (saves up to 36 % of the run, an upper bound)."),
        ((IDLING, FINDING), advice(1, "a"), (100.0, 400.0), " First, against finding 2 (scalar-bound-vector): Do 1 (saves about 5.0 % of the elapsed time, measured elsewhere)."),
    ],
)  # fmt: skip
def test_the_headline_says_what_the_first_advice_saves_and_of_what(
    findings: tuple[Finding, ...],
    first: Recommendation,
    times: tuple[float | None, float | None],
    words: str,
) -> None:
    assert first_words(findings, (first,), *times) == words
    assert first_words(findings, (), *times) == ""


def test_advice_for_one_reader_is_named_in_the_headline_too() -> None:
    two = (advice(1, "a", who="deployment"), advice(2, "b", who="kernel-developer"))
    report = Report(
        "t", "r", Chip(), Capture("t"), 100.0, "Slow." + first_words((FINDING, OTHER), two, 100.0, None), (),
        (FINDING, OTHER), (), two, (), (),
    )  # fmt: skip
    mine = narrow(report, Request(who="kernel-developer"))
    assert (
        mine.headline
        == "Slow. First, against finding 2 (tail-wave): Do 2 (saves about 20 % of the run, measured elsewhere)."
    )
    assert narrow(report, Request()).headline == report.headline


def test_what_was_lost_of_the_input_comes_before_all_other_remarks(shared_profiles: Path) -> None:
    for name, said in (
        ("op-summary-truncated", "cut off"),
        ("op-summary-ragged-rows", "more or fewer cells"),
        ("matmul-scalar-to-cube", "captures one after another"),
    ):
        assert said in advise([shared_profiles / name]).warnings[0], name


def test_the_codes_of_losses_are_codes_of_notices() -> None:
    written = "\n".join(
        path.read_text(encoding="utf-8") for path in sorted((ROOT / "kb" / "engine").rglob("*.py"))
    )
    assert [code for code in sorted(LOST | SEVERAL | DAMAGE) if f'"{code}"' not in written] == []
    assert DAMAGE <= LOST
