"""The series behind the pictures: units, roofs of the candidate chips, nothing where nothing is known."""

from __future__ import annotations

import pytest

from kb.engine.charts import charts
from kb.engine.metrics import measure_profile
from kb.model import (
    Capture,
    Charts,
    Chip,
    CoreCounters,
    Measure,
    Operator,
    Profile,
    RunTimes,
    Tensor,
)
from kb.targets import load


def us(value: float) -> Measure:
    return Measure(value, "us", "test")


def core(block: int, scalar_us: float) -> CoreCounters:
    values = {
        "aiv_time_us": 100.0,
        "aiv_scalar_time_us": scalar_us,
        "gm_to_ub_datas": 512.0,
        "ub_to_gm_datas": 256.0,
    }
    return CoreCounters(block, "vector0", values | {"aiv_ub_read_bw_vector": 10.0})


VECTOR = Operator("add", "Add", "vector", 1, us(100.0), 100.0, cores=(core(0, 20.0), core(1, 40.0)))
PRODUCT = Operator(
    "mm", "MatMul", "cube", 2, us(50.0), 100.0,
    inputs=(Tensor((1024, 1024), "float16", "ND"), Tensor((1024, 1024), "float16", "ND")),
    outputs=(Tensor((1024, 1024), "float16", "ND"),),
)  # fmt: skip


UNKNOWN = RunTimes()


def of(*operators: Operator, times: RunTimes = UNKNOWN, soc: str | None = "Ascend910B2") -> Charts:
    chip = Chip(soc, (), "stated") if soc else Chip()
    profile = Profile("t", "test", "run", Capture("msprof"), chip, operators, times)
    targets = (load(soc),) if soc else ()
    return charts(profile, measure_profile(profile, targets), targets)


def test_pipes_and_paths_of_a_kernel_with_cores() -> None:
    found = of(VECTOR)
    (pipes,) = found.pipes
    assert [(item.pipe, item.mean, item.cores) for item in pipes.pipes] == [("aiv_scalar", 0.3, (0.2, 0.4))]
    rates = {(path.source, path.target): (path.gbps, path.of) for path in found.paths}
    # 2 x 512 KiB in 100 us; GiB/s of one core in the tool's column
    assert rates[("GM", "UB")] == (pytest.approx(10.486, abs=1e-3), "kernel")
    assert rates[("UB", "vector")] == (pytest.approx(10.737, abs=1e-3), "core")


def test_a_product_lies_where_its_shapes_put_it() -> None:
    (point,) = of(PRODUCT).points
    # 2 * 1024**3 operations over 3 matrices of 2 MiB, in 50 us
    assert point.intensity == pytest.approx(2 * 1024**3 / (3 * 2 * 1024**2), rel=1e-6)
    assert point.gflops == pytest.approx(2 * 1024**3 / 50e-6 / 1e9, rel=1e-6)
    chip = load("Ascend910B2")
    peak = chip.cube_flops("fp16")
    assert peak is not None and chip.memory_gbps is not None
    ceiling = min(peak / 1e9, (chip.memory_gbps_high or chip.memory_gbps) * point.intensity)
    assert point.reached == pytest.approx(point.gflops / ceiling, abs=1e-5)


def test_without_a_chip_there_are_points_but_no_roofs() -> None:
    found = of(PRODUCT, soc=None)
    assert found.roofs == () and found.points[0].reached is None and found.floors == ()


def test_the_parts_of_the_elapsed_time_are_those_that_are_known() -> None:
    assert of(VECTOR).wall == ()
    parts = of(VECTOR, times=RunTimes(compute=us(60.0), idle=us(30.0), exposed=us(10.0))).wall
    assert [(part.name, part.time_us) for part in parts] == [
        ("compute", 60.0), ("communication", 10.0), ("idle", 30.0),
    ]  # fmt: skip


def test_floors_are_of_all_launches() -> None:
    floors = {floor.operator.name: floor.floor_us for floor in of(PRODUCT).floors}
    one = measure_profile(
        Profile("t", "test", "run", Capture("msprof"), Chip(), (PRODUCT,)), (load("Ascend910B2"),)
    ).operators[0]
    assert floors["mm"] == pytest.approx(2 * one.values["floor_us"].value, abs=1e-3)


def test_a_floor_of_several_chips_is_that_of_the_fastest() -> None:
    chips = (load("Ascend910B2"), load("Ascend310P3"))
    profile = Profile("t", "test", "run", Capture("msprof"), Chip(), (PRODUCT,))
    found = charts(profile, measure_profile(profile, chips), chips)
    assert [floor.floor_us for floor in found.floors] == [floor.floor_us for floor in of(PRODUCT).floors]
