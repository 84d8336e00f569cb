"""The exact command, the folder, the wrapper; nothing is written by planning."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path

import pytest
from collect_machine import STANDIN, Machine, is_root, without

from kb.engine.collect import Options, plan, render_plan
from kb.errors import CollectError, UsageError


def _listing(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_the_whole_command_of_a_device_run(machine: Machine) -> None:
    before = _listing(machine.work)
    planned = machine.plan(
        ("./add_custom", "8", "128"),
        mode="device",
        output="out",
        launch_count=5,
        warm_up=10,
        aic_metrics=("memory", "L2Cache"),
        replay_mode="application",
    )
    assert planned.argv == (
        "msopprof",
        f"--output={machine.work / 'out'}",
        "--kernel-name=add_custom*",
        "--launch-count=5",
        "--aic-metrics=Memory,L2Cache",
        "--replay-mode=application",
        "--warm-up=10",
        "./add_custom",
        "8",
        "128",
    )
    assert planned.tables == ("L2Cache", "Memory")
    assert planned.wrapper is None
    assert planned.capture.replay_mode == "application"
    assert planned.capture.warm_up == 10
    assert not planned.capture.simulated
    assert _listing(machine.work) == before


def test_the_whole_command_of_a_simulator_run(machine: Machine) -> None:
    planned = machine.plan(mode="simulator", soc="910b2", output="out", aic_metrics=("PMSampling",))
    assert planned.argv == (
        "msopprof",
        "simulator",
        f"--output={machine.work / 'out'}",
        "--soc-version=Ascend910B2",
        "--kernel-name=add_custom*",
        "--aic-metrics=PMSampling",
        "./add_custom",
    )
    assert planned.capture.simulated
    assert planned.capture.replay_mode is None


def test_the_two_forms_of_the_original_skill(machine: Machine) -> None:
    planned = machine.plan(mode="device", output="DIR", kernel_name=None)
    assert planned.argv[0] == "msopprof"
    assert planned.argv[1] == f"--output={machine.work / 'DIR'}"
    assert planned.argv[-1] == "./add_custom"
    assert planned.mode.mode == "device"


def test_msprof_op_stands_in_where_msopprof_is_missing(machine: Machine) -> None:
    programs = Path(machine.variables["PATH"].split(":")[0])
    (programs / "msopprof").unlink()
    (programs / "msprof").symlink_to(STANDIN / "msprof")
    assert machine.plan().argv[:2] == ("msprof", "op")


def test_the_tool_is_found_below_ascend_home_path(machine: Machine) -> None:
    (Path(machine.variables["PATH"].split(":")[0]) / "msopprof").unlink()
    place = Path(machine.variables["ASCEND_HOME_PATH"]) / "tools/msopprof/bin"
    place.mkdir(parents=True)
    (place / "msopprof").symlink_to(STANDIN / "msopprof")
    assert machine.plan().argv[0] == str(place / "msopprof")


def test_without_a_tool_the_command_is_still_shown(machine: Machine) -> None:
    environment = without(machine.look(), tool=None)
    planned = plan(Options(("./add_custom",), mode="device"), environment)
    assert planned.argv[0] == "msopprof"
    assert "tool-missing" in {notice.code for notice in planned.notices}
    assert "shown, not run" in render_plan(planned)


@pytest.mark.parametrize(
    ("version", "cann", "asked", "given"),
    [
        ("", "8.5.0", 101, 100),
        ("", "8.5.0", 100, 100),
        ("26.1.0", "8.5.0", 5000, 5000),
        ("", "9.0.0", 5000, 5000),
    ],
)
def test_more_than_100_launches_only_where_the_version_is_known(
    machine: Machine, version: str, cann: str, asked: int, given: int
) -> None:
    machine.play(version=version)
    environment = without(machine.look(), cann_version=cann)
    planned = plan(Options(("./add_custom",), launch_count=asked), environment)
    assert f"--launch-count={given}" in planned.argv
    assert ("launch-count-capped" in {notice.code for notice in planned.notices}) == (asked != given)
    assert planned.asked_launches == given


def test_range_replay_switches_mstx_on(machine: Machine) -> None:
    assert "--mstx=on" in machine.plan(replay_mode="range").argv
    assert not any(word.startswith("--mstx") for word in machine.plan().argv)


def test_missing_kernel_name_is_said(machine: Machine) -> None:
    codes = {notice.code for notice in machine.plan(kernel_name=None).notices}
    assert "first-kernel-only" in codes
    assert "first-kernel-only" not in {notice.code for notice in machine.plan().notices}


@pytest.mark.parametrize("odd", ["two words", "it's", 'say "x"', "", "a\nb", "$HOME", "*", "ein Maß"])
def test_odd_arguments_go_through_a_wrapper_that_keeps_them(machine: Machine, odd: str) -> None:
    machine.program("show", '#!/bin/sh\nprintf "%s|" "$@"\n')
    planned = machine.plan(("./show", "plain", odd))
    assert planned.wrapper is not None
    assert planned.argv[-1] == str(planned.wrapper.path)
    assert not set(" '\"") & set(planned.argv[-1])
    text = planned.wrapper.text
    shown = subprocess.run(["/bin/sh", "-c", text], cwd=machine.work, capture_output=True, check=True)
    assert shown.stdout.decode() == f"plain|{odd}|"


def test_a_wrapper_goes_elsewhere_when_the_output_path_is_odd(machine: Machine) -> None:
    planned = machine.plan(("./add_custom", "a b"), output="my results")
    assert planned.wrapper is not None
    assert str(planned.wrapper.path).startswith(machine.variables["TMPDIR"])
    environment = without(machine.look(), temporary=Path("/my tmp"))
    with pytest.raises(UsageError, match="wrapper"):
        plan(Options(("./add_custom", "a b"), output="my results"), environment)


def test_a_config_json_in_both_modes(machine: Machine) -> None:
    path = machine.work / "op.json"
    path.write_text(json.dumps({"kernel_path": "./a.o", "mode": "ca"}))
    planned = machine.plan(("op.json",), kernel_name=None, soc="Ascend910B2")
    assert planned.argv[-1] == f"--config={path}"
    assert not any(word.startswith("--soc-version") for word in planned.argv), "not honoured with --config"
    libraries = f"{machine.variables['ASCEND_HOME_PATH']}/tools/simulator/Ascend910B2/lib"
    assert planned.variables == {"LD_LIBRARY_PATH": libraries}
    assert f"LD_LIBRARY_PATH={libraries} msopprof simulator" in render_plan(planned)
    path.write_text(json.dumps({"kernel_path": "./a.o", "mode": "onboard"}))
    planned = machine.plan(("op.json",), kernel_name=None)
    assert planned.variables == {}
    assert "simulator" not in planned.argv


@pytest.mark.parametrize(
    ("target", "says"),
    [
        (("./missing",), "does not exist"),
        (("missing",), "does not exist"),
        ((".",), "folder"),
        (("./notes.txt",), "not executable"),
        (("./infer.py",), "not executable"),
        (("python3", "nowhere.py"), "script does not exist"),
    ],
)
def test_targets_that_cannot_run_are_refused(machine: Machine, target: tuple[str, ...], says: str) -> None:
    (machine.work / "notes.txt").write_text("x")
    (machine.work / "infer.py").write_text("x")
    with pytest.raises(UsageError, match=says) as caught:
        machine.plan(target)
    assert caught.value.now
    if target[0].endswith(".py"):
        assert "-- python3 ./infer.py" in caught.value.now


def test_python_targets_and_bare_names(machine: Machine) -> None:
    (machine.work / "infer.py").write_text("print()")
    planned = machine.plan(("python3", "infer.py", "--steps=3"))
    assert planned.argv[-3:] == ("python3", "infer.py", "--steps=3")
    assert planned.output.path.name.startswith("infer-")
    assert machine.plan(("add_custom",)).argv[-1] == "./add_custom", "the shell would not find it either"
    assert machine.plan(("python3", "-m", "bench.run")).output.path.name.startswith("bench.run-")


def test_the_default_folder_is_private_named_after_the_target_and_shown(machine: Machine) -> None:
    planned = machine.plan()
    assert planned.output.path.parent == machine.work / "kb-profiles"
    assert planned.output.path.name.startswith("add_custom-20")
    assert str(planned.output.path) in render_plan(planned)


def test_a_folder_that_others_can_read_gets_a_private_one_inside(machine: Machine) -> None:
    out = machine.work / "out"
    out.mkdir(mode=0o755)
    planned = machine.plan(output="out")
    assert planned.output.path.parent == out
    assert "output-inside" in {notice.code for notice in planned.notices}
    out.chmod(0o700)
    assert machine.plan(output="out").output.path == out


def test_links_in_the_output_path_are_resolved_and_said(machine: Machine) -> None:
    (machine.work / "real").mkdir(mode=0o700)
    (machine.work / "link").symlink_to("real")
    planned = machine.plan(output="link")
    assert planned.output.path == machine.work / "real"
    assert "output-link" in {notice.code for notice in planned.notices}
    (machine.work / "dead").symlink_to("nowhere")
    with pytest.raises(UsageError, match="link to nothing"):
        machine.plan(output="dead")


def test_output_that_is_a_file_or_too_long_is_refused(machine: Machine) -> None:
    (machine.work / "file").write_text("")
    with pytest.raises(UsageError, match="file, not a folder"):
        machine.plan(output="file")
    with pytest.raises(UsageError, match="200"):
        machine.plan(output="d" * 200)


def test_a_parent_that_others_can_write_is_a_notice_for_old_or_unknown_versions(machine: Machine) -> None:
    parent = machine.work / "open"
    parent.mkdir()
    parent.chmod(0o777)
    assert "permission" in {notice.code for notice in machine.plan(output="open/x").notices}
    machine.play(version="26.1.0")
    assert "permission" not in {notice.code for notice in machine.plan(output="open/x").notices}


def test_the_shown_command_can_be_pasted(machine: Machine) -> None:
    planned = machine.plan(("./add_custom", "1"), kernel_name="a*|b*")
    line = next(line for line in render_plan(planned).splitlines() if line.startswith("Command"))
    assert tuple(shlex.split(line.removeprefix("Command"))) == planned.argv


def test_estimate_is_not_planned(machine: Machine) -> None:
    (machine.work / "net.onnx").write_bytes(b"\x08")
    with pytest.raises(UsageError, match="nothing is collected"):
        plan(Options(("net.onnx",)), machine.look())


def test_explicit_device_mode_without_a_device_is_planned_with_a_warning(machine: Machine) -> None:
    environment = without(machine.look(), devices=())
    planned = plan(Options(("./add_custom",), mode="device"), environment)
    assert "no-device" in {notice.code for notice in planned.notices}
    with pytest.raises(CollectError):
        plan(Options(("./add_custom",)), environment)


@pytest.mark.parametrize(
    ("info", "version"),
    [
        ({"ascend_toolkit_install.info": "package_name=x\nversion=8.2.RC1\n"}, "8.2.RC1"),
        ({"aarch64-linux/ascend_toolkit_install.info": "version=8.0.0\n"}, "8.0.0"),
        ({"compiler/version.info": "Version=7.6.0.1\nversion_dir=cann-8.5.0\n"}, "8.5.0"),
        ({}, "8.5.0"),
    ],
)
def test_the_version_of_cann_from_its_files_or_its_folder(
    machine: Machine, info: dict[str, str], version: str
) -> None:
    home = Path(machine.variables["ASCEND_HOME_PATH"])
    (home / "ascend_toolkit_install.info").unlink()
    for name, text in info.items():
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).write_text(text)
    assert machine.look().cann_version == version


def test_a_tool_that_hangs_on_v_is_cut_off(machine: Machine) -> None:
    programs = Path(machine.variables["PATH"].split(":")[0])
    (programs / "msopprof").unlink()
    (programs / "msopprof").write_text("#!/bin/sh\nsleep 60 &\nwait\n")
    (programs / "msopprof").chmod(0o755)
    from kb.engine.collect import look_around

    tool = look_around(machine.variables, cwd=machine.work, root=machine.root, probe_s=0.1).tool
    assert tool is not None
    assert tool.version is None


@pytest.mark.skipif(is_root(), reason="root may write anywhere")
def test_an_unwritable_parent_is_a_collect_error(machine: Machine) -> None:
    locked = machine.work / "locked"
    locked.mkdir(mode=0o500)
    with pytest.raises(CollectError, match="cannot be made"):
        machine.collect(output="locked/x")
    locked.chmod(0o700)
