"""Which published figures speak of an operator, and how much they say."""

from __future__ import annotations

import pytest

from kb.engine.published import of_pipe, published
from kb.engine.rank import realised
from kb.model import Condition, Features, Measure, PublishedGain


def figure(saved: float, **more: object) -> PublishedGain:
    return PublishedGain(saved, saved, "operator", grade="vendor", **more)  # type: ignore[arg-type]


def features(**values: float) -> Features:
    return Features(
        None, {name: Measure(value, "", "test") for name, value in values.items()}, {"op_pattern": "matmul"}
    )


def test_a_figure_is_left_out_where_its_condition_fails() -> None:
    few = figure(0.9, when=(Condition("block_dim", "<", 20.0, "observed"),))
    every = figure(0.02, when=(Condition("block_dim", ">=", 20.0, "observed"),))
    for blocks, middle in ((1, 0.9), (24, 0.02)):
        found = published((few, every), "operator", features(block_dim=blocks))
        assert found is not None and found.middle == middle


def test_the_last_figure_stays_though_its_condition_fails() -> None:
    found = published(
        (figure(0.9, when=(Condition("block_dim", "<", 20.0, "observed"),)),),
        "operator",
        features(block_dim=24),
    )
    assert found is not None and found.middle == 0.9


def test_a_figure_that_its_source_states_for_others_is_left_out_for_good() -> None:
    row = figure(0.57, when=(Condition("matmul_m", "==", 1.0, "threshold"),))
    assert published((row,), "operator", features(matmul_m=16)) is None
    for known in ({"matmul_m": 1}, {}):  # one row, and rows that were not measured
        found = published((row,), "operator", features(**known))
        assert found is not None and found.middle == 0.57


def test_sizes_like_these_go_first() -> None:
    near, far = figure(0.3, shapes="M=128 N=256 K=384"), figure(0.01, shapes="8192 cubed")
    found = published((near, far), "operator", features(matmul_m=128, matmul_n=256, matmul_k=512))
    assert found is not None and found.middle == 0.3


def test_a_pipes_figure_needs_the_pipes_share_and_promises_nothing() -> None:
    gain = PublishedGain(0.5, 0.5, "part", unit="us of MTE2", grade="vendor")
    assert of_pipe((gain,), features(aiv_vec_ratio=0.9)) is None
    found = of_pipe((gain,), features(aic_mte2_ratio=0.8))
    assert found is not None and (found.middle, found.low) == (pytest.approx(0.2), 0.0)


def test_a_larger_figure_never_means_a_smaller_gain() -> None:
    steps = [n / 100 for n in range(1, 100)]
    means = [realised(step) for step in steps]
    assert means == sorted(means) and all(mean >= step for mean, step in zip(means, steps, strict=True))
