"""Every real profile of the index: read with the right rows and facts, or refused for the right reason."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import pytest

from kb.engine.readers import read
from kb.errors import SourceError
from kb.model import Operator, Profile

READ_KINDS = ("msopprof", "OpBasicInfo")


@dataclass(frozen=True)
class Case:
    """What the arithmetic on the raw file says."""

    path: str
    operators: int
    rows: int
    lost: int = 0
    notices: tuple[str, ...] = ()


JOBS = [
    Case("as-strided-slice-20x", 1, 20, 0, ("chip-inferred", "host-calls")),
    Case("cube-ops-quoted-time", 8, 29, 0, ("chip-inferred",)),
    Case("matmul-scalar-to-cube/before", 1, 55, 0, ("chip-inferred", "host-calls", "level0", "zero-times")),
    Case("matmul-scalar-to-cube/after", 1, 8400, 0, ("chip-inferred", "host-calls", "level0", "zero-times")),
    Case("matmul-triton-ktile/before-1024", 5, 15, 0, ("chip-inferred",)),
    Case("matmul-triton-ktile/after-2048", 5, 15, 0, ("chip-inferred",)),
    Case("msprof-add-single-kernel", 1, 1, 0, ("chip-inferred", "host-calls")),
    Case("msprof-mix-scalar-bound-sanitized", 1, 2, 0, ("chip-inferred",)),
    Case("msprof-relu-ascendc-level0", 1, 700, 0, ("chip-inferred", "host-calls", "level0", "zero-times")),
    Case("narrow-copy-persistent", 3, 7, 0, ("chip-inferred",)),
    Case("op-summary-excel-mangled", 4, 4, 0, ("excel-mangled",)),
    Case(
        "op-summary-ragged-rows", 13, 21, 0, ("cells-damaged", "chip-inferred", "ragged-rows", "zero-times")
    ),
    Case("op-summary-truncated", 1, 250, 1, ("chip-inferred", "level0", "row-cut-off", "zero-times")),
    Case("sage-attention-mix-head", 1, 3, 0, ("chip-inferred",)),
    Case("torch-cnn-level0-rank0", 44, 191, 0, ("host-operators", "level0")),
    Case("torch-cnn-level1-rank0", 135, 191, 0, ("chip-inferred", "host-calls")),
    Case("torch-gpt3-2023-rank1", 19, 22, 0, ("chip-inferred", "host-operators")),
    Case("torch-llm-pp2-level2", 113, 2463, 0, ("chip-inferred", "host-calls")),
    Case("vllm-dsv3-prefill", 76, 3143, 0, ("chip-inferred", "collective-twins")),
    Case("vllm-qwen3-32b-decode", 58, 952, 0, ("chip-inferred", "collective-twins", "zero-times")),
]

REFUSED = {
    "msprof-empty-files": "every file is empty",
    "lfs-pointer-csv": "Git LFS pointer",
    "foreign-edge-npu-op": "edge NPU",
    "sqlite-no-tables": "without a single table",
}

EXPECTED = Path(__file__).with_name("expected_index.tsv")


@dataclass(frozen=True)
class Outcome:
    """What becomes of one file of the index given alone: reader, rows used and lost, notices; or the refusal."""

    file: str
    reader: str
    rows: str
    lost: str
    text: str


def outcomes() -> list[Outcome]:
    lines = EXPECTED.read_text(encoding="utf-8").splitlines()[1:]
    rows = (line.split("\t") for line in lines)
    return [Outcome(f"{case}/{file}", *rest) for case, file, *rest in rows]


def index(root: Path) -> list[dict[str, str]]:
    with (root / "INDEX.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def captures(root: Path) -> list[str]:
    """Folders of msopprof device tables, by the index."""
    folders = {
        f"{row['case']}/{row['file']}".rpartition("/")[0]
        for row in index(root)
        if row["kind"] == "msopprof-device" and row["file"].endswith(".csv")
    }
    return sorted(folders)


def test_every_msopprof_capture_of_the_index_reads(shared_profiles: Path) -> None:
    folders = captures(shared_profiles)
    assert len(folders) == 13
    for folder in folders:
        profile = read([shared_profiles / folder])
        (op,) = profile.operators
        assert profile.source == "msopprof" and op.cores and op.duration.value > 0, folder
        assert not [file for file in profile.files if file.rows_lost], folder
        wanted = {
            row["file"].rpartition("/")[2].removesuffix(".csv"): int(row["rows"])
            for row in index(shared_profiles)
            if f"{row['case']}/{row['file']}".rpartition("/")[0] == folder and row["file"].endswith(".csv")
        }
        assert {
            file.kind: file.rows for file in profile.files if file.rows and file.kind != "visualize_data"
        } == wanted, folder
        for file in profile.files:
            check_cells(shared_profiles / folder / file.path, op)


def check_cells(path: Path, op: Operator) -> None:
    """Vector shares of PipeUtilization, cell by cell, read a second way."""
    if path.name != "PipeUtilization.csv":
        return
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        (core,) = [
            c for c in op.cores if (str(c.block), c.sub_block) == (row["block_id"], row["sub_block_id"])
        ]
        for column, name in (
            ("aiv_vec_ratio", "aiv_vec_ratio"),
            ("aic_cube_ratio", "aic_mac_ratio"),
            ("aiv_time(us)", "aiv_time_us"),
        ):
            if row[column] == "NA":
                assert name not in core.values
            else:
                assert core.values[name] == float(row[column])


def test_facts_of_the_captures(shared_profiles: Path) -> None:
    def one(name: str) -> tuple[Profile, Operator]:
        profile = read([shared_profiles / name])
        return profile, profile.operators[0]

    profile, op = one("cann852-mix-1block")
    assert (op.core, op.block_dim, op.mix_block_dim, op.duration.value) == ("mix", 1, 2, 9.22)
    # 0.139630 x 9.0 us = 1.2567 us of 2.774: 3.24 times; 0.034877 x 9.0 = 0.3139 of 6.222: 1.45 times
    assert "1.45 to 3.24" in next(n.text for n in profile.notices if n.code == "ratio-denominator")
    assert profile.capture.cann_version == ">= 8.3.RC1, <= 8.5.2 (header)"
    profile, op = one("ascend950-vector-8core")
    assert (op.core, op.block_dim, op.duration.computed) == ("vector", 8, True)
    assert "multi-pass" in {n.code for n in profile.notices}
    assert all("95" in name for name in profile.chip.candidates)
    profile, op = one("a3-post-kernel-1core")
    assert (op.name, op.duration.value, op.attributes["folder"]) == ("post_kernel", 6.960139, "Default")
    assert "Ascend910_9382" in profile.chip.candidates and profile.capture.cann_version == ">= 9.0.0 (header)"
    profile, op = one("attn-bwd-batch-cast/before")
    assert sorted(core.values["aiv_time_us"] > 100 for core in op.cores) == [False] * 8 + [True] * 16
    assert {"Ascend910B2", "Ascend910B3"} <= set(profile.chip.candidates)
    profile, op = one("complex-all-scalar-48core")
    assert len(op.cores) == 48 and "Ascend910B3" not in profile.chip.candidates  # it has 40 vector cores
    profile, op = one("cummin-s1-rounds/round_000")
    assert (profile.chip.soc, profile.chip.basis, op.clock_mhz) == ("Ascend910B2", "file", None)
    assert "aivector compute usage lower than 20%" in profile.tool_advice


def test_a_lone_visualize_file(shared_profiles: Path) -> None:
    profile = read([shared_profiles / "insight-mix-visualize-bin"])
    (op,) = profile.operators
    assert (profile.chip.soc, op.core, op.block_dim, op.mix_block_dim, len(op.cores)) == (
        "Ascend910B4",
        "mix",
        2,
        4,
        6,
    )
    times = {(c.block, c.sub_block): c.values for c in op.cores}
    assert (
        times[0, "vector0"]["aiv_time_us"] == 133.206055 and times[0, "vector1"]["aiv_time_us"] == 247.620605
    )
    assert times[0, "cube0"]["aic_fixpipe_ratio"] == pytest.approx(0.52626453)
    assert "core1 vector1 took more time than other core." in profile.tool_advice


@pytest.mark.parametrize("case", JOBS, ids=lambda case: case.path)
def test_rows_used_and_lost(shared_profiles: Path, case: Case) -> None:
    profile = read([shared_profiles / case.path])
    main = profile.files[0]
    assert (len(profile.operators), main.rows, main.rows_lost) == (case.operators, case.rows, case.lost)
    assert tuple(sorted({notice.code for notice in profile.notices})) == case.notices
    twins = sum(int(op.attributes.get("twin_rows", 0)) for op in profile.operators)
    assert sum(op.count for op in profile.operators) + twins == case.rows


def test_totals_are_those_of_the_file(shared_profiles: Path) -> None:
    path = shared_profiles / "torch-llm-pp2-level2/rank_0_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv"
    sums: dict[str, float] = {}
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            sums[row["Type"]] = sums.get(row["Type"], 0.0) + float(row["Duration(us)"])
    found: dict[str, float] = {}
    for op in read([path]).operators:
        found[op.type or ""] = found.get(op.type or "", 0.0) + op.total_us
    assert found == pytest.approx(sums)


def test_our_union_of_intervals_agrees_with_the_vendor_s(shared_profiles: Path) -> None:
    """Without the step trace beside it, compute, communication and exposed come out the same to a tenth of a percent."""
    for case in ("torch-cnn-level1-rank0", "torch-cnn-level0-rank0", "torch-llm-pp2-level2/rank_0_ascend_pt"):
        folder = shared_profiles / case / "ASCEND_PROFILER_OUTPUT"
        theirs, ours = read([folder]).times, read([folder / "kernel_details.csv"]).times
        for part in ("compute", "communication", "exposed"):
            one, other = getattr(ours, part), getattr(theirs, part)
            assert "step_trace" in other.origin and one.computed
            assert one.value == pytest.approx(other.value, rel=1e-3), (case, part)


def test_ranks_of_a_job(shared_profiles: Path) -> None:
    profile = read([shared_profiles / "torch-llm-pp2-level2"])
    assert [rank.name for rank in profile.ranks] == ["rank 0", "rank 1", "rank 2", "rank 3"]
    assert (profile.capture.cann_version, profile.capture.tool_version) == ("8.3.RC1", "torch_npu 2.7.1")
    assert profile.times.compute and profile.times.compute.value == pytest.approx(
        231290.1
    )  # rank 0, the only one with kernels
    cluster = read([shared_profiles / "cluster-step-trace-8rank"])
    assert [rank.name for rank in cluster.ranks] == [f"rank {n}" for n in range(8)]
    assert [op.type for op in cluster.operators] == ["hcom_broadcast_"]
    assert cluster.files[0].rows == 9


def test_collectives_and_their_helpers(shared_profiles: Path) -> None:
    """168 AI CPU rows (289989 + 135000 us) and one AivKernel row (9.54 us) repeat collectives."""
    profile = read([shared_profiles / "vllm-dsv3-prefill"])
    assert not [op for op in profile.operators if op.core == "ai_cpu"]
    notice = next(n for n in profile.notices if n.code == "collective-twins")
    assert "169 helper rows (424999 us)" in notice.text
    assert profile.times.communication and profile.times.communication.value == pytest.approx(94055.5, abs=1)


def test_a_name_that_lies(shared_profiles: Path) -> None:
    profile = read([shared_profiles / "mislabelled-op-summary"])
    assert profile.source == "op_statistic"
    assert (profile.operators[0].count, profile.operators[0].total_us) == (25, 51.02)


@pytest.mark.parametrize("name", REFUSED)
def test_refused_for_the_right_reason(shared_profiles: Path, name: str) -> None:
    with pytest.raises(SourceError, match=REFUSED[name]) as caught:
        read([shared_profiles / name])
    assert caught.value.now and caught.value.exit_status == 3


@pytest.mark.parametrize("expected", outcomes(), ids=lambda expected: expected.file)
def test_every_file_of_the_index(shared_profiles: Path, expected: Outcome) -> None:
    path = shared_profiles / expected.file
    if expected.reader == "-":
        with pytest.raises(SourceError) as caught:
            read([path])
        assert (caught.value.what, caught.value.exit_status) == (expected.text, 3)
        assert caught.value.now and str(path) in caught.value.where
        return
    profile = read([path])
    main = profile.files[0]
    found = (profile.source, str(main.rows), str(main.rows_lost))
    assert found == (expected.reader, expected.rows, expected.lost)
    assert sorted({notice.code for notice in profile.notices}) == [
        code for code in expected.text.split(",") if code
    ]


def test_the_rows_of_the_index_are_all_accounted_for(shared_profiles: Path) -> None:
    """The index counts rows of its own; rows used and lost add up to them, and no file is missing."""
    listed = {f"{row['case']}/{row['file']}": row["rows"] for row in index(shared_profiles)}
    found = {expected.file: expected for expected in outcomes()}
    assert listed.keys() == found.keys()
    counted = [name for name, rows in listed.items() if rows.isdigit() and found[name].reader != "-"]
    assert len(counted) > 140
    wrong = [name for name in counted if int(found[name].rows) + int(found[name].lost) != int(listed[name])]
    assert wrong == []


def test_one_run_says_the_same_in_every_format(shared_profiles: Path) -> None:
    """Table, trace, task times and database of one run: kernels, time and idle time agree to a tenth of a percent."""
    folder = shared_profiles / "msprof-relu-ascendc-level0"
    profiles = [read([path]) for path in sorted(folder.iterdir()) if "api_statistic" not in path.name]
    assert {profile.source for profile in profiles} == {"op_summary", "task_time", "trace", "database"}
    for profile in profiles:
        assert sum(op.count for op in profile.operators) == 700
        assert profile.times.busy and profile.times.busy.value == pytest.approx(1406.304, rel=1e-3)
        assert profile.times.idle and profile.times.idle.value == pytest.approx(3395.772, rel=1e-3)
    table, trace = (
        read([shared_profiles / "torch-cnn-level0-rank0" / "ASCEND_PROFILER_OUTPUT" / name])
        for name in ("kernel_details.csv", "trace_view.json")
    )
    for part in ("compute", "communication", "exposed", "idle"):
        one, other = getattr(table.times, part), getattr(trace.times, part)
        assert one.value == pytest.approx(other.value, rel=1e-3), part


def test_a_database_agrees_with_the_vendor_s_own_sums(shared_profiles: Path) -> None:
    """analysis.db beside it: computing 8903.431, exposed 98071.947, free 25258.144 us."""
    folder = shared_profiles / "torch-cnn-level1-rank0" / "db"
    ours, theirs = read([folder / "ascend_pytorch_profiler_0.db"]), read([folder / "analysis.db"])
    for part in ("compute", "communication", "exposed", "idle"):
        one, other = getattr(ours.times, part), getattr(theirs.times, part)
        assert one.value == pytest.approx(other.value, rel=1e-6), part
    both = read([folder])
    assert both.times.waiting and both.times.waiting.value == pytest.approx(
        102_108.1 - 3985.66, abs=0.1
    )  # all but transit
    assert (both.capture.tool, both.capture.tool_version) == ("Ascend PyTorch Profiler", "schema 1.0.0")
    conv = next(op for op in both.operators if op.name == "Conv2DBackpropFilter10")
    assert (conv.core, conv.block_dim, conv.inputs[0].shape) == ("cube", 24, (32, 1, 224, 224, 8))
    assert (
        0 < conv.counters["aic_mac_ratio"].value < 1
        and conv.counters["aic_time_us"].value < conv.duration.value
    )


def test_communication_of_a_rank_and_of_a_cluster(shared_profiles: Path) -> None:
    """Packets of 2.06, 1.94, 8.4, 8.3 MB are small, those of 18.9 MB are not: 38.2 % of 410 MB."""
    profile = read([shared_profiles / "torch-cnn-level1-rank0" / "ASCEND_PROFILER_OUTPUT"])
    assert profile.counters["small_packet_ratio"].value == pytest.approx(0.382, abs=0.001)
    assert profile.counters["link_bandwidth"].value == pytest.approx(15.65, abs=0.01)
    assert profile.times.waiting and profile.times.waiting.value == pytest.approx(
        105_991.88 - 3683.35, abs=0.1
    )
    cluster = read([shared_profiles / "cluster-step-trace-8rank"])
    waits = {rank.name: rank.times.waiting for rank in cluster.ranks}
    assert waits["rank 0"] and waits["rank 1"] and waits["rank 2"] is None
    assert waits["rank 0"].value == pytest.approx(148_844.94 - 8.06, abs=0.1)
    assert waits["rank 1"].value == pytest.approx(38_166.24 - 16.31, abs=0.1)  # nearly all of it idle


def test_mindspore_tables_join(shared_profiles: Path) -> None:
    profile = read([shared_profiles / "mindspore-deepfm-910"])
    first = profile.operators[0]
    assert (first.type, first.block_dim, first.count) == ("UnsortedSegmentSum", 30, 1)
    assert first.duration.value == pytest.approx(4009.942, abs=0.001)  # milliseconds in the file
    assert first.inputs[0].shape == (12000, 39, 8) and first.inputs[0].dtype == "FLOAT16"
    assert sum(op.total_us for op in profile.operators) == pytest.approx(22178.95, abs=0.01)
    steps = read([shared_profiles / "mindspore-910a-run1"]).times
    assert steps.steps == 322 and steps.span and steps.span.value == pytest.approx(66.2116e6, rel=1e-5)


def test_a_truncated_trace_gives_what_is_whole(shared_profiles: Path) -> None:
    profile = read([shared_profiles / "torch-trace-view-truncated"])
    notice = next(notice for notice in profile.notices if notice.code == "file-cut-off")
    assert "the 171 events before it are used" in notice.text and not profile.operators


def test_every_case_of_the_index_is_covered(shared_profiles: Path) -> None:
    covered = {case.path.partition("/")[0] for case in JOBS} | set(REFUSED)
    covered |= {folder.partition("/")[0] for folder in captures(shared_profiles)}
    covered |= {outcome.file.partition("/")[0] for outcome in outcomes()}
    assert {row["case"] for row in index(shared_profiles)} == covered
