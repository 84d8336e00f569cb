"""Readings that mislead, each with the judgement that must not follow from it (and the one that must)."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from running import ROOT

from kb import operators
from kb.engine.bottlenecks import registry
from kb.engine.bottlenecks.diagnose import diagnose
from kb.engine.bottlenecks.judging import thresholds
from kb.engine.metrics import measure_profile
from kb.engine.metrics.work import must_move
from kb.engine.pipeline import Knowledge, advise, advise_profile, narrow, open_knowledge
from kb.engine.request import Request
from kb.model import Capture, Chip, Diagnosis, Features, Measure, Operator, Profile, Report, Tensor, to_dict
from kb.targets import load
from kb.vocabulary.metrics import BY_ID

SAMPLES = Path(__file__).resolve().parent.parent / "samples"
PEAK_BASED = {"gm_bandwidth_utilisation", "memory_floor_us", "compute_floor_us", "floor_us", "floor_ratio"}


@cache
def knowledge() -> Knowledge:
    return open_knowledge()


def judged(values: Mapping[str, float], **labels: str) -> Diagnosis:
    """What is found on one kernel of 500 us with these readings."""
    took = {"task_duration_us": 500.0, **values}
    measures = {name: Measure(value, BY_ID[name].unit, "test") for name, value in took.items()}
    words = {"core": "vector", "op_type": "X", **labels}
    duration = measures["task_duration_us"]
    op = Operator("k", words["op_type"], words["core"], 1, duration, duration.value)  # type: ignore[arg-type]
    return diagnose(Features(None, {}), [Features(op, measures, words)], "operator")


def found(values: Mapping[str, float], **labels: str) -> set[str]:
    return {finding.pattern for finding in judged(values, **labels).findings}


def told(report: Report) -> str:
    bare = replace(report, target="", run="", content="", files=())
    return json.dumps(to_dict(bare), sort_keys=True, ensure_ascii=False)


# --- shares that count waiting


def test_a_copy_share_beside_a_busy_cube_is_waiting() -> None:
    """MTE2 at 0.99 with the cube at 0.82: the share counts the time its queue is full, the cube is the limit."""
    busy = {"aic_mte2_ratio": 0.99, "max_pipe_ratio": 0.99}
    assert "mte2-bound-cube-hungry" not in found(
        {**busy, "aic_mac_ratio": 0.82}, core="cube", op_pattern="conv2d"
    )
    assert "mte2-bound-cube-hungry" in found({**busy, "aic_mac_ratio": 0.3}, core="cube", op_pattern="conv2d")


def test_scalar_of_a_mixed_kernel_whose_sides_alternate_is_waiting() -> None:
    waits = {
        "aic_scalar_ratio": 0.7, "aic_mac_ratio": 0.1, "aiv_scalar_ratio": 0.6, "aiv_vec_ratio": 0.2,
        "cube_vector_time_ratio": 1.9, "max_pipe_ratio": 0.7,
    }  # fmt: skip
    names = found(waits, core="mix", op_pattern="attention")
    assert "cv-sync-bound" in names
    assert not names & {"scalar-bound-cube", "scalar-bound-vector"}
    alternates = {name: value for name, value in waits.items() if name != "cube_vector_time_ratio"}
    one_sided = found({**alternates, "cube_vector_time_ratio": 1.1}, core="mix", op_pattern="conv2d")
    assert "scalar-bound-cube" in one_sided and "cv-sync-bound" not in one_sided


# --- a scalar share that is back-pressure


@pytest.mark.parametrize(
    ("side", "core", "idle", "pattern"),
    [
        ("aiv", "vector", "aiv_vec_ratio", "scalar-bound-vector"),
        ("aic", "cube", "aic_mac_ratio", "scalar-bound-cube"),
    ],
)
def test_a_scalar_share_of_full_queues_is_no_scalar_work(
    side: str, core: str, idle: str, pattern: str
) -> None:
    values = {f"{side}_scalar_ratio": 0.7, idle: 0.1, f"{side}_mte2_ratio": 0.4, "max_pipe_ratio": 0.7}
    assert pattern in found(values, core=core)
    assert pattern in found({**values, f"{side}_scalar_stall_ratio": 0.1}, core=core)
    assert pattern not in found({**values, f"{side}_scalar_stall_ratio": 0.5}, core=core)


def test_a_vector_scalar_share_of_missing_instructions_is_no_scalar_work() -> None:
    values = {
        "aiv_scalar_ratio": 0.6,
        "aiv_vec_ratio": 0.1,
        "aiv_scalar_wait_ib_ratio": 0.45,
        "max_pipe_ratio": 0.6,
    }
    names = found({**values, "aiv_icache_miss_rate": 0.3})
    assert "scalar-bound-vector" not in names and "icache-miss" in names


# --- cube_utilization is not trusted


def test_cube_utilization_changes_nothing() -> None:
    """It reads 89 where the cube worked 5.5 % of the time: total cycles over clock x cores, no busy share."""

    def report(utilization: float | None) -> Report:
        counters = {"aic_mac_ratio": Measure(0.055, "1", "t"), "aic_mte2_ratio": Measure(0.9, "1", "t")}
        if utilization is not None:
            counters["cube_utilization"] = Measure(utilization, "%", "t")
        shape = Tensor((4096, 4096), "float16", "ND")
        op = Operator(
            "m", "MatMulV2", "cube", 1, Measure(4000.0, "us", "t"), 4000.0,
            inputs=(shape, shape), outputs=(shape,), counters=counters, block_dim=24,
        )  # fmt: skip
        profile = Profile(
            "t", "op_summary", "operator", Capture("msprof"), Chip("Ascend910B2", basis="stated"), (op,)
        )
        return advise_profile(profile, Request(), knowledge())

    assert told(report(89.1)) == told(report(2.0)) == told(report(None))
    assert report(89.1).findings[0].pattern != "cube-bound-healthy"
    assert "cube_utilization" not in BY_ID


# --- mix ratios are inflated


def test_shares_of_a_real_mixed_launch_are_of_its_own_cores(shared_profiles: Path) -> None:
    """The tool divided by 9 us of the task: its scalar column says 14 %, the cube core spent 45 % of its 2.8 us."""
    from kb.engine import readers

    profile = readers.read([shared_profiles / "cann852-mix-1block"])
    f = measure_profile(profile, ()).operators[0]
    assert f.get("aic_scalar_ratio") == pytest.approx(0.453, abs=0.001)
    shares = {
        name: f.get(name) for name in ("aic_mac_ratio", "aic_mte2_ratio", "aiv_vec_ratio", "aiv_scalar_ratio")
    }
    assert all(share is None or 0 <= share <= 1 for share in shares.values())
    assert f.get("aiv_vec_ratio") == pytest.approx(0.0517, abs=0.001), "0.3139 us of 6.07 us, not of 9"


# --- replay starts with a cold L2


def test_a_small_read_that_misses_a_flushed_l2_is_no_cache_trouble() -> None:
    cold = {"l2_hit_rate": 0.02, "aiv_mte2_ratio": 0.95, "max_pipe_ratio": 0.95, "passes_over_data": 1.0}
    small = judged({**cold, "read_bytes": 512 * 1024, "write_bytes": 512 * 1024, "working_cores": 8.0})
    assert not {f.pattern for f in small.findings} & {"l2-thrash", "l2-stream-once"}
    assert not any(notice.code == "l2-stream-once" for notice in small.notices)
    again = judged({**cold, "passes_over_data": 4.0, "read_bytes": 2.0**28, "write_bytes": 2.0**26})
    assert "l2-thrash" in {f.pattern for f in again.findings}, (
        "data read again that is not found is another matter"
    )


@pytest.mark.parametrize(
    ("tool", "mode", "simulated", "warned"),
    [
        ("msopprof", "kernel", False, True), ("msopprof", None, False, True), ("msopprof", "application", False, False),
        ("msprof", None, False, False), ("msopprof", None, True, False),
    ],
)  # fmt: skip
def test_cold_times_are_said_where_the_tool_flushes(
    tool: str, mode: str | None, simulated: bool, warned: bool
) -> None:
    op = Operator(
        "k", "Add", "vector", 1, Measure(500.0, "us", "t"), 500.0,
        counters={"aiv_vec_ratio": Measure(0.3, "1", "t"), "aiv_mte2_ratio": Measure(0.4, "1", "t")},
    )  # fmt: skip
    capture = Capture(tool, replay_mode=mode, simulated=simulated)
    report = advise_profile(Profile("t", tool, "operator", capture, Chip(), (op,)), Request(), knowledge())
    assert any("flushes L2" in text for text in report.warnings) is warned


# --- usage rates are of other builds' ceilings


def test_usage_rates_of_another_build_change_nothing(tmp_path: Path) -> None:
    """Builds of the tool differ in the ceiling they divide by, up to 30-fold: only volumes and times are used."""
    source = SAMPLES / "msopprof" / "whole-vector"
    shutil.copytree(source, tmp_path / "copy")
    changed = 0
    for path in (tmp_path / "copy").rglob("*.csv"):
        with path.open(encoding="utf-8", newline="") as stream:
            header, *rows = list(csv.reader(stream))
        places = [place for place, name in enumerate(header) if "bw_usage_rate" in name]
        for row in rows:
            for place in places:
                row[place] = "3.25" if row[place].replace(".", "").isdigit() else row[place]
                changed += 1
        with path.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows([header, *rows])
    assert changed, "the sample holds no such column"
    one, two = (advise([path], Request(), knowledge()) for path in (source, tmp_path / "copy"))
    assert one.findings and told(one) == told(two)
    assert not any("usage_rate" in name for name in BY_ID)


# --- chip unknown: nothing that needs its peaks


def _unknown(chip: Chip) -> Report:
    shape = Tensor((4096, 4096), "float16", "ND")
    op = Operator(
        "k", "Add", "vector", 1, Measure(500.0, "us", "t"), 500.0, inputs=(shape, shape), outputs=(shape,), block_dim=8,
        counters={"aiv_mte2_ratio": Measure(0.92, "1", "t"), "aiv_vec_ratio": Measure(0.1, "1", "t")},
    )  # fmt: skip
    return advise_profile(
        Profile("t", "op_summary", "operator", Capture("msprof"), chip, (op,)), Request(), knowledge()
    )


def test_without_a_chip_no_claim_rests_on_a_peak() -> None:
    unknown, known = _unknown(Chip()), _unknown(Chip("Ascend910B2", basis="stated"))

    def peaks(report: Report) -> set[str]:
        readings = [*report.key_data, *(item for finding in report.findings for item in finding.evidence)]
        return {item.metric for item in readings} & PEAK_BASED

    assert peaks(known) and not peaks(unknown)
    assert unknown.findings, "pipes still speak"
    assert any(text.startswith("chip unknown") for text in unknown.warnings)
    assert not any(
        "floor" in finding.summary or "bandwidth" in finding.summary for finding in unknown.findings
    )
    assert "roofline" not in unknown.headline


def test_every_peak_based_metric_needs_a_chip() -> None:
    shape = Tensor((1024, 1024), "float16", "ND")
    counters = {"aic_mac_ratio": Measure(0.4, "1", "t")}
    op = Operator(
        "m", "MatMulV2", "cube", 1, Measure(50.0, "us", "t"), 50.0, inputs=(shape, shape), outputs=(shape,),
        counters=counters,
    )  # fmt: skip
    profile = Profile("t", "op_summary", "operator", Capture("msprof"), Chip(), (op,))
    with_chip = measure_profile(profile, (load("Ascend910B2"),)).operators[0].values.keys()
    without = measure_profile(profile, ()).operators[0].values.keys()
    assert {"memory_floor_us", "compute_floor_us", "floor_ratio"} <= with_chip
    assert not without & PEAK_BASED


# --- the clock below its rating


@pytest.mark.parametrize(("ratio", "drops"), [(0.96, False), (0.95, False), (0.94, True), (0.7, True)])
def test_a_clock_below_its_rating_is_said_first(ratio: float, drops: bool) -> None:
    diagnosis = judged({"clock_ratio": ratio})
    drop = next((f for f in diagnosis.findings if f.pattern == "frequency-drop"), None)
    assert (drop is not None) is drops
    if drop is not None:
        assert drop.headroom == pytest.approx(1 - ratio), "what the clock took is no more than that"


# --- a capture that contradicts the stated size


def test_a_contradicted_capture_is_said_instead_of_advice() -> None:
    slow = {"aiv_scalar_ratio": 0.95, "aiv_vec_ratio": 0.01, "max_pipe_ratio": 0.95}
    assert "scalar-bound-vector" in found(slow)
    diagnosis = judged({**slow, "moved_bytes_share": 0.001, "read_bytes": 4096.0, "write_bytes": 2048.0})
    assert [f.pattern for f in diagnosis.findings] == ["capture-contradicts-size"]
    assert diagnosis.findings[0].headroom == 0.0
    assert "scalar-bound-vector" in found({**slow, "moved_bytes_share": 0.9})


# --- parents and children

CHILDREN = {name: rule.parent for name, rule in registry().items() if rule.parent is not None}


def test_parents_exist_and_have_no_parents() -> None:
    assert CHILDREN, "no relation is declared"
    for child, parent in CHILDREN.items():
        assert parent in registry() and parent not in CHILDREN, child
        assert registry()[child].scope == registry()[parent].scope == "operator"


def test_a_child_counts_only_with_its_parent() -> None:
    """A hand-written product short of operands; the scalar unit busier than the copies takes the parent away."""
    hungry = {"aic_mte2_ratio": 0.7, "aic_mac_ratio": 0.2, "max_pipe_ratio": 0.7}
    labels = {"core": "cube", "op_pattern": "matmul", "hand_written": "yes"}
    both = judged(hungry, **labels).findings
    child = next(f for f in both if f.pattern == "gemm-memory-limited-triton")
    assert child.parent == "mte2-bound-cube-hungry" in {f.pattern for f in both}
    busier = {**hungry, "aic_scalar_ratio": 0.8, "max_pipe_ratio": 0.8}
    assert not found(busier, **labels) & {"mte2-bound-cube-hungry", "gemm-memory-limited-triton"}
    rule = registry()["gemm-memory-limited-triton"]
    alone = Features(None, {name: Measure(value, "1", "t") for name, value in busier.items()}, labels)
    assert rule.judge is not None and rule.judge(alone) is not None, "the child by itself would hold"


def test_a_child_of_a_parent_that_is_explained_better_does_not_count() -> None:
    """Few rows: the product streams its weight, whatever its blocks are."""
    values = {
        "aic_mte2_ratio": 0.9, "aic_mac_ratio": 0.02, "max_pipe_ratio": 0.9, "matmul_m": 4.0, "matmul_n": 4096.0,
        "matmul_k": 4096.0,
    }  # fmt: skip
    names = found(values, core="cube", op_pattern="matmul", hand_written="yes")
    assert "gemv-small-m" in names
    assert not names & {"mte2-bound-cube-hungry", "gemm-memory-limited-triton"}


# --- bands where sources disagree


@pytest.mark.parametrize(
    ("pattern", "metric", "low", "high", "rest"),
    [
        # PTO guide 60 %, a community skill 50 %, the vendor's advisor 95 %
        ("mte2-bound-cube-hungry", "aic_mte2_ratio", 0.55, 0.9, {"core": "cube", "aic_mac_ratio": 0.1}),
        # an older vendor rule 4 %, a community skill 5 % watch and 15 % act
        ("bank-conflict", "aiv_vec_total_cflt_ratio", 0.06, 0.16, {"aiv_vec_ratio": 0.5}),
        # a community skill 65 to 80 %, the advisor 70 %
        ("vector-compute-bound", "aiv_vec_ratio", 0.66, 0.9, {"aiv_mte2_ratio": 0.1}),
        # spread below 10 % balanced, above 30 % fix first
        ("core-imbalance", "core_time_imbalance", 0.12, 0.4, {"working_cores": 48.0, "block_dim": 48.0}),
        # scalar 30 % (community), 80 % (an older vendor rule)
        ("scalar-bound-vector", "aiv_scalar_ratio", 0.35, 0.9, {"aiv_vec_ratio": 0.1}),
        ("head-overhead", "head_overhead_share", 0.35, 0.7, {}),
    ],
)
def test_between_the_limits_of_two_sources_a_judgement_is_less_sure(
    pattern: str, metric: str, low: float, high: float, rest: dict[str, float | str]
) -> None:
    labels = {name: value for name, value in rest.items() if isinstance(value, str)}
    readings = {name: value for name, value in rest.items() if not isinstance(value, str)}

    def sure(reached: float) -> float:
        shares = [value for name, value in {**readings, metric: reached}.items() if name.endswith("_ratio")]
        values = {**readings, metric: reached, "max_pipe_ratio": max(shares, default=0.6)}
        return next(f.confidence for f in judged(values, **labels).findings if f.pattern == pattern)

    assert sure(low) < sure(high)
    assert sure(low) <= 0.75


def test_the_watch_band_of_copies_promises_nothing_and_ends_where_the_lowest_source_does() -> None:
    def hungry(mte2: float, **more: float) -> set[str]:
        values = {"aic_mte2_ratio": mte2, "max_pipe_ratio": mte2, **more}
        return found(values, core="mix", op_pattern="attention")

    pattern = "mte2-bound-cube-hungry"
    assert pattern in hungry(0.52)
    assert pattern not in hungry(0.49)
    assert pattern not in hungry(0.52, aic_mac_ratio=0.45), "no longer than the cube's own work"
    assert pattern not in found(
        {"aic_mte2_ratio": 0.52, "aic_scalar_ratio": 0.6, "max_pipe_ratio": 0.6}, core="cube"
    )
    values = {"aic_mte2_ratio": 0.52, "max_pipe_ratio": 0.52}
    finding = next(
        f for f in judged(values, core="mix", op_pattern="attention").findings if f.pattern == pattern
    )
    assert finding.confidence < 0.5, "below the mark from which the low end of a gain is more than zero"


def test_disagreeing_sources_are_named() -> None:
    for key in (
        ("mte2-bound-cube-hungry", "watch"),
        ("bank-conflict", "conflict"),
        ("vector-compute-bound", "vector"),
    ):
        assert "(" in thresholds()[key].source, "the other source stands in brackets"


# --- who can do it


def test_for_keeps_only_what_that_person_can_do_and_the_order() -> None:
    report = advise([SAMPLES / "kernel_details" / "whole-detector"], Request(top=60), knowledge())
    kinds = {item.who for item in report.recommendations} - {""}
    assert len(kinds) > 1, "nothing to filter"
    for who in kinds:
        some = narrow(report, Request(who=who, top=60)).recommendations
        wanted = [item.id for item in report.recommendations if item.who in ("", who)]
        assert [item.id for item in some] == wanted
        assert [item.rank for item in some] == list(range(1, len(some) + 1))


# --- kernels so short or small that start-up weighs on every share


def test_late_instructions_of_a_short_kernel_may_be_a_cold_start() -> None:
    sure = {}
    for took in (7.0, 500.0):
        readings = {"aiv_scalar_wait_ib_ratio": 0.39, "task_duration_us": took}
        (one,) = [item for item in judged(readings).findings if item.pattern == "icache-miss"]
        sure[took] = one.confidence
        assert ("cold" in one.summary) is (took == 7.0)
    assert sure[7.0] <= 0.4
    assert sure[500.0] > 0.9


def test_just_above_the_smallest_size_nothing_is_sure() -> None:
    """One recommended transfer a core is judged no surer at 16.1 KB than is refused at 15.9 KB."""
    short = {"task_duration_us": 4.5, "write_bytes": 0.0, "working_cores": 8.0, "aiv_mte2_ratio": 0.77}
    copies = {**short, "bytes_per_mte2_instruction": 480.0, "mte2_instructions": 272.0}

    def at(kib: float) -> Diagnosis:
        return judged({**copies, "read_bytes": 8 * kib * 1024})

    assert not at(15.9).findings
    near, far = at(16.1), at(40)
    assert [item.pattern for item in near.findings] == [item.pattern for item in far.findings] != []
    assert all(
        one.confidence == pytest.approx(0.6 * other.confidence, abs=1e-3)
        for one, other in zip(near.findings, far.findings, strict=True)
    )
    assert any("little more than one transfer" in text for text in near.remarks)
    assert not far.remarks


def test_a_matrix_product_in_an_element_loop_wants_the_cube_before_vector_code() -> None:
    loop = {"aiv_scalar_ratio": 1.0, "aiv_vec_ratio": 0.0}
    product = judged(loop, op_pattern="matmul", hand_written="yes")
    assert [item.pattern for item in product.findings][:2] == ["cube-idle-no-dot", "scalar-bound-vector"]
    assert judged(loop, op_pattern="elementwise").findings[0].pattern == "scalar-bound-vector"


def test_a_real_product_on_vector_cores_is_sent_to_the_cube(shared_profiles: Path) -> None:
    report = advise([shared_profiles / "matmul-scalar-to-cube" / "before"])
    assert report.findings[0].pattern == "cube-idle-no-dot"
    assert report.recommendations[0].id == "matmul-scalar-loop-to-cube-api"
    basis = {item.id: item.gain.basis for item in report.recommendations}
    assert "99.4" not in basis["vector-scalar-loop-to-vector-api"]


def test_cores_that_work_longer_than_their_task_are_not_judged(tmp_path: Path) -> None:
    """A slip of milliseconds and microseconds, or tables of another kernel in the folder."""
    readings = {"task_duration_us": 0.69, "aiv_time_us": 690.0, "aiv_scalar_ratio": 0.9}
    made = judged(readings)
    assert not made.findings
    assert "one of the two is wrong" in made.not_judged[0].reason
    assert judged({**readings, "task_duration_us": 692.0}).findings


def test_tables_of_two_kernels_make_nothing_sure(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "data" / "samples" / "add_custom", tmp_path / "c")
    whole = advise([tmp_path / "c"])
    (pipes,) = (tmp_path / "c").rglob("PipeUtilization*.csv")
    text = pipes.read_text(encoding="utf-8")
    header = text.splitlines()[0].split(",")
    place = header.index("aiv_total_cycles")
    lines = [line.split(",") for line in text.splitlines()]
    for cells in lines[1:]:
        cells[place] = str(int(float(cells[place])) * 3)
    pipes.write_text("\n".join(map(",".join, lines)) + "\n", encoding="utf-8")
    mixed = advise([tmp_path / "c"])
    assert (
        max(item.confidence for item in whole.findings)
        > 0.4
        >= max(item.confidence for item in mixed.findings)
    )
    assert "not of one kernel" in mixed.warnings[0]


def test_a_floor_counts_what_surely_moves() -> None:
    """A fill does not read the tensor that it takes the shape of, and a cache is an output of which a call writes a few rows."""
    big = Tensor((1167, 128, 576), "DT_BF16", "ND")
    duration = Measure(50.0, "us", "t")

    def moved(kind: str) -> float | None:
        op = Operator(kind, kind, "vector", 1, duration, 50.0, inputs=(big,), outputs=(big,))
        return must_move(op, operators.pattern(kind) or "")

    size = 1167 * 128 * 576 * 2
    assert (moved("ZerosLike"), moved("TensorMove")) == (size, 2 * size)
    assert moved("KvRmsNormRopeCache") is None


def test_a_floor_of_bytes_alone_says_so_where_the_work_is_multiplying() -> None:
    far = {"floor_ratio": 0.002, "floor_us": 16.0, "task_duration_us": 7000.0, "compute_time_share": 0.5}
    (one,) = [
        item for item in judged(far, op_pattern="attention").findings if item.pattern == "far-from-floor"
    ]
    assert "counts bytes alone" in one.summary
    (other,) = [
        item for item in judged(far, op_pattern="softmax").findings if item.pattern == "far-from-floor"
    ]
    assert "counts bytes alone" not in other.summary
