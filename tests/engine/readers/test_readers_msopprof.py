"""msopprof captures: layouts, joins, absent values, chip and version, and what is wrong with a capture."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from running import ROOT

from kb.engine.readers import read
from kb.errors import SourceError, UsageError
from kb.model import Operator, Profile
from tools.samples import headers, kernels

SAMPLES = ROOT / "tests" / "samples" / "msopprof"


def one(path: Path, **options: str) -> tuple[Profile, Operator]:
    profile = read([path], **options)
    (op,) = profile.operators
    return profile, op


def codes(profile: Profile) -> list[str]:
    return [notice.code for notice in profile.notices]


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SAMPLES / "whole-vector", tmp_path / "OPPROF_1"))


def rewrite(path: Path, *pairs: tuple[str, str]) -> None:
    text = path.read_text()
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text)


def test_a_whole_folder() -> None:
    profile, op = one(SAMPLES / "whole-vector")
    assert (profile.scope, profile.source, profile.capture.tool) == ("operator", "msopprof", "msopprof")
    assert (op.name, op.core, op.block_dim, op.mix_block_dim) == ("softmax_custom", "vector", 6, None)
    assert (op.duration.value, op.duration.unit, op.total_us) == (27.6, "us", 27.6)
    assert op.duration.origin == "OpBasicInfo.csv:Task Duration(us)" and not op.duration.computed
    assert (op.clock_mhz, op.rated_clock_mhz) == (1800, 1800)
    assert [(core.block, core.sub_block) for core in op.cores] == [(n, "vector0") for n in range(6)]
    assert (profile.chip.soc, profile.chip.basis) == ("Ascend910B2", "file")
    assert len(profile.capture.metric_groups) == 7 and len(profile.files) == 9
    assert codes(profile) == []


def test_a_row_with_a_share_far_above_the_whole_is_damaged(capture: Path) -> None:
    """A ratio can pass 1 (short mix kernels, waiting), not 2: the tool divides by whole microseconds, at least by one."""
    table = capture / "PipeUtilization.csv"
    lines = table.read_text().splitlines()
    place = lines[0].split(",").index("aiv_scalar_ratio")
    for n, cell in ((1, "1.9"), (2, "30.2")):
        cells = lines[n].split(",")
        cells[place] = cell
        lines[n] = ",".join(cells)
    table.write_text("\n".join(lines) + "\n")
    profile, op = one(capture)
    assert "rows-lost" in codes(profile)
    assert [core.values.get("aiv_scalar_ratio", 0) > 1 for core in op.cores].count(True) == 1
    assert max(core.values.get("aiv_scalar_ratio", 0) for core in op.cores) == 1.9


def test_tables_join_on_block_and_keep_the_unit_of_the_file() -> None:
    _, op = one(SAMPLES / "whole-vector")
    values = op.cores[0].values
    assert values["aiv_total_cycles"] == 42120  # (27.6 - 4.2) us at 1800 MHz
    assert values["aiv_mte2_ratio"] == pytest.approx(31169 / 42120, abs=1e-6)
    assert values["gm_to_ub_datas"] == 64.0  # KiB
    assert values["aiv_mte2_instructions"] == 8
    assert values["aiv_write_hit_rate"] == pytest.approx(100 * 238 / 256)  # percent, of 256 requests
    assert values["aiv_vec_fops"] == 16384


def test_na_is_absent_never_zero() -> None:
    _, op = one(SAMPLES / "odd-mix")
    cube, vector = op.cores[0], op.cores[1]
    assert (cube.sub_block, vector.sub_block) == ("cube0", "vector0")
    assert not [name for name in cube.values if name.startswith("aiv_")]
    assert not [name for name in vector.values if name.startswith("aic_")]
    assert cube.values["aic_mte3_ratio"] == 0.0


def test_a_mix_kernel_and_its_inflated_ratios() -> None:
    """5.74 us are cut to 5: the busiest pipe of block 0's vector0 has 0.33 x 4.02 us, written as share of 5 us."""
    profile, op = one(SAMPLES / "odd-mix")
    assert (op.core, op.block_dim, op.mix_block_dim, len(op.cores)) == ("mix", 2, 4, 6)
    values = op.cores[1].values
    assert values["aiv_scalar_ratio"] == pytest.approx(0.33 * 4.02 / 5, rel=1e-3)
    assert "ratio-denominator" in codes(profile)
    assert "1.07 to 1.24" in next(n.text for n in profile.notices if n.code == "ratio-denominator")


def test_a_pure_kernel_has_no_such_notice() -> None:
    assert "ratio-denominator" not in codes(one(SAMPLES / "whole-vector")[0])


def test_310p_is_one_row_over_fused_cores() -> None:
    profile, op = one(SAMPLES / "odd-310p")
    assert (op.core, op.block_dim, len(op.cores)) == ("fused", 8, 1)
    assert (op.cores[0].block, op.cores[0].sub_block) == (0, "core")
    assert op.cores[0].values["aic_vec_ratio"] == pytest.approx(0.22, abs=1e-4)
    assert op.cores[0].values["aic_mac_ratio"] == pytest.approx(0.41, abs=1e-4)
    assert op.cores[0].values["aic_l2_cache_hit_rate"] == 63.4
    assert profile.chip.soc == "Ascend310P3"


def test_310p_without_its_text_file_is_inferred(tmp_path: Path) -> None:
    shutil.copytree(SAMPLES / "odd-310p", tmp_path / "p", ignore=shutil.ignore_patterns("dump"))
    chip = one(tmp_path / "p")[0].chip
    assert chip.basis == "inferred" and set(chip.candidates) == {"Ascend310P1", "Ascend310P3"}


def test_950_without_basic_info() -> None:
    profile, op = one(SAMPLES / "odd-950")
    assert (op.core, op.block_dim, op.duration.computed) == ("vector", 8, True)
    assert op.duration.value == pytest.approx(max(c.values["aiv_time_us"] for c in op.cores))
    assert op.attributes["block_dim_from"] == "rows"
    assert op.cores[0].values["aiv_read_close_hit"] == 128
    assert "duration-computed" in codes(profile)
    assert profile.chip.basis == "inferred" and all("95" in name for name in profile.chip.candidates)
    assert profile.capture.tool_version == ">= 26.1.0 (header)"


def test_scalar_columns_tell_the_version() -> None:
    profile, op = one(SAMPLES / "odd-scalar-columns")
    assert profile.capture.tool_version == ">= 26.0.0 (header)"
    assert (op.clock_mhz, op.rated_clock_mhz) == (1440, 1800)
    assert op.cores[0].values["aiv_scalar_wait_ib_time_us"] > 0
    assert profile.chip.basis == "inferred" and "Ascend910_9382" in profile.chip.candidates


def test_the_old_closed_builds_are_told_by_a_column() -> None:
    assert one(SAMPLES / "whole-vector")[0].capture.cann_version == ">= 8.3.RC1, <= 8.5.2 (header)"


def test_several_launches_on_several_devices() -> None:
    profile = read([SAMPLES / "odd-launches"])
    assert [op.attributes["folder"] for op in profile.operators] == [
        f"device{d}/{name}/{n}" for d in (0, 1) for name in ("Add_kernel", "Mul_kernel") for n in (0, 1)
    ]
    assert [op.duration.value for op in profile.operators[:2]] == [11.2, 11.5]
    assert [op.attributes["device_id"] for op in profile.operators] == ["0"] * 4 + ["1"] * 4


def test_launch_ten_comes_after_launch_nine(tmp_path: Path) -> None:
    for order in (9, 10, 1):
        shutil.copytree(SAMPLES / "odd-lone-table", tmp_path / "k" / str(order))
    assert [op.attributes["folder"] for op in read([tmp_path]).operators] == ["k/1", "k/9", "k/10"]


def test_launches_in_one_flat_folder_are_told_apart_by_time_stamp(tmp_path: Path) -> None:
    for path in (SAMPLES / "odd-launches").rglob("*.csv"):
        if "device0" in str(path):
            shutil.copy(path, tmp_path / f"{path.stem}.csv")
    assert len(read([tmp_path]).operators) == 4


def test_a_lone_table() -> None:
    profile, op = one(SAMPLES / "odd-lone-table" / "PipeUtilization.csv")
    assert (op.core, op.block_dim, len(op.cores)) == ("vector", 6, 6)
    assert op.duration.computed and profile.capture.metric_groups == ("PipeUtilization",)


def test_a_cut_table_keeps_the_whole_rows() -> None:
    profile, op = one(SAMPLES / "broken-cut")
    lost = {file.kind: (file.rows, file.rows_lost) for file in profile.files}
    assert lost["PipeUtilization"] == (5, 1) and lost["Memory"] == (6, 0)
    assert len(op.cores) == 6 and "aiv_vec_ratio" not in op.cores[5].values
    assert "row-cut-off" in codes(profile)


def test_columns_in_another_order_read_the_same(capture: Path) -> None:
    before = one(capture)[1]
    for path in capture.glob("*.csv"):
        rows = [line.rstrip(",").split(",") for line in path.read_text().splitlines()]
        path.write_text("".join(",".join(row[::-1]) + ",\n" for row in rows))
    assert one(capture)[1] == before


def test_unknown_columns_are_kept_out_and_noticed_once(capture: Path) -> None:
    before = one(capture)[1]
    path = capture / "Memory.csv"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0] + "quantum_ratio,", *(line + "0.5," for line in lines[1:])]) + "\n")
    profile, op = one(capture)
    assert op == before
    assert [n.text for n in profile.notices] == ["columns not known and not used: quantum_ratio"]


def test_clock_not_available_and_other_words_for_absent(capture: Path) -> None:
    rewrite(capture / "OpBasicInfo.csv", (",1800,1800,", ",N/A,1800,"), (",NA,0,", ",N/A,0,"))
    shutil.rmtree(capture / "dump")
    profile, op = one(capture)
    assert op.clock_mhz is None and op.mix_block_dim is None and op.rated_clock_mhz == 1800
    assert profile.chip.basis == "inferred"


def test_passes_that_differ_are_noticed(capture: Path) -> None:
    rewrite(capture / "Memory.csv", (",42120,", ",43120,"))
    assert "multi-pass" in codes(one(capture)[0])
    assert one(capture)[1].cores[0].values["aiv_total_cycles"] == 42120


def test_blocks_without_rows_are_noticed(capture: Path) -> None:
    rewrite(capture / "OpBasicInfo.csv", (",6,NA,", ",20,NA,"))
    assert "blocks-missing" in codes(one(capture)[0])


def test_another_metric_group_of_the_same_kernel_is_left_out(tmp_path: Path) -> None:
    kernel = kernels.Kernel(
        "k",
        "vector",
        20.0,
        1,
        [kernels.Core(0, "vector0", 15.0, {"vec": 0.5, "scalar": 0.2, "mte2": 0.3, "mte3": 0.1})],
        "x",
    )
    kernels.write(tmp_path / "Default", kernel, with_info=False)
    kernels.write(tmp_path / "MemoryDetail", kernel, {"Memory": headers.CANN_85["Memory"]}, with_info=False)
    (tmp_path / "MemoryDetail" / "OpBasicInfo.csv").unlink()
    profile, op = one(tmp_path)
    assert op.attributes["folder"] == "Default"
    assert codes(profile)[0] == "second-metric-group"
    assert read([tmp_path / "MemoryDetail"]).operators[0].duration.value == pytest.approx(15.0)


def test_chip_file_wins_over_what_is_stated() -> None:
    profile, _ = one(SAMPLES / "whole-vector", soc="310P3")
    assert profile.chip.soc == "Ascend910B2"
    assert "soc-differs" in codes(profile)
    assert "soc-differs" not in codes(one(SAMPLES / "whole-vector", soc="910b2")[0])


def test_chip_stated_fills_what_the_file_lacks() -> None:
    chip = one(SAMPLES / "odd-lone-table", soc="910B4")[0].chip
    assert (chip.soc, chip.basis) == ("Ascend910B4", "stated")


def test_an_unknown_stated_chip_is_a_usage_error() -> None:
    with pytest.raises(UsageError):
        read([SAMPLES / "odd-lone-table"], soc="H100")


def test_an_unknown_written_chip_is_kept_and_noticed(capture: Path) -> None:
    rewrite(capture / "dump" / "op_basic_info.txt", ("Ascend910B2", "Ascend999"))
    profile, _ = one(capture)
    assert profile.chip.soc == "Ascend999" and "soc-unknown" in codes(profile)


def test_nothing_measured_is_refused_with_the_place() -> None:
    with pytest.raises(SourceError, match="none holds a duration") as caught:
        read([SAMPLES / "broken-no-rows"])
    assert "broken-no-rows" in caught.value.where


def test_names_lose_terminal_escapes(capture: Path) -> None:
    rewrite(capture / "OpBasicInfo.csv", ("softmax_custom", "\x1b[31msoft\x1b]0;title\x07max\x1b[0m"))
    assert one(capture)[1].name == "softmax"


def test_visual_data_of_the_same_folder_adds_chip_and_advice(capture: Path) -> None:
    shutil.rmtree(capture / "dump")
    shutil.copy(ROOT / "tests/samples/visualize_data/whole-vector.bin", capture / "visualize_data.bin")
    profile, op = one(capture)
    assert profile.source == "msopprof" and profile.chip.how == "written in visualize_data.bin"
    assert profile.tool_advice[0] == "aivector compute usage lower than 20%"
    assert op.duration.value == 27.6 and len(op.cores) == 6


def test_damaged_visual_data_does_not_spoil_the_tables(capture: Path) -> None:
    shutil.copy(ROOT / "tests/samples/visualize_data/broken-first-block.bin", capture / "visualize_data.bin")
    profile, op = one(capture)
    assert op.duration.value == 27.6 and "file-skipped" in codes(profile)


def test_a_stated_chip_that_cannot_be_is_doubted() -> None:
    from kb.engine.readers.chip import Clues, resolve

    clues = Clues(frozenset({"atlas-a2", "atlas-a3"}), 1800.0)
    chip, notices = resolve(None, "Ascend310P3", clues)
    assert (chip.soc, [notice.code for notice in notices]) == ("Ascend310P3", ["soc-doubtful"])
    assert resolve(None, "Ascend910B3", clues)[1] == []
    assert resolve(None, "atlas-a2", clues)[1] == []
    assert resolve(None, "Ascend310P3")[1] == []
