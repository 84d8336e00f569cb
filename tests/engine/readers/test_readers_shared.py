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
    Case("as-strided-slice-20x", 1, 20, 0, ("chip-inferred",)),
    Case("cube-ops-quoted-time", 8, 29, 0, ("chip-inferred",)),
    Case("matmul-scalar-to-cube/before", 1, 55, 0, ("chip-inferred", "level0", "zero-times")),
    Case("matmul-scalar-to-cube/after", 1, 8400, 0, ("chip-inferred", "level0", "zero-times")),
    Case("matmul-triton-ktile/before-1024", 5, 15, 0, ("chip-inferred",)),
    Case("matmul-triton-ktile/after-2048", 5, 15, 0, ("chip-inferred",)),
    Case("msprof-add-single-kernel", 1, 1, 0, ("chip-inferred",)),
    Case("msprof-mix-scalar-bound-sanitized", 1, 2, 0, ("chip-inferred",)),
    Case("msprof-relu-ascendc-level0", 1, 700, 0, ("chip-inferred", "level0", "zero-times")),
    Case("narrow-copy-persistent", 3, 7, 0, ("chip-inferred",)),
    Case("op-summary-excel-mangled", 4, 4, 0, ("excel-mangled",)),
    Case("op-summary-ragged-rows", 13, 21, 0, ("chip-inferred", "ragged-rows", "zero-times")),
    Case("op-summary-truncated", 1, 250, 1, ("chip-inferred", "level0", "row-cut-off", "zero-times")),
    Case("sage-attention-mix-head", 1, 3, 0, ("chip-inferred",)),
    Case("torch-cnn-level0-rank0", 44, 191, 0, ("level0",)),
    Case("torch-cnn-level1-rank0", 135, 191, 0, ("chip-inferred",)),
    Case("torch-gpt3-2023-rank1", 19, 22, 0, ("chip-inferred",)),
    Case("torch-llm-pp2-level2", 113, 2463, 0, ("chip-inferred",)),
    Case("vllm-dsv3-prefill", 76, 3143, 0, ("chip-inferred", "collective-twins")),
    Case("vllm-qwen3-32b-decode", 58, 952, 0, ("chip-inferred", "collective-twins", "zero-times")),
]

REFUSED = {
    "msprof-empty-files": "every file is empty",
    "lfs-pointer-csv": "Git LFS pointer",
    "foreign-edge-npu-op": "edge NPU",
    "sqlite-no-tables": "without a single table",
    "op-perf-database": "averaged per shape",
    "mindspore-910a-run1": "MindSpore",
    "mindspore-910a-timeline": "timeline viewer",
    "mindspore-deepfm-910": "MindSpore",
    "msprof-db-minimal": "database of msprof",
    "sim-code-exe-msopgen": "simulator",
    "sim-instr-exe-core3": "simulator",
    "torch-trace-view-truncated": "timeline viewer",
}


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
    assert [rank.name for rank in cluster.ranks] == [f"rank {n}" for n in range(8)] and not cluster.operators
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


def test_every_case_of_the_index_is_covered(shared_profiles: Path) -> None:
    covered = {case.path.partition("/")[0] for case in JOBS} | set(REFUSED)
    covered |= {folder.partition("/")[0] for folder in captures(shared_profiles)}
    covered |= {"insight-mix-visualize-bin", "cluster-step-trace-8rank", "mislabelled-op-summary"}
    assert {row["case"] for row in index(shared_profiles)} == covered
