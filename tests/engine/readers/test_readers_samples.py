"""The samples are what the script writes, say that they are synthetic, and the shipped one hangs together."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import ROOT

from kb import shipped
from kb.engine.readers import read
from tools import make_samples
from tools.samples.captures import add_custom

SHIPPED = shipped.root() / "samples" / "add_custom"


def files(root: Path) -> dict[str, bytes]:
    folders = [
        root / "data" / "samples",
        *(root / "tests" / "samples" / name for name in make_samples.READERS),
    ]
    found = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}


def test_samples_are_what_the_script_writes(tmp_path: Path) -> None:
    make_samples.write(tmp_path)
    made, kept = files(tmp_path), files(ROOT)
    assert sorted(made) == sorted(kept)
    assert [name for name in made if made[name] != kept[name]] == [], "run `python -m tools.make_samples`"


@pytest.mark.parametrize(
    "folder", [SHIPPED, *(ROOT / "tests" / "samples" / name for name in make_samples.READERS)], ids=str
)
def test_samples_say_that_they_are_synthetic(folder: Path) -> None:
    assert (folder / "README.txt").read_text(encoding="utf-8").startswith("SYNTHETIC")


def test_the_shipped_sample_hangs_together() -> None:
    profile = read([SHIPPED])
    (op,) = profile.operators
    assert profile.chip.soc == "Ascend910B3" and profile.notices == ()
    assert (op.core, op.block_dim, len(op.cores)) == ("vector", 4, 4)
    assert op.duration.value > max(core.values["aiv_time_us"] for core in op.cores)
    read_kib = sum(core.values["gm_to_ub_datas"] for core in op.cores)
    written_kib = sum(core.values["ub_to_gm_datas"] for core in op.cores)
    assert (read_kib, written_kib) == (
        2 * 1024 * 2048 * 2 / 1024,
        1024 * 2048 * 2 / 1024,
    )  # two inputs, one output, float16
    for core in op.cores:
        v = core.values
        assert v["gm_to_ub_datas"] * 1024 / v["aiv_mte2_instructions"] == 512
        assert v["ub_to_gm_datas"] * 1024 / v["aiv_mte3_instructions"] == 512
        assert v["aiv_mte2_time_us"] / v["aiv_time_us"] == pytest.approx(v["aiv_mte2_ratio"], abs=1e-6)
        assert v["aiv_total_cycles"] / v["aiv_time_us"] == pytest.approx(1800, abs=0.01)
        bandwidth = v["gm_to_ub_datas"] * 1024 / (v["aiv_time_us"] * 1e-6) / 2**30
        assert v["aiv_gm_to_ub_bw"] == pytest.approx(bandwidth, rel=1e-4)
        assert v["aiv_vec_ratio"] + v["aiv_mte2_ratio"] + v["aiv_mte3_ratio"] == pytest.approx(
            0.979, abs=0.001
        )
    assert op.name == add_custom().name
