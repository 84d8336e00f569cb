"""Advice ahead of the device: what a forecast promises, and that it never passes for a measurement."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kb.engine import ahead, network
from kb.engine.check import check
from kb.engine.estimate.scales import Scale
from kb.engine.migration import migration_document, plan, suspects
from kb.engine.pipeline import Knowledge, open_knowledge
from kb.engine.request import Request
from kb.errors import NothingToJudge, SourceError, UsageError
from kb.graph import parse
from kb.model import Gain, Recommendation, to_dict
from kb.report.json import document
from kb.report.load import report_from_dict
from tools.samples import models
from tools.samples import onnx_writer as w

SOC = "Ascend310P3"


@pytest.fixture(scope="module")
def knowledge() -> Knowledge:
    known = open_knowledge()
    return Knowledge(known.entries, lambda *_: {}, known.version)  # nearness is not what is tested here


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    models.shipped(folder)
    return folder / "tiny_detector.onnx"


@pytest.fixture(scope="module")
def found(model: Path, knowledge: Knowledge) -> ahead.Ahead:
    return ahead.of_model(model, Request(soc=SOC), knowledge=knowledge)


def test_the_forecast_has_all_it_promises(found: ahead.Ahead) -> None:
    forecast = found.report.forecast
    assert forecast is not None
    assert 0 < forecast.low_us < forecast.mid_us < forecast.high_us
    known = [row for row in forecast.operators if row.mid_us is not None]
    assert sum(row.share or 0 for row in known) == pytest.approx(1, abs=1e-4)
    assert sum(row.mid_us or 0 for row in known) == pytest.approx(forecast.mid_us, rel=1e-4)
    assert sum(forecast.bounds.values()) == pytest.approx(1, abs=1e-3)
    assert sum(forecast.engines.values()) == forecast.calls == sum(row.count for row in forecast.operators)
    for row in known:
        assert row.low_us is not None and row.high_us is not None and row.mid_us is not None
        assert row.low_us <= row.mid_us <= row.high_us and row.bound and row.basis
    convolutions = [row for row in known if row.type == "Conv2D"]
    assert all(row.flops and row.bytes for row in convolutions)
    assert {check.name for check in forecast.checks} >= {"cube utilisation", "roofline bound"}
    assert any("force_fp16" in text for text in forecast.assumptions)
    assert any("TransData" in text for text in forecast.assumptions)


def test_what_cannot_be_estimated_says_so_and_is_left_out(found: ahead.Ahead) -> None:
    forecast = found.report.forecast
    assert forecast is not None
    missing = [row for row in forecast.operators if row.not_estimated]
    assert [row.type for row in missing] == ["NonMaxSuppressionV6"]
    assert forecast.not_estimated == 1 and missing[0].mid_us is None
    assert "without 1 call that" in found.report.headline


def test_nothing_passes_for_a_measurement(found: ahead.Ahead) -> None:
    report = found.report
    assert report.headline.startswith("Estimate, nothing measured")
    assert report.capture.tool == "estimate"
    assert any("nothing was measured" in text for text in report.warnings)
    assert all(finding.confidence <= ahead.MOST_SURE for finding in report.findings)


def test_a_fallback_is_found_blamed_and_has_a_way_out(found: ahead.Ahead) -> None:
    pool = next(row for row in found.report.forecast.operators if row.type == "AvgPoolV2")  # type: ignore[union-attr]
    assert (pool.engine, pool.bound) == ("ai_cpu", "ai_cpu")
    assert "avgpool-kernel-limit" in pool.advice
    assert any(finding.pattern == "aicpu-fallback" for finding in found.report.findings)


def test_the_report_survives_the_store(found: ahead.Ahead) -> None:
    whole = document(found.report)
    assert report_from_dict(json.loads(json.dumps(whole))) == found.report


def test_same_model_same_answer(model: Path, knowledge: Knowledge, found: ahead.Ahead) -> None:
    again = ahead.of_model(model, Request(soc=SOC), knowledge=knowledge)
    assert document(again.report) == document(found.report)


def test_a_calibration_changes_times_and_is_named(
    model: Path, knowledge: Knowledge, found: ahead.Ahead
) -> None:
    scale = Scale(10.0, 10.0, 10.0, "calibrated by 10 on 5 kernels of p", 0.9, 1.1)
    slow = ahead.of_model(model, Request(soc=SOC), (), lambda _: {"convolution": scale}, knowledge)
    one, other = slow.report.forecast, found.report.forecast
    assert one is not None and other is not None
    assert one.mid_us > 2 * other.mid_us
    row = next(row for row in one.operators if row.type == "Conv2D")
    assert "calibrated by 10" in row.basis
    assert row.high_us == pytest.approx((row.mid_us or 0) * 1.1, rel=1e-3)


def test_operators_listed_by_hand(model: Path, knowledge: Knowledge) -> None:
    path = model.parent / "decoder_layer.json"
    found = ahead.of_operators(path, Request(), knowledge=knowledge)
    forecast = found.report.forecast
    assert forecast is not None and forecast.soc == "Ascend910B3"
    assert forecast.operators[0].type == "MatMulV2" and forecast.operators[0].bound == "memory"
    other = ahead.of_operators(path, Request(soc="Ascend910B4"), knowledge=knowledge).report.forecast
    assert other is not None and other.mid_us > forecast.mid_us, "half the bandwidth"


def test_softmax_on_a2_prints_its_doubt(tmp_path: Path, knowledge: Knowledge) -> None:
    path = tmp_path / "s.json"
    path.write_text(
        json.dumps(
            {"operators": [{"type": "SoftmaxV2", "in_shapes": [[64, 1024]], "in_dtypes": ["float16"]}]}
        )
    )
    forecast = ahead.of_operators(path, Request(soc="Ascend910B2"), knowledge=knowledge).report.forecast
    assert forecast is not None and "factor of 3" in forecast.doubts[0]
    row = forecast.operators[0]
    assert row.high_us >= 3 * row.mid_us * 0.999 and "factor of 3" in row.basis  # type: ignore[operator]


@pytest.mark.parametrize(
    "text",
    [
        '{"operators": [{"type": "Add", "count": 3, "share": 0.5}]}',
        '{"operators": [{"type": "MyOwn", "in_shapes": [[2]]}]}',
    ],
)
def test_nothing_to_estimate_is_said(tmp_path: Path, knowledge: Knowledge, text: str) -> None:
    path = tmp_path / "ops.json"
    path.write_text(text)
    with pytest.raises(NothingToJudge):
        ahead.of_operators(path, Request(soc=SOC), knowledge=knowledge)


def test_faults_of_the_request(model: Path, knowledge: Knowledge, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        ahead.of_model(model, Request(), knowledge=knowledge)
    with pytest.raises(UsageError):
        ahead.of_model(model, Request(soc="Ascend999"), knowledge=knowledge)
    with pytest.raises(UsageError):
        ahead.of_model(model, Request(soc=SOC), ["other:1,3,8,8"], knowledge=knowledge)
    (tmp_path / "bad.onnx").write_bytes(b"\x00\x01\x02")
    with pytest.raises(SourceError):
        ahead.of_model(tmp_path / "bad.onnx", Request(soc=SOC), knowledge=knowledge)


def test_the_plan_goes_from_what_stops_to_what_helps(found: ahead.Ahead) -> None:
    steps = plan(found)
    kinds = [step.kind for step in steps]
    assert kinds == sorted(kinds, key=["import", "limit", "fallback", "unknown", "advice", "measure"].index)
    assert kinds[-1] == "measure" and "fallback" in kinds and "advice" in kinds
    fallback = next(step for step in steps if step.kind == "fallback")
    assert "avgpool-kernel-limit" in fallback.entries


def test_the_plan_says_once_how_to_leave_the_ai_cpu(found: ahead.Ahead) -> None:
    findings = {one.id: one.pattern for one in found.report.findings}
    advised = {one.id: findings.get(one.finding) for one in found.report.recommendations}
    assert "aicpu-fallback" in advised.values()
    ids = [step.entries[0] for step in plan(found) if step.kind == "advice"]
    assert ids and all(advised[name] != "aicpu-fallback" for name in ids)


def test_advice_of_a_plan_goes_by_what_it_likely_saves(found: ahead.Ahead) -> None:
    one, *_ = found.report.recommendations

    def advice(name: str, likely: float, only_if: str | None = None) -> Recommendation:
        gain = Gain(-0.01, likely, 0.5, "run", "measured: elsewhere")
        return replace(one, id=name, finding="none", gain=gain, only_if=only_if)

    listed = (advice("small", 0.02), advice("large", 0.2), advice("depends", 0.4, "only when training"))
    steps = plan(replace(found, report=replace(found.report, recommendations=listed)))
    told = [step for step in steps if step.kind == "advice"]
    assert [step.entries[0] for step in told] == ["large", "small", "depends"]
    assert told[-1].why == "only when training" and told[0].saves_likely == 0.2


def test_what_to_profile_first_is_unknown_or_uncertain(found: ahead.Ahead) -> None:
    assert found.report.forecast is not None
    rows = suspects(found.report.forecast)
    assert rows[0].not_estimated
    assert len({row.type for row in rows}) == len(rows) <= 5


def test_a_model_that_cannot_be_imported_starts_its_plan_with_that(
    tmp_path: Path, knowledge: Knowledge
) -> None:
    nodes = [w.node("Relu", ["x"], ["a"]), w.node("Magic", ["a"], ["y"], domain="my.own")]
    path = tmp_path / "m.onnx"
    path.write_bytes(
        w.model(w.graph(nodes, [w.value("x", [4, 64])], [w.value("y", [4, 64])]), 17, {"my.own": 1})
    )
    found = ahead.of_model(path, Request(soc=SOC), knowledge=knowledge)
    assert plan(found)[0].kind == "import"
    forecast = found.report.forecast
    assert forecast is not None and forecast.not_estimated == 1
    whole = migration_document(found, knowledge.entries)
    assert whole["coverage"]["importable"] is False
    assert json.loads(json.dumps(whole)) == whole


def test_a_broken_limit_is_exit_status_one() -> None:
    node = w.node("Conv", ["x", "w"], ["y"], kernel_shape=[3, 3], strides=[64, 64])
    graph = w.graph(
        [node], [w.value("x", [1, 3, 256, 256])], [w.value("y", None)], [w.tensor("w", [8, 3, 3, 3])]
    )
    result = check(parse(w.model(graph)), SOC)
    assert (result.falls_back, result.importable, result.breaks_limits, result.exit_status) == (
        False,
        True,
        1,
        1,
    )


def test_every_call_keeps_its_layers(model: Path) -> None:
    from kb.graph import read

    calls = network.convert(read(model), SOC, {}).network.calls
    merged = [layer for call in calls for layer in call.layers]
    assert merged.count("Conv") == 30 and merged.count("Sigmoid") == 29
    assert to_dict(calls[0])["type"] == "TransData"
