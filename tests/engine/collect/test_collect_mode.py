"""Which mode is chosen, and which options it refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest
from collect_machine import Machine, without

from kb.engine.collect import Options, choose_mode
from kb.errors import CollectError, SourceError, UsageError

APP = ("./add_custom",)


def _mode(machine: Machine, target: tuple[str, ...] = APP, **options: Any) -> str:
    return choose_mode(Options(target, **options), machine.look()).mode


def test_auto_takes_the_device_when_device_and_driver_are_there(machine: Machine) -> None:
    choice = choose_mode(Options(APP, soc="Ascend910B2"), machine.look())
    assert choice.mode == "device"
    assert "davinci0" in choice.why
    assert "25.0.rc1" in choice.why
    assert choice.can
    assert choice.cannot


def test_auto_takes_the_simulator_when_only_its_libraries_and_the_chip_are_known(machine: Machine) -> None:
    environment = without(machine.look(), devices=())
    choice = choose_mode(Options(APP, soc="910b2"), environment)
    assert choice.mode == "simulator"
    assert "no device" in choice.why
    assert "Ascend910B2" in choice.why


def test_a_device_file_without_driver_is_no_device(machine: Machine) -> None:
    environment = without(machine.look(), driver_version=None, npu_smi=None)
    assert choose_mode(Options(APP, soc="Ascend910B2"), environment).mode == "simulator"


def test_auto_without_device_and_chip_asks_for_the_chip_by_name(machine: Machine) -> None:
    with pytest.raises(CollectError, match="not named") as caught:
        choose_mode(Options(APP), without(machine.look(), devices=()))
    assert "Ascend310P3, Ascend910B2" in caught.value.now


def test_auto_without_device_and_with_a_foreign_chip_says_what_is_installed(machine: Machine) -> None:
    with pytest.raises(CollectError, match="no simulator for Ascend950PR") as caught:
        choose_mode(Options(APP, soc="Ascend950PR"), without(machine.look(), devices=()))
    assert "Ascend910B2" in caught.value.now


def test_auto_with_nothing_at_all_says_both_reasons(machine: Machine) -> None:
    del machine.variables["ASCEND_HOME_PATH"]
    with pytest.raises(CollectError, match="nothing to measure with") as caught:
        choose_mode(Options(APP), without(machine.look(), devices=()))
    assert "/dev/davinci*" in caught.value.where
    assert "ASCEND_HOME_PATH" in caught.value.where
    assert "kb advise" in caught.value.now


def test_an_onnx_model_and_an_operator_json_are_estimated(machine: Machine) -> None:
    (machine.work / "net.onnx").write_bytes(b"\x08\x08")
    (machine.work / "ops.json").write_text(json.dumps([{"operator": "MatMul"}]))
    assert _mode(machine, ("net.onnx",)) == "estimate"
    assert _mode(machine, ("ops.json",)) == "estimate"
    with pytest.raises(UsageError, match="cannot run"):
        _mode(machine, ("net.onnx",), mode="device")


def test_a_program_cannot_be_estimated(machine: Machine) -> None:
    with pytest.raises(UsageError, match="cannot be estimated"):
        _mode(machine, mode="estimate")


@pytest.mark.parametrize(("inside", "mode"), [("onboard", "device"), ("ca", "simulator")])
def test_a_config_json_decides_and_contradicting_it_is_refused(
    machine: Machine, inside: str, mode: str
) -> None:
    (machine.work / "op.json").write_text(json.dumps({"kernel_path": "./a.o", "mode": inside}))
    assert _mode(machine, ("op.json",), soc="Ascend910B2") == mode
    other = "device" if mode == "simulator" else "simulator"
    with pytest.raises(UsageError) as caught:
        _mode(machine, ("op.json",), soc="Ascend910B2", mode=other)
    assert f"--mode {mode}" in caught.value.now


def test_a_config_json_takes_no_kernel_name_and_no_arguments(machine: Machine) -> None:
    (machine.work / "op.json").write_text(json.dumps({"kernel_path": "./a.o"}))
    with pytest.raises(UsageError, match="one kernel"):
        _mode(machine, ("op.json",), kernel_name="a*")
    with pytest.raises(UsageError, match="no program arguments"):
        _mode(machine, ("op.json", "1"))


@pytest.mark.parametrize(
    ("text", "says"),
    [("{", "damaged JSON"), ('{"a": 1}', "neither"), ("[]", "neither"), ("[" * 100_000, "JSON")],
)
def test_foreign_or_damaged_json_is_a_source_error(machine: Machine, text: str, says: str) -> None:
    (machine.work / "x.json").write_text(text)
    with pytest.raises(SourceError, match=says):
        _mode(machine, ("x.json",))


SIM: dict[str, Any] = {"mode": "simulator", "soc": "910B2"}
DEV: dict[str, Any] = {"mode": "device"}


@pytest.mark.parametrize(
    ("options", "where", "now"),
    [
        ({"mode": "simulator"}, "--soc", "Ascend910B2"),
        ({"mode": "simulator", "soc": "Ascend910B9"}, "--soc", "Ascend910B2"),
        ({**SIM, "warm_up": 3}, "--warm-up", "--mode device"),
        ({**SIM, "replay_mode": "kernel"}, "--replay-mode", "--mode device"),
        ({**SIM, "aic_metrics": ("MemoryUB",)}, "--aic-metrics", "--mode device"),
        ({**DEV, "aic_metrics": ("PMSampling",)}, "--aic-metrics", "--mode simulator"),
        ({**DEV, "aic_metrics": ("MemoryDetail",), "replay_mode": "range"}, "--aic-metrics", "kernel"),
        (
            {**DEV, "aic_metrics": ("TimelineDetail",), "replay_mode": "application"},
            "--aic-metrics",
            "kernel",
        ),
        ({**DEV, "aic_metrics": ("PipeTimeline",), "soc": "Ascend910B2"}, "--aic-metrics", "Default"),
        ({**DEV, "aic_metrics": ("Occupancy",), "soc": "Ascend310P3"}, "--aic-metrics", "Default"),
        ({**DEV, "replay_mode": "range", "warm_up": 0}, "--warm-up", "1"),
    ],
    ids=lambda value: str(value)[:50],
)
def test_options_of_the_other_mode_are_refused_with_the_alternative(
    machine: Machine, options: dict[str, Any], where: str, now: str
) -> None:
    with pytest.raises(UsageError) as caught:
        _mode(machine, **options)
    assert where in caught.value.where
    assert now in caught.value.now
