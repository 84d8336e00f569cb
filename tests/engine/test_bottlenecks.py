"""Every bottleneck fires on its sample, stays quiet on a healthy one, and says what it lacks."""

from __future__ import annotations

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
