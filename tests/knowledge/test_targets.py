"""Chips: the shipped files equal the facts, names lead where users mean, unknown stays unknown."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from kb import targets
from kb.errors import UsageError


def test_every_chip_of_the_facts_is_there_with_its_numbers(shared_facts: Path) -> None:
    table = yaml.safe_load((shared_facts / "hardware.yaml").read_text(encoding="utf-8"))["socs"]
    assert len(table) == 43
    for soc, fact in table.items():
        chip = targets.load(soc)
        assert (chip.cube_cores, chip.vector_cores) == (fact["cube_cores"], fact["vector_cores"]), soc
        assert chip.memory_bytes == fact["memory"]["size_cfg"], soc
        assert chip.l2_bytes == (fact["l2"]["size"] or None), soc
        peak = fact.get("derived_peak")
        if peak and soc != "Ascend910B4":  # its planner clock differs from the traces' on purpose
            assert chip.cube_flops("fp16") == pytest.approx(peak["cube_fp16_tflops"] * 1e12, rel=0.01), soc
            assert chip.cube_flops("int8") == pytest.approx(peak["cube_int8_tops"] * 1e12, rel=0.01), soc
            assert chip.vector_ops("fp16") == pytest.approx(peak["vector_fp16_tflops_1op"] * 1e12, abs=6e9), (
                soc
            )


@pytest.mark.parametrize(
    ("name", "soc"),
    [
        ("Ascend910B2", "Ascend910B2"),
        ("ascend910b2", "Ascend910B2"),
        ("910B2", "Ascend910B2"),
        ("Ascend 910B2", "Ascend910B2"),
        ("910-30core", "Ascend910B"),
        ("Ascend910B", "Ascend910B"),
        ("Ascend910_9579", "Ascend950PR_9579"),
        ("950PR_957b", "Ascend950PR_957b"),
    ],
)
def test_a_chip_answers_to_its_names(name: str, soc: str) -> None:
    assert targets.load(name).id == soc


def test_the_bare_910b_is_the_old_chip_and_the_marketing_name_is_the_a2_family() -> None:
    assert targets.family_of("Ascend910B") == "ascend-910"
    assert targets.family_of("Ascend 910B") == "atlas-a2"
    assert set(targets.resolve("Ascend 910B (Atlas A2)")) == {
        "Ascend910B1",
        "Ascend910B2",
        "Ascend910B2C",
        "Ascend910B3",
        "Ascend910B4",
        "Ascend910B4-1",
    }


def test_every_name_of_the_timing_tables_resolves(shared_facts: Path) -> None:
    lines = (shared_facts / "optimings_dev.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    column = rows[0].index("chip")
    for name in {row[column] for row in rows[1:]}:
        assert targets.resolve(name), name
        assert targets.typical(name).clock_mhz


def test_every_family_has_members_and_no_chip_is_in_two() -> None:
    seen: list[str] = []
    for family in targets.families().values():
        assert family.members, family.id
        seen += family.members
    assert sorted(seen) == sorted(targets.all_targets())


def test_an_alias_means_one_thing() -> None:
    chips: dict[str, str] = {}
    for chip in targets.all_targets().values():
        for name in (chip.id, *chip.aliases):
            assert chips.setdefault(name.casefold(), chip.id) == chip.id, name


def test_an_unknown_name_is_refused_with_near_ones() -> None:
    with pytest.raises(UsageError) as caught:
        targets.load("Ascend910B9")
    assert "Ascend910B" in caught.value.now


def test_a_family_is_not_one_chip() -> None:
    with pytest.raises(UsageError, match="stands for 6 chips"):
        targets.load("Ascend 910B")
    assert targets.typical("Ascend 910B").id == "Ascend910B2"


def test_what_no_source_states_is_none() -> None:
    assert targets.load("Ascend310B2").memory_gbps is None
    assert targets.load("Ascend910B4-1").memory_gbps is None
    assert targets.load("Ascend910B2").cube_flops("fp8") is None
    assert targets.load("Ascend310P3").cube_flops("fp32") is None


def test_ranges_enclose_the_figure_that_is_computed_with() -> None:
    for chip in targets.all_targets().values():
        for low, use, high in (
            (chip.memory_gbps_low, chip.memory_gbps, chip.memory_gbps_high),
            (chip.l2_gbps_low, chip.l2_gbps, chip.l2_gbps_high),
            (chip.clock_mhz_low, chip.clock_mhz, chip.clock_mhz_high),
        ):
            if low is not None and use is not None and high is not None:
                assert low <= use <= high, chip.id
