"""visualize_data.bin alone: basics, per-core readings, advice, and a walk that damage cannot derail."""

from __future__ import annotations

import shutil
import struct
from pathlib import Path

import pytest
from running import ROOT

from kb.engine.pipeline import Knowledge, advise
from kb.engine.readers import read, visualize
from kb.engine.readers.visualize_cores import Cores, add_block, only_here
from kb.errors import SourceError
from tools.samples.visual import block, vector

SAMPLES = ROOT / "tests" / "samples" / "visualize_data"


def test_a_vector_kernel() -> None:
    profile = read([SAMPLES / "whole-vector.bin"])
    (op,) = profile.operators
    assert (op.name, op.core, op.block_dim, op.mix_block_dim) == ("scale_custom", "vector", 2, None)
    assert (op.duration.value, profile.chip.soc, profile.chip.basis) == (31.25, "Ascend910B2", "file")
    slow = op.cores[1].values
    assert slow["aiv_time_us"] == 28.0 and slow["aiv_vec_ratio"] == pytest.approx(0.1)
    assert slow["aiv_mte2_ratio"] == 0.5 and slow["aiv_mte2_instructions"] == 64
    assert slow["aiv_mte2_wait_ratio"] == pytest.approx(900 / 50400)
    assert not [name for name in slow if "mte1" in name or "fixpipe" in name]
    assert len(profile.tool_advice) == 2


def test_a_mix_kernel_with_foreign_and_damaged_blocks() -> None:
    profile = read([SAMPLES / "odd-mix.bin"])
    (op,) = profile.operators
    assert (op.core, op.block_dim, op.mix_block_dim) == ("mix", 2, 4)
    assert [(c.block, c.sub_block) for c in op.cores] == [
        (0, "cube0"), (0, "vector0"), (0, "vector1"), (1, "cube0"), (1, "vector0"),
    ]  # fmt: skip
    assert op.cores[0].values == {"aic_time_us": 25.5}
    assert "block-skipped" in [notice.code for notice in profile.notices]
    assert profile.tool_advice == (
        "core1 vector1 took more time than other core.",
        "core0 cache hit rate lower than other core.",
    )


def test_readings_agree_with_the_csvs_of_the_same_run(shared_profiles: Path) -> None:
    folder = shared_profiles / "cummin-s1-rounds" / "round_000"
    (alone,) = read([folder / "visualize_data.bin"]).operators
    (whole,) = read([folder]).operators
    assert alone.duration.value == pytest.approx(whole.duration.value)
    compared = 0
    for mine, theirs in zip(alone.cores, whole.cores, strict=True):
        for name, value in mine.values.items():
            if name in theirs.values:
                assert value == pytest.approx(theirs.values[name], rel=1e-3, abs=2e-6), name
                compared += 1
    assert compared >= 4 * 12


@pytest.mark.parametrize(
    "data",
    [
        vector()[:700],
        vector()[: len(vector()) - 7],
        block(5, {"duration": 5.0, "block_detail": {"row": 7, "head_name": {}}}),
        block(5, {"duration": "5.0", "name": ["x"], "soc": 3, "block_dim": "-1", "advice": {"a": 1}}),
        block(5, {"duration": 5}) + block(8, {"core_memory_map": [1, {"core_no": "x", "Vector": 3}]}),
        block(5, {"duration": 5}) + block(9, {"table_per_block": [{"block_id": "0", "table_detail": [{"row": [[1]]}]}]}),
        block(5, {"duration": 5}) + struct.pack("<QBBBB", 2**63, 9, 0, 0x5A, 0x5A),
        block(5, {"duration": 5}) + block(5, b"[" * 100_000),
    ],
)  # fmt: skip
def test_damage_never_hides_what_was_read(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "v.bin"
    path.write_bytes(data)
    (op,) = read([path]).operators
    assert op.duration.value > 0


def test_a_declared_size_beyond_the_file_is_not_allocated(tmp_path: Path) -> None:
    path = tmp_path / "v.bin"
    path.write_bytes(struct.pack("<QBBBB", 10 << 30, 5, 0, 0x5A, 0x5A) + b"{}")
    with pytest.raises(SourceError, match="binary file that is no profile"):
        read([path])


def test_endless_blocks_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visualize, "MOST_BLOCKS", 5)
    path = tmp_path / "v.bin"
    path.write_bytes(block(5, {"duration": 5}) + struct.pack("<QBBBB", 0, 2, 0, 0x5A, 0x5A) * 50)
    assert "file-cut-off" in [notice.code for notice in read([path]).notices]


def test_no_duration_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "v.bin"
    path.write_bytes(block(5, {"name": "x"}))
    with pytest.raises(SourceError, match="holds no duration"):
        read([path])


def test_what_no_csv_has() -> None:
    """Instruction-cache requests and misses, waiting cycles and vector instructions, per core."""
    (op,) = read([SAMPLES / "whole-vector.bin"]).operators
    values = op.cores[0].values
    assert (values["aiv_icache_requests"], values["aiv_icache_misses"]) == (2000.0, 40.0)
    assert values["aiv_icache_miss_rate"] == pytest.approx(0.02)
    assert (values["aiv_scalar_wait_cycles"], values["aiv_mte2_wait_cycles"]) == (90.0, 900.0)
    assert (values["aiv_vec_total_instr_number"], values["aiv_vec_fp16_instr_number"]) == (300.0, 256.0)
    assert (values["aiv_total_hit_rate"], values["aiv_read_hit_rate"]) == (75.0, 90.0)
    assert not [name for name in values if name.startswith("aic_")]


def test_it_adds_to_the_tables_what_they_lack_and_nothing_else(tmp_path: Path) -> None:
    shutil.copytree(SAMPLES.parent / "msopprof" / "whole-vector", tmp_path / "run")
    (alone,) = read([tmp_path / "run"]).operators
    shutil.copy(SAMPLES / "whole-vector.bin", tmp_path / "run" / "visualize_data.bin")
    (both,) = read([tmp_path / "run"]).operators
    assert [core.sub_block for core in both.cores] == [core.sub_block for core in alone.cores]
    for core, other in zip(both.cores, alone.cores, strict=True):
        added = core.values.keys() - other.values.keys()
        assert (
            added == (only_here() & core.values.keys())
            and {n: core.values[n] for n in other.values} == other.values
        )
    assert both.cores[0].values["aiv_icache_requests"] == 2000.0


def test_caches_of_a_mix_kernel_belong_to_no_core() -> None:
    cores: Cores = {}
    row = {"name": "iCache Total", "value": ["90", "10", "100", "90"]}
    table = {"table_name": "Cache", "header_name": ["", "hit", "miss", "total", "hit rate(%)"], "row": [row]}
    add_block(9, {"table_per_block": [{"block_id": "0", "table_detail": [table]}]}, "mix", cores)
    assert cores == {}
    add_block(9, {"table_per_block": [{"block_id": "0", "table_detail": [table]}]}, "cube", cores)
    assert cores[0, "cube0"]["aic_icache_miss_rate"] == pytest.approx(0.1)


@pytest.mark.parametrize(
    "item",
    [
        {"block_id": "0", "block_type": "vector", "name": "Vector FP32", "unit": 0, "value": "5"},
        {"block_id": "x", "block_type": "vector", "name": "Vector FP32", "unit": 1, "value": "5"},
        {"block_id": "0", "block_type": "tensor", "name": "Vector FP32", "unit": 1, "value": "5"},
        {"block_id": "0", "block_type": "cube0", "name": "Vector FP32", "unit": 1, "value": "5"},
        {"block_id": "0", "block_type": "vector", "name": "Vector Wait", "unit": 1, "value": "17"},
        {"block_id": "0", "block_type": "vector", "name": None, "unit": 1, "value": [1]},
        "text",
    ],
)
def test_entries_that_mean_nothing_known_are_left_alone(item: object) -> None:
    cores: Cores = {}
    add_block(7, {"subblock_detail": [item]}, "vector", cores)
    assert cores == {}


def test_what_the_tool_itself_remarks_is_said_in_the_report() -> None:
    report = advise([SAMPLES / "whole-vector.bin"], knowledge=Knowledge({}, lambda *_: {}))
    (said,) = [line for line in report.warnings if "own remarks" in line]
    assert read([SAMPLES / "whole-vector.bin"]).tool_advice[0].rstrip(".") in said
