"""Metrics by hand-computed examples, and their bounds as properties."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb import targets
from kb.engine import metrics
from kb.engine.metrics import measure_profile, work
from kb.model import Capture, Chip, CoreCounters, Features, Measure, Operator, Profile, Tensor
from kb.vocabulary.metrics import BY_ID


def profile(op: Operator) -> Profile:
    return Profile("t", "test", "operator", Capture("msopprof"), Chip(), (op,))


def measured(op: Operator, *socs: str) -> Features:
    return measure_profile(profile(op), tuple(targets.load(soc) for soc in socs)).operators[0]


def vector(rows: list[dict[str, float]], duration: float = 100.0, **fields: object) -> Operator:
    cores = tuple(CoreCounters(i, "vector0", row) for i, row in enumerate(rows))
    return Operator(
        "k",
        "Add",
        "vector",
        1,
        Measure(duration, "us", "t"),
        duration,
        cores=cores,
        block_dim=len(rows),
        **fields,
    )  # type: ignore[arg-type]


def test_topics_define_the_vocabulary() -> None:
    defined = [name for topic in metrics.TOPICS for name in topic.DEFINES]
    assert len(defined) == len(set(defined))
    assert set(defined) | set(metrics.LABELS) == set(BY_ID)


def test_idle_cores_do_not_dilute_the_means() -> None:
    """Two working cores (0.6, 0.8) and one that was launched for nothing: mean 0.7, imbalance from all three."""
    rows = [
        {"aiv_time_us": 100.0, "aiv_vec_time_us": 60.0},
        {"aiv_time_us": 100.0, "aiv_vec_time_us": 80.0},
        {"aiv_time_us": 1.0, "aiv_vec_time_us": 0.0},
    ]
    f = measured(vector(rows), "Ascend910B2")
    assert f.get("aiv_vec_ratio") == pytest.approx(0.7)
    assert f.get("working_cores") == 2
    assert f.get("idle_core_share") == pytest.approx(1 / 3)
    assert f.get("core_time_imbalance") == pytest.approx((100 - 67) / 100)
    assert f.get("used_core_share") == pytest.approx(2 / 48)


def test_mix_ratios_are_recomputed() -> None:
    """CANN 8.5.2 divided by 9.0 us of the 9.22 us task; the cube side ran 2.774 us with 1.257 us scalar: 45 %, not 14 %."""
    rows = (
        CoreCounters(
            0, "cube0", {"aic_time_us": 2.774, "aic_scalar_time_us": 1.257, "aic_scalar_ratio": 0.1396}
        ),
        CoreCounters(0, "vector0", {"aiv_time_us": 6.07, "aiv_vec_time_us": 0.3139, "aiv_vec_ratio": 0.0349}),
    )
    op = Operator("k", None, "mix", 1, Measure(9.22, "us", "t"), 9.22, cores=rows, block_dim=1)
    f = measured(op)
    assert f.get("aic_scalar_ratio") == pytest.approx(1.257 / 2.774)
    assert f.get("aiv_vec_ratio") == pytest.approx(0.3139 / 6.07)
    assert f.get("cube_vector_time_ratio") == pytest.approx((2.774 + 6.07) / 9.22)


def test_bytes_an_instruction() -> None:
    """272 KiB in 2177 instructions: 127.9 B."""
    row = {"aiv_time_us": 100.0, "aiv_mte3_instructions": 2177.0, "ub_to_gm_datas": 272.0}
    assert measured(vector([row])).get("bytes_per_mte3_instruction") == pytest.approx(272 * 1024 / 2177)


def test_zero_columns_of_the_idle_side_are_no_measurement() -> None:
    counters = {"aic_mac_ratio": Measure(0.0, "1", "t"), "aiv_vec_ratio": Measure(0.5, "1", "t")}
    op = Operator("k", "Add", "vector", 1, Measure(50.0, "us", "t"), 50.0, counters=counters)
    f = measured(op)
    assert f.get("aiv_vec_ratio") == 0.5
    assert f.get("aic_mac_ratio") is None


def test_fused_core_reports_on_the_side_of_its_work() -> None:
    cube = {"aic_mac_ratio": Measure(0.5, "1", "t"), "aic_vec_ratio": Measure(0.1, "1", "t")}
    op = Operator("k", "Conv2D", "fused", 1, Measure(50.0, "us", "t"), 50.0, counters=cube)
    f = measured(op, "Ascend310P3")
    assert (f.get("aic_mac_ratio"), f.get("aiv_vec_ratio")) == (0.5, 0.1)
    only_vector = {"aic_mac_ratio": Measure(0.0, "1", "t"), "aic_mte2_ratio": Measure(0.9, "1", "t")}
    f = measured(Operator("k", "Add", "fused", 1, Measure(50.0, "us", "t"), 50.0, counters=only_vector))
    assert f.get("aiv_mte2_ratio") == 0.9
    assert f.get("aic_mte2_ratio") is None


def test_peak_based_metrics_span_the_candidate_chips() -> None:
    tensor = Tensor((1024, 1024), "float16", "ND")
    op = Operator(
        "k", "Add", "vector", 1, Measure(10.0, "us", "t"), 10.0, inputs=(tensor, tensor), outputs=(tensor,)
    )
    one, both = measured(op, "Ascend910B3"), measured(op, "Ascend910B3", "Ascend910B4")
    moved = 3 * 2 * 1024 * 1024
    assert one.get("memory_floor_us") == pytest.approx(
        moved / (targets.load("Ascend910B3").memory_gbps or 0) / 1e3
    )
    floor = both.values["memory_floor_us"]
    assert floor.low is not None and floor.high is not None and floor.low < floor.high
    assert measured(op).get("memory_floor_us") is None, "no chip, no peak-based number"


@pytest.mark.parametrize(
    ("a", "b", "c", "expected"),
    [
        ((256, 512), (512, 128), (256, 128), (1, 256, 128, 512)),
        ((512, 256), (128, 512), (256, 128), (1, 256, 128, 512)),  # both transposed
        ((8, 64, 32), (8, 32, 16), (8, 64, 16), (8, 64, 16, 32)),
    ],
)
def test_product_shape_from_element_counts(a, b, c, expected) -> None:  # type: ignore[no-untyped-def]
    op = Operator(
        "k",
        "MatMul",
        "cube",
        1,
        Measure(1.0, "us", "t"),
        1.0,
        inputs=(Tensor(a, "fp16"), Tensor(b, "fp16")),
        outputs=(Tensor(c, "fp16"),),
    )
    assert work.product_shape(op) == expected


def test_product_shape_refuses_shapes_that_do_not_fit() -> None:
    tensors = (Tensor((81920, 4096), "bf16"), Tensor((8192, 512), "bf16"))
    op = Operator(
        "k",
        "MatMul",
        "cube",
        1,
        Measure(1.0, "us", "t"),
        1.0,
        inputs=tensors,
        outputs=(Tensor((4096, 512), "bf16"),),
    )
    assert work.product_shape(op) is None


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "aiv_time_us": st.floats(0.01, 1e6),
                "aiv_vec_time_us": st.floats(0, 1e6),
                "aiv_mte2_time_us": st.floats(0, 1e6),
            }
        ),
        min_size=1,
        max_size=60,
    )
)
def test_shares_of_times_stay_in_bounds(rows: list[dict[str, float]]) -> None:
    for row in rows:
        row["aiv_vec_time_us"] = min(row["aiv_vec_time_us"], row["aiv_time_us"])
        row["aiv_mte2_time_us"] = min(row["aiv_mte2_time_us"], row["aiv_time_us"])
    f = measured(vector(rows, duration=1e6), "Ascend910B2")
    for name in (
        "aiv_vec_ratio",
        "aiv_mte2_ratio",
        "max_pipe_ratio",
        "core_time_imbalance",
        "idle_core_share",
        "head_overhead_share",
    ):
        value = f.get(name)
        assert value is None or -1e-9 <= value <= 1 + 1e-9


@pytest.mark.parametrize(
    ("dtype", "times_fp16"), [("float16", 1), ("int8", 0.5), ("DT_INT4", 0.25), ("float8_e4m3fn", None)]
)
def test_the_compute_floor_never_uses_the_peak_of_a_wider_dtype(dtype: str, times_fp16: float | None) -> None:
    """2 x 1024^3 operations on 24 cube cores; 910B2 has no fp8 unit, so nothing is claimed for it."""

    def floor(name: str) -> float | None:
        square = Tensor((1024, 1024), name)
        op = Operator(
            "m", "MatMulV2", "cube", 1, Measure(500.0, "us", "t"), 500.0,
            inputs=(square, square), outputs=(Tensor((1024, 1024), "float16"),),
        )  # fmt: skip
        return measured(op, "Ascend910B2").get("compute_floor_us")

    base = floor("float16")
    assert base is not None
    assert floor(dtype) == (None if times_fp16 is None else pytest.approx(base * times_fp16))


def test_a_conversion_is_named_once_and_not_when_it_only_fills_the_input() -> None:
    def label(kind: str, core: str = "vector") -> str | None:
        op = Operator(kind.lower(), kind, core, 1, Measure(9.0, "us", "t"), 9.0)  # type: ignore[arg-type]
        return measured(op).labels.get("conversion")

    assert [label("TransData"), label("Cast"), label("AsStrided")] == ["yes"] * 3
    assert [label("Add"), label("TransData", "ai_cpu")] == [None, None]


def test_collectives_are_no_small_kernels() -> None:
    few_us = Measure(5.0, "us", "t")
    collective = Operator("HcomAllReduce", "HcomAllReduce", "communication", 4, few_us, 20.0)
    long = Operator("MatMul", "MatMul", "cube", 2, Measure(100.0, "us", "t"), 200.0)

    def share(*ops: Operator) -> float | None:
        profile = Profile("t", "x", "run", Capture("x"), Chip(), ops)
        return measure_profile(profile, ()).run.get("small_kernel_share")

    assert share(collective, long) == 0.0
    assert share(collective) is None


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (("FlashAttentionScore", "FlashAttentionScoreGrad"), "training"),
        (("IncreFlashAttention",), "decode"),
        (("Conv2D", "Relu"), "unknown"),
    ],
)
def test_the_phase_of_a_run_is_told_by_its_operators(kinds: tuple[str, ...], expected: str) -> None:
    ops = tuple(Operator(kind, kind, "mix", 1, Measure(10.0, "us", "t"), 10.0) for kind in kinds)
    profile = Profile("t", "x", "run", Capture("x"), Chip(), ops)
    assert measure_profile(profile, ()).run.labels["run_phase"] == expected


@pytest.mark.parametrize(
    ("name", "kind", "language"),
    [
        ("_Z22elementwise_add_kernelPhS_S_", None, "ascend-c"),
        ("_sage_attn_fwd_kernel", None, "triton"),
        ("MatMulV2", "MatMulV2", "library"),
        ("Cummin_kernel", None, None),
    ],
)
def test_the_language_of_a_kernel_where_its_name_tells(
    name: str, kind: str | None, language: str | None
) -> None:
    op = Operator(name, kind, "vector", 1, Measure(10.0, "us", "t"), 10.0)
    profile = Profile("t", "x", "operator", Capture("msprof"), Chip(), (op,))
    assert measure_profile(profile, ()).operators[0].labels.get("kernel_language") == language
