"""Each prerequisite: passed, failed or unknown, with a remedy."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from collect_machine import Machine, is_root, without

from kb.engine.collect import doctor
from kb.engine.collect.doctor import Check, Question, can_collect, run_checks


def _checks(machine: Machine, **options: str) -> dict[str, Check]:
    return {check.id: check for check in run_checks(machine.look(), **options)}


@pytest.fixture
def whole(machine: Machine) -> Machine:
    """A machine on which everything passes, except that the test may run as root."""
    machine.play(version="26.1.0")
    programs = Path(machine.variables["PATH"].split(":")[0])
    (programs / "npu-smi").write_text("#!/bin/sh\necho ok\n")
    (programs / "npu-smi").chmod(0o755)
    proc = machine.root / "proc"
    proc.mkdir()
    (proc / "meminfo").write_text("MemTotal: 99 kB\nMemAvailable:   67108864 kB\n")
    return machine


def test_a_whole_machine_passes_everything(whole: Machine) -> None:
    checks = _checks(whole, soc="Ascend910B2")
    failed = {name for name, check in checks.items() if check.state != "pass"} - {"root", "disk"}
    assert failed == set()
    assert can_collect(checks.values())
    assert checks["root"].state == ("fail" if is_root() else "pass")


def test_every_check_that_does_not_pass_has_a_remedy(machine: Machine, tmp_path: Path) -> None:
    bare = without(
        machine.look(), variables={}, tool=None, looked=("msopprof on PATH",), home=None, cann_version=None,
        simulators=(), devices=(), npu_smi=None, driver_version=None, root=tmp_path / "void",
    )  # fmt: skip
    checks = run_checks(bare)
    assert len(checks) == 12
    assert len({check.id for check in checks}) == 12
    for check in checks:
        assert check.found
        assert bool(check.remedy) == (check.state != "pass"), check
    assert not can_collect(checks)


def test_an_unknown_version_is_unknown_and_does_not_block(whole: Machine) -> None:
    whole.play(version="")
    checks = _checks(whole)
    assert checks["msopprof-version"].state == "unknown"
    assert "1.0.0" in checks["msopprof-version"].title
    assert can_collect(checks.values())


@pytest.mark.parametrize(("version", "state"), [("0.9.1", "fail"), ("1.0.0", "pass"), ("26.1.0", "pass")])
def test_versions_of_msopprof(whole: Machine, version: str, state: str) -> None:
    whole.play(version=version)
    checks = _checks(whole)
    assert checks["msopprof-version"].state == state
    assert can_collect(checks.values()) == (state == "pass")


@pytest.mark.parametrize(
    ("version", "state"),
    [("6.3.RC2", "fail"), ("7.0.0", "pass"), ("8.0.RC3", "pass"), ("next", "unknown"), (None, "unknown")],
)
def test_versions_of_cann(whole: Machine, version: str | None, state: str) -> None:
    checks = {check.id: check for check in run_checks(without(whole.look(), cann_version=version))}
    assert checks["cann"].state == state
    assert can_collect(checks.values()) == (state != "fail")


def test_a_simulator_is_enough(whole: Machine) -> None:
    shutil.rmtree(whole.root / "dev")
    checks = _checks(whole)
    assert checks["device"].state == "fail"
    assert can_collect(checks.values())
    checks = _checks(whole, soc="Ascend950PR")
    assert checks["simulator"].state == "fail"
    assert "Ascend910B2" in checks["simulator"].found
    assert not can_collect(checks.values())


@pytest.mark.parametrize(
    ("script", "state"), [("exit 0", "pass"), ("echo DrvMngGetConsoleLogLevel failed; exit 1", "fail")]
)
def test_npu_smi_is_asked(whole: Machine, script: str, state: str) -> None:
    programs = Path(whole.variables["PATH"].split(":")[0])
    (programs / "npu-smi").write_text(f"#!/bin/sh\n{script}\n")
    check = _checks(whole)["driver"]
    assert check.state == state
    assert ("DrvMng" in check.found) == (state == "fail")


@pytest.mark.parametrize(("kib", "state"), [(30 * 1024**2, "pass"), (2 * 1024**2, "fail")])
def test_free_memory(whole: Machine, kib: int, state: str) -> None:
    (whole.root / "proc/meminfo").write_text(f"MemAvailable: {kib} kB\n")
    assert _checks(whole)["memory"].state == state


def test_the_limit_of_a_container_counts(whole: Machine) -> None:
    group = whole.root / "sys/fs/cgroup"
    group.mkdir(parents=True)
    (group / "memory.max").write_text(f"{4 * 1024**3}\n")
    (group / "memory.current").write_text(f"{1024**3}\n")
    check = _checks(whole)["memory"]
    assert (check.state, check.found) == ("fail", "3 GiB")
    (group / "memory.max").write_text("max\n")
    assert _checks(whole)["memory"].state == "pass"


def test_an_output_folder_that_others_can_write(whole: Machine) -> None:
    (whole.work / "open").mkdir()
    (whole.work / "open").chmod(0o777)
    assert _checks(whole, output="open")["output"].state == "pass", "26.1 only warns"
    whole.play(version="")
    check = _checks(whole, output="open/new")["output"]
    assert check.state == "fail"
    assert "writable for others" in check.found


def test_another_package_named_kb(whole: Machine) -> None:
    question = Question(
        whole.look(), whole.work, None, ("ascend-kb", "ascend_kb", "kb-manager", "kb-manager")
    )
    check = doctor._clash(question)
    assert check.state == "fail"
    assert "kb-manager" in check.found
    assert "pip uninstall kb-manager" in check.remedy
    assert doctor._clash(Question(whole.look(), whole.work, None, ("ascend-kb",))).state == "pass"
