"""Every bottleneck fires on its sample, stays quiet on a healthy one, and says what it lacks."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from kb.engine.bottlenecks import registry
from kb.engine.bottlenecks.judging import Held, thresholds
from kb.model import Features, Measure, Operator
from kb.vocabulary.bottlenecks import IDS
from kb.vocabulary.metrics import BY_ID

SAMPLES = Path(__file__).resolve().parent.parent / "samples" / "bottlenecks"


def features(sample: dict[str, Any], name: str = "kernel") -> Features:
    values = {
        key: Measure(float(value), BY_ID[key].unit, "sample")
        for key, value in sample.get("values", {}).items()
    }
    labels = sample.get("labels", {})
    duration = values.get("task_duration_us", Measure(100.0, "us", "sample"))
    op = Operator(name, labels.get("op_type"), labels.get("core", "unknown"), 1, duration, duration.value)
    return Features(op, values, labels)


def sample(bottleneck: str) -> dict[str, Any]:
    return yaml.safe_load((SAMPLES / f"{bottleneck}.yaml").read_text(encoding="utf-8"))


def judge(bottleneck: str, data: dict[str, Any]) -> Held | None:
    rule = registry()[bottleneck]
    if rule.judge_run is not None:
        run = Features(None, {k: Measure(float(v), BY_ID[k].unit, "sample") for k, v in data["run"].items()})
        if rule.missing(run):
            return None
        return rule.judge_run(run, [features(op, f"op{i}") for i, op in enumerate(data["operators"])])
    f = features(data)
    if not rule.applies(f) or rule.missing(f):
        return None
    assert rule.judge is not None
    return rule.judge(f)


def test_registry_is_the_vocabulary() -> None:
    assert set(registry()) == set(IDS)


def test_every_bottleneck_has_a_sample() -> None:
    assert {path.stem for path in SAMPLES.glob("*.yaml")} == set(IDS)


@pytest.mark.parametrize("bottleneck", IDS)
def test_fires_on_its_sample_with_evidence(bottleneck: str) -> None:
    data = sample(bottleneck)
    if data["fires"] is None:
        assert data["why"]
        return
    held = judge(bottleneck, data["fires"])
    assert held is not None
    assert held.evidence and held.summary
    assert 0 < held.confidence <= 1
    assert held.headroom is None or 0 <= held.headroom <= 1


@pytest.mark.parametrize("bottleneck", IDS)
def test_quiet_on_a_healthy_sample(bottleneck: str) -> None:
    assert judge(bottleneck, sample(bottleneck)["quiet"]) is None


@pytest.mark.parametrize("bottleneck", IDS)
def test_says_what_is_missing(bottleneck: str) -> None:
    rule = registry()[bottleneck]
    empty = Features(None, {})
    assert rule.missing(empty) == rule.needs
    for need in rule.needs:
        assert all(name in BY_ID for name in need.split("|")), f"{need} is no metric"
    assert rule.why


def test_every_limit_is_sourced_and_used() -> None:
    code = "".join(
        path.read_text(encoding="utf-8") for path in Path("kb/engine/bottlenecks").resolve().glob("*.py")
    )
    for (bottleneck, name), threshold in thresholds().items():
        assert threshold.source and threshold.grade in ("tool", "doc", "third-party", "own")
        assert f'limit("{bottleneck}", "{name}")' in code or f'limit("{bottleneck}", name)' in code, (
            bottleneck,
            name,
        )


def test_a_vector_unit_that_does_nothing_is_waited_for_by_nobody() -> None:
    """A mixed launch whose scalar unit works alone: the scalar share is work, no hand-over."""
    fires = sample("cv-sync-bound")["fires"]
    alone = {**fires, "values": {**fires["values"], "aiv_vec_ratio": 0.0}}
    assert judge("cv-sync-bound", fires) is not None
    assert judge("cv-sync-bound", alone) is None


@pytest.mark.parametrize(("hand_written", "fires"), [("yes", True), ("no", False)])
def test_a_library_product_is_not_told_to_use_the_cube(hand_written: str, fires: bool) -> None:
    labels = {"core": "mix", "op_type": "FusedInferAttentionScore", "op_pattern": "attention"}
    data = {"labels": labels | {"hand_written": hand_written}, "values": {"aic_mac_ratio": 0.02}}
    assert (judge("cube-idle-no-dot", data) is not None) is fires


def _alone(core: str, values: dict[str, float], **labels: str) -> dict[str, Any]:
    return {
        "labels": {"core": core, "op_type": "X", **labels},
        "values": {"task_duration_us": 500.0, **values},
    }


@pytest.mark.parametrize(
    ("bottleneck", "data", "fires"),
    [
        ("small-mte2-reads", _alone("unknown", {"bytes_per_mte2_instruction": 128}), True),
        ("small-mte2-reads", _alone("unknown", {"bytes_per_mte2_instruction": 65536}), False),
        ("l2-thrash", _alone("unknown", {"l2_hit_rate": 0.01}), True),
        # a capture with counters starts with a cold L2: the rate alone says nothing there
        ("l2-thrash", _alone("vector", {"l2_hit_rate": 0.01, "max_pipe_ratio": 0.9}), False),
        ("pure-transport-with-vector-time", _alone("vector", {"aiv_vec_ratio": 0.6}, op_pattern="transpose"), True),
        ("cv-sync-bound", _alone("mix", {"aic_scalar_ratio": 0.7, "aic_mac_ratio": 0.1}, op_pattern="attention"), True),
        ("cv-sync-bound", _alone("mix", {"aic_scalar_ratio": 0.7, "aic_mac_ratio": 0.1}, op_pattern="matmul"), False),
        (
            "cv-sync-bound",
            _alone(
                "mix", {"aic_scalar_ratio": 0.7, "aic_mac_ratio": 0.1}, op_pattern="attention", kernel_language="library"
            ),
            False,
        ),
        ("far-from-floor", _alone("vector", {"floor_ratio": 0.1, "aiv_vec_ratio": 0.8, "max_pipe_ratio": 0.8}), False),
        ("gemv-small-m", _alone("cube", {"matmul_m": 16, "matmul_n": 16, "matmul_k": 1024}, op_pattern="matmul"), False),
    ],
)  # fmt: skip
def test_partial_counters_are_judged_with_low_confidence_or_not_at_all(
    bottleneck: str, data: dict[str, Any], fires: bool
) -> None:
    held = judge(bottleneck, data)
    assert (held is not None) is fires
    if held is not None:
        assert held.confidence <= 0.5, "what was not measured is not sure"


def test_small_products_near_their_floor_are_left_alone() -> None:
    """A decoding step's linear layers stream their weights: short, on a part of the cores, and at the memory's rate."""
    fires = sample("many-small-products")["fires"]
    near = copy.deepcopy(fires)
    for kernel in near["operators"]:
        kernel["values"] |= {"floor_ratio": 0.85, "memory_floor_us": 10.0, "compute_floor_us": 1.0}
    assert judge("many-small-products", fires) is not None
    assert judge("many-small-products", near) is None
