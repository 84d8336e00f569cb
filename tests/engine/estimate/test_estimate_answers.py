"""What an estimate promises, whatever is asked: order, floors, growth, and an answer instead of a traceback."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb import operators, targets
from kb.engine.estimate import Estimate, NotEstimated, OpSpec, estimate, from_operator
from kb.engine.estimate.classes import patterns, place
from kb.engine.estimate.load import TERMS
from kb.engine.estimate.table import (
    COLUMNS,
    Constants,
    Table,
    call_family,
    columns_of,
    factors_of,
    shipped_table,
    sources,
)
from kb.model import Measure, Operator, Tensor

CHIPS = ("910-30core", "Ascend910B2", "Ascend910_9382", "Ascend310P3", "Ascend950PR_9589", "Ascend310B1")
TYPES = sorted(name for name in operators.known_types() if operators.pattern(name) in patterns())


def t(*shape: int, dtype: str = "float16", form: str = "ND") -> Tensor:
    return Tensor(shape, dtype, form)


def answered(spec: OpSpec, chip: str = "Ascend910B2") -> Estimate:
    found = estimate(spec, chip)
    assert isinstance(found, Estimate), found
    return found


_DTYPES = st.sampled_from(["float16", "FLOAT", "DT_BF16", "INT8", "INT64", "BOOL", "", "UINT16", "whatever"])
_FORMATS = st.sampled_from(["ND", "NCHW", "NC1HWC0", "FRACTAL_Z", "FRACTAL_NZ", "", "FORMAT_ND", "NC1HWC0:1"])
_SHAPES = st.none() | st.lists(st.sampled_from([0, 1, 2, 3, 7, 16, 85, 255, 2048]), max_size=6).map(tuple)
_TENSORS = st.lists(st.builds(Tensor, _SHAPES, _DTYPES, _FORMATS), max_size=5).map(tuple)
_SPECS = st.builds(
    OpSpec, st.sampled_from(TYPES), _TENSORS, _TENSORS, core=st.just(""), blocks=st.none() | st.integers(1, 300),
    call=st.booleans(),
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(_SPECS, st.sampled_from(CHIPS))
def test_any_shapes_get_an_ordered_range_or_a_reason(spec: OpSpec, chip: str) -> None:
    found = estimate(spec, chip)
    if isinstance(found, NotEstimated):
        assert found.reason
    else:
        assert 0 < found.low_us <= found.mid_us <= found.high_us < math.inf
        assert found.bound in {"launch", "memory", "vector", "small pieces", "cube"}
        assert found.basis


_GROWING: list[tuple[str, Any]] = [
    ("Add", lambda n: OpSpec("Add", (t(n, 768), t(n, 768)), (t(n, 768),))),
    ("Add, broadcast", lambda n: OpSpec("Add", (t(n, 768), t(768)), (t(n, 768),))),
    ("Cast", lambda n: OpSpec("Cast", (t(n, 100),), (t(n, 100, dtype="float32"),))),
    ("SoftmaxV2", lambda n: OpSpec("SoftmaxV2", (t(n, 1000),), (t(n, 1000),))),
    ("ReduceSum", lambda n: OpSpec("ReduceSum", (t(n, 768),), (t(n),))),
    ("LayerNorm", lambda n: OpSpec("LayerNorm", (t(n, 768), t(768), t(768)), (t(n, 768),))),
    ("StridedSlice", lambda n: OpSpec("StridedSlice", (t(n, 85),), (t(n, 4),))),
    ("ConcatD", lambda n: OpSpec("ConcatD", (t(n, 64), t(n, 64)), (t(n, 128),))),
    ("Transpose", lambda n: OpSpec("Transpose", (t(n, 32, 64),), (t(n, 64, 32),))),
    ("GatherV2", lambda n: OpSpec("GatherV2", (t(30000, 768), t(n, dtype="int32")), (t(n, 768),))),
    ("MatMul", lambda n: OpSpec("MatMul", (t(n, 512), t(512, 512)), (t(n, 512),))),
    ("MaxPool", lambda n: OpSpec("MaxPool", (t(n, 4, 20, 20, 16, form="NC1HWC0"),), (t(n, 4, 10, 10, 16, form="NC1HWC0"),))),
    ("Conv2D", lambda n: OpSpec("Conv2D", (t(n, 64, 28, 28), t(64, 64, 3, 3)), (t(n, 64, 28, 28),))),
    ("BatchMatMul", lambda n: OpSpec("BatchMatMul", (t(n, 64, 64), t(n, 64, 64)), (t(n, 64, 64),))),
]  # fmt: skip


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize(("name", "make"), _GROWING, ids=[name for name, _ in _GROWING])
def test_twice_the_work_is_never_faster(name: str, make: Any, chip: str) -> None:
    sizes = [2**power for power in range(6, 16)]  # up to 32 rows a product is of another class
    times = [answered(make(size), chip).mid_us for size in sizes]
    assert times == sorted(times)
    assert times[-1] > 2 * times[0]


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 1 << 20), st.integers(1, 64), st.sampled_from(CHIPS))
def test_terms_of_one_class_never_fall_with_more_rows(rows: int, more: int, chip: str) -> None:
    target = targets.typical(chip)
    small, large = (
        place(OpSpec("Mul", (t(n, 64), t(n, 64)), (t(n, 64),)), target).load.terms
        for n in (rows, rows + more)
    )
    for name in ("memory", "cached", "block"):
        assert small.get(name, 0.0) <= large.get(name, 0.0)


@pytest.mark.parametrize("chip", CHIPS)
def test_no_estimate_lies_below_the_peaks(chip: str) -> None:
    target = targets.typical(chip)
    square = t(8192, 8192)
    peak = 2 * 8192**3 / (target.cube_flops("fp16") or math.inf) * 1e6
    assert answered(OpSpec("MatMul", (square, square), (square,)), chip).low_us >= peak
    big = t(64, 8192, 8192)
    moved = 3 * 64 * 8192 * 8192 * 2 / ((target.memory_gbps or 0) * 1e3)
    found = answered(OpSpec("Add", (big, big), (big,)), chip)
    assert 0.7 * moved < found.mid_us < 3 * moved  # far above L2: the memory's rate, near enough
    assert found.bound == "memory"


def test_a_tiny_kernel_is_all_launch() -> None:
    found = answered(OpSpec("Add", (t(1), t(1)), (t(1),)))
    assert 1 < found.mid_us < 4
    assert found.bound == "launch"


def test_the_basis_names_constants_chip_and_assumptions() -> None:
    found = answered(OpSpec("Conv2D", (t(8, 64, 28, 28), t(64, 64, 3, 3))), "Ascend310P3")
    for part in ("ascend-310p", "assumed", "Ascend310P3", "output shape inferred"):
        assert part in found.basis
    assert "dtype is missing" in answered(OpSpec("Relu", (t(64, dtype=""),), (t(64, dtype=""),))).basis
    borrowed = answered(OpSpec("Relu", (t(64),), (t(64),)), "Ascend310B1")
    assert "no timings of this chip are public" in borrowed.basis


def test_borrowed_constants_widen_the_range() -> None:
    big = t(64, 1024, 1024)
    own, lent = (answered(OpSpec("Mul", (big, big), (big,)), chip) for chip in ("910-30core", "Ascend310P3"))
    assert lent.high_us / lent.mid_us == pytest.approx(1.4 * own.high_us / own.mid_us)
    assert lent.low_us / lent.mid_us == pytest.approx(own.low_us / own.mid_us / 1.4)


def test_more_cores_than_needed_do_not_slow_a_family_name_down() -> None:
    spec = OpSpec("Add", (t(64, 64), t(64, 64)), (t(64, 64),))
    assert estimate(spec, "Atlas A2") == estimate(spec, "Ascend910B2")


def test_ai_cpu_kernels_have_their_own_assumption() -> None:
    found = answered(OpSpec("Cast", (t(4, 3, dtype="INT16"),), (t(4, 3, dtype="BOOL"),), core="AI_CPU"))
    assert found.bound == "ai_cpu"
    assert found.low_us < 136
    assert found.high_us > 238


def test_a_chip_without_constants_or_bandwidth_says_so() -> None:
    found = estimate(OpSpec("Add", (t(8), t(8)), (t(8),)), "BS9SX1AA")
    assert isinstance(found, NotEstimated)
    assert "no constants" in found.reason


def test_measured_operators_are_estimated_without_their_times() -> None:
    def launch(time: float) -> Operator:
        return Operator(
            "Add_1",
            "Add",
            "vector",
            1,
            Measure(time, "us", "x"),
            time,
            4,
            inputs=(t(4096), t(4096)),
            outputs=(t(4096),),
        )

    spec = from_operator(launch(3.0))
    assert spec.blocks == 4
    assert (
        estimate(launch(3.0), "Ascend910B2")
        == estimate(launch(99.0), "Ascend910B2")
        == estimate(spec, "Ascend910B2")
    )


# --- the table --------------------------------------------------------------------------------------------------


def test_columns_and_factors_are_inverse() -> None:
    row = {name: 0.5 + at for at, name in enumerate(COLUMNS[2:12])}
    assert columns_of(factors_of(row)) == pytest.approx(row)
    assert len(factors_of(row)) == len(TERMS)


def test_shipped_constants_are_sane() -> None:
    rows = shipped_table().rows
    assert {family for family, _ in rows} <= {name for f in sources() for name in (f, call_family(f))}
    for (family, name), one in rows.items():
        assert all(factor >= 0 and math.isfinite(factor) for factor in one.factors), (family, name)
        assert 0 < one.low < 1 < one.high < 40, (family, name)
        parts = dict(zip(TERMS, one.factors, strict=True))
        assert parts["memory"] >= 0.79, (
            family,
            name,
        )  # no faster than at peak, bar what is known of the bytes
        assert parts["cube"] >= 0.99, (family, name)
        assert parts["launch"] > 0.1, (family, name)
    for family in ("ascend-910", "atlas-a2"):
        assert {"any vector", "any cube", "elementwise", "product"} <= {
            name for f, name in rows if f == family
        }


def test_finer_classes_and_own_constants_come_first() -> None:
    def row(family: str, name: str) -> Constants:
        return Constants(family, name, (1.0,) * len(TERMS), 0.5, 2.0, 1.1, 3, "made up")

    keys = ("any vector", "elementwise", "Add")
    table = Table({(f, n): row(f, n) for f, n in (
        ("ascend-910", "elementwise"), ("ascend-910", "Add"), ("ascend-310p", "elementwise"),
        ("atlas-a2", "any vector"), ("atlas-a2 calls", "elementwise"), ("atlas-a2 calls", "any vector"),
    )})  # fmt: skip

    def found(family: str, call: bool = False) -> tuple[str, str]:
        answer = table.find(family, keys, call=call)
        assert answer is not None
        return answer[0].family, answer[0].name

    assert found("ascend-910") == ("ascend-910", "Add")
    assert found("ascend-310p") == ("ascend-310p", "elementwise")  # its own, though coarser
    assert found("ascend-310b") == ("ascend-910", "Add")
    assert found("atlas-a2") == ("atlas-a2 calls", "elementwise")  # better than everything of a kind
    assert found("atlas-a2", call=True) == ("atlas-a2 calls", "elementwise")
    assert table.find("edge", keys) is None
