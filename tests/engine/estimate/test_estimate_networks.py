"""Whole networks against their published throughput, and scales fitted on them; the table is in tests/benchmarks."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from kb.engine.estimate import OpSpec, networks, scales
from kb.engine.estimate.total import add_up
from kb.errors import NothingToJudge, SourceError
from kb.model import Tensor

TABLE = Path(__file__).parents[2] / "benchmarks" / "networks_310p.tsv"


def test_networks_are_met_within_a_factor_of_two() -> None:
    """The bar is three in four; the table's own figures stand in docs/decisions/0005."""
    known = networks.read_networks(TABLE)
    assert len({one.name for one in known}) >= 30
    figures = networks.summary(networks.score(known))
    assert figures["within_2"] >= 0.9
    assert figures["error"] <= 1.3
    assert figures["covered"] >= 0.8
    assert all(one.not_estimated == 0 for one in networks.score(known))


def test_networks_left_out_of_the_fit_are_met_as_well() -> None:
    pytest.importorskip("numpy")
    known = networks.read_networks(TABLE)
    figures = networks.summary(networks.score(known, cross=True))
    assert figures["cross_within_2"] >= 0.9


def test_the_shipped_scales_are_those_of_the_table() -> None:
    pytest.importorskip("numpy")
    fitted = networks.fit_scales(networks.read_networks(TABLE))
    shipped = scales.shipped_scales()["ascend-310p"]
    assert set(fitted) == set(shipped)
    for walk, one in fitted.items():
        for part in ("launch", "memory", "compute"):
            assert getattr(one, part) == pytest.approx(getattr(shipped[walk], part), rel=0.01), walk


def test_scales_find_a_planted_factor() -> None:
    pytest.importorskip("numpy")
    spec = OpSpec("Relu", (Tensor((64, 65536), "float16", "ND"),), (Tensor((64, 65536), "float16", "ND"),))
    plain = networks.MeasuredNetwork("a", 1, "Ascend310P3", 1.0, ((spec, 10),))
    unscaled = sum(networks._parts(plain).values())
    many = [dataclasses.replace(plain, name=str(at), time_us=unscaled * 3) for at in range(30)]
    assert networks.fit_scales(many)["elementwise"].memory == pytest.approx(3, rel=0.1)


def table(folder: Path, line: str) -> Path:
    path = folder / "n.tsv"
    path.write_text(
        "network\tbatch\tper_s\tcount\tchip\top_type\tin_shapes\tin_dtypes\n" + line, encoding="utf-8"
    )
    return path


@pytest.mark.parametrize(
    "line",
    [
        "a\t0\t5\t1\t310P3\tRelu\t8\tfloat16\n",
        "a\t1\tx\t1\t310P3\tRelu\t8\tfloat16\n",
        "a\t1\t5\t\t310P3\tRelu\t8\tfloat16\n",
        "a\t1\t5\tinf\t310P3\tRelu\t8\tfloat16\n",
    ],
)
def test_a_table_with_wrong_numbers_is_refused(tmp_path: Path, line: str) -> None:
    with pytest.raises(SourceError):
        networks.read_networks(table(tmp_path, line))


def test_an_empty_table_is_nothing_to_judge(tmp_path: Path) -> None:
    with pytest.raises(NothingToJudge):
        networks.read_networks(table(tmp_path, ""))


def test_ranges_of_one_class_add_up_and_classes_are_independent() -> None:
    from kb.engine.estimate import Estimate

    one = Estimate(5.0, 10.0, 20.0, "memory", "", "elementwise")
    other = Estimate(5.0, 10.0, 20.0, "memory", "", "product")
    same = add_up([(1, one), (1, one)])
    apart = add_up([(1, one), (1, other)])
    assert (same.low_us, same.mid_us, same.high_us) == (10.0, 20.0, 40.0)
    assert apart.mid_us == 20.0 and apart.high_us == pytest.approx(20 + 200**0.5)
    assert add_up([]).mid_us == 0
