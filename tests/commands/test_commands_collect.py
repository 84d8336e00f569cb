"""`kb profile-and-advise` on a program, with the stand-in for msopprof, and `kb doctor`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from command_fakes import Asked
from report_samples import SAMPLE
from running import ROOT

from kb.engine.request import Request
from kb.store.runs import load_run

STANDIN = Path(__file__).resolve().parent.parent / "standin"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A program in the working folder, and a profiler on PATH."""
    path = tmp_path / "my_operator"
    path.write_text("#!/bin/sh\necho working\n")
    path.chmod(0o700)
    monkeypatch.setenv("PATH", f"{STANDIN}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("ASCEND_HOME_PATH", raising=False)
    return "./my_operator"


def test_a_program_is_collected_and_its_folder_judged(
    kb: Any, asked: Asked, program: str, tmp_path: Path
) -> None:
    done = kb(
        "profile-and-advise", program, "--mode", "device", "--warm-up", "7", "--output", "out", "--top", "3",
        "--format", "json", "--", "--m", "1024",
    )  # fmt: skip
    assert done.status == 0, done.err
    (name, (paths, request)), narrowed = asked.calls
    assert (name, request, narrowed) == ("advise", Request(top=60), ("narrow", Request(top=3)))
    assert paths[0].is_relative_to(tmp_path / "out")
    assert f"collected in {paths[0]}" in done.err
    found = json.loads(done.out)
    assert found["capture"]["warm_up"] == 7
    assert found["capture"]["replay_mode"] == "kernel"
    assert (
        found["capture"]["cann_version"] == SAMPLE.capture.cann_version
    )  # what only the profile knows stays
    assert set(SAMPLE.warnings) < set(found["warnings"])  # what the collection has to say is added
    assert found["capture"]["command"].startswith("msopprof --output=") and found["capture"][
        "command"
    ].endswith("./my_operator --m 1024")
    stored = load_run(found["run"], db=str(tmp_path / "runs.db"))
    assert {key: value for key, value in stored.items() if key != "measured"} == found


def test_a_dry_run_shows_the_command_and_runs_nothing(
    kb: Any, asked: Asked, program: str, tmp_path: Path
) -> None:
    done = kb(
        "profile-and-advise", program, "--mode", "device", "--dry-run", "--kernel-name", "Add*", "--", "-x"
    )
    assert done.status == 0
    assert "msopprof" in done.out
    assert "'--kernel-name=Add*'" in done.out
    assert "./my_operator -x" in done.out
    assert asked.calls == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["my_operator"]


def test_a_dry_run_prints_the_command_where_there_is_nothing_to_measure_with(
    kb: Any, program: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    done = kb("profile-and-advise", "--dry-run", "--output=DIR", "--kernel-name", "Add", program)
    assert (done.status, done.err) == (0, "")
    assert f"Command       msopprof --output={tmp_path}/DIR --kernel-name=Add ./my_operator" in done.out
    missing = [line for line in done.out.splitlines() if line.startswith("Missing")]
    assert [word for word in ("msopprof", "no device", "ASCEND_HOME_PATH", "kb doctor")
            if not any(word in line for line in missing)] == []  # fmt: skip
    assert "assumed, because there is nothing to measure with" in done.out


def test_the_two_commands_of_the_original_skill(kb: Any, asked: Asked, program: str, tmp_path: Path) -> None:
    done = kb("profile-and-advise", "--output=DIR", "--mode=device", "./my_operator")
    assert done.status == 0, done.err
    folder = asked.calls[0][1][0][0]
    assert folder.parent == tmp_path / "DIR"
    assert f"kb: profiling (device) into {tmp_path}/DIR" in done.err
    ran = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "analyze_profile.py"), "--data", str(folder)],
        cwd=tmp_path, env={**os.environ, "KB_DB": str(tmp_path / "runs.db"), "HOME": str(tmp_path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    heads = [line for line in ran.stdout.splitlines() if line.startswith("## ")]
    assert len(heads) == 4 and "Optimization Suggestions TOP5" in heads[3]


def test_a_python_program_into_the_default_folder_which_is_named(
    kb: Any, asked: Asked, program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STANDIN_KERNELS", "MatMulV2:cube")
    (tmp_path / "infer.py").write_text("print('one step')\n")
    python = f"{Path(sys.executable).name}"
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    done = kb("profile-and-advise", "--mode", "device", "--kernel-name", "MatMul*", "--", python, "infer.py")
    assert done.status == 0, done.err
    folder = asked.calls[0][1][0][0]
    assert folder.parent.parent == tmp_path / "kb-profiles"
    assert f"into {folder.parent}" in done.err
    app = next(line for line in done.err.splitlines() if "output of the program: " in line)
    assert Path(app.split(": ", 2)[2]).read_text() == "one step\n"


def test_an_option_of_the_program_before_the_dashes_is_explained(kb: Any, program: str) -> None:
    done = kb("profile-and-advise", program, "--m", "1024")
    assert done.status == 2
    assert "behind `--`" in done.err


def test_no_profiler_is_4_with_the_way_out(kb: Any, program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    for mode in ([], ["--mode", "device"]):
        done = kb("profile-and-advise", program, *mode)
        assert (done.status, done.out) == (4, "")
        assert "set_env.sh" in done.err


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["./nothing-here"], "does not exist"),
        (["./my_operator", "--mode", "guess"], "'guess' is not known"),
        (["./my_operator", "--warm-up", "9999"], "--warm-up"),
        (["./my_operator", "--timeout", "-1"], "--timeout"),
        ([], "TARGET"),
        (["model.onnx"], "which chip?"),
    ],
)
def test_wrong_targets_and_options_are_2(
    kb: Any, program: str, tmp_path: Path, arguments: list[str], what: str
) -> None:
    (tmp_path / "model.onnx").write_bytes(b"\x08\x07")
    done = kb("profile-and-advise", *arguments)
    assert (done.status, done.out) == (2, "")
    assert what in done.err


def test_a_mode_that_was_chosen_says_why_and_what_it_can_tell(
    kb: Any, program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No device here, but a simulator of the chip."""
    (tmp_path / "cann" / "tools" / "simulator" / "Ascend910B2" / "lib").mkdir(parents=True)
    monkeypatch.setenv("ASCEND_HOME_PATH", str(tmp_path / "cann"))
    done = kb("profile-and-advise", program, "--soc", "Ascend910B2")
    assert done.status == 0, done.err
    assert "mode simulator: no device: /dev/davinci* does not exist; the simulator of Ascend910B2" in done.err
    assert "it can tell: which instructions" in done.err
    assert "it cannot tell: time on the chip" in done.err


def test_doctor_speaks_three_languages(kb: Any) -> None:
    from kb.commands.doctor import _TITLES
    from kb.engine.collect.doctor import run_checks
    from kb.engine.collect.environment import look_around

    assert [check.id for check in run_checks(look_around())] == list(_TITLES)
    assert "采集工具" in kb("doctor", "--lang", "zh").out
    assert "プロファイラ" in kb("doctor", "--lang", "ja").out


def test_doctor_names_faults_and_remedies(kb: Any, program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    done = kb("doctor")
    assert done.status == 1
    assert "cannot collect" in done.out
    assert "FAIL" in done.out
    found = json.loads(kb("doctor", "--format", "json").out)
    assert (found["schema"], found["can_collect"]) == ("kb.doctor/1", False)
    failed = [check for check in found["checks"] if check["state"] == "fail"]
    assert failed
    assert all(check["remedy"] for check in failed)


def test_options_of_a_collection_beside_a_profile_are_said_to_be_idle(kb: Any, tmp_path: Path) -> None:
    (tmp_path / "profile").mkdir()
    done = kb(
        "profile-and-advise", "profile", "--mode", "simulator", "--timeout", "9", "--soc", "Ascend910B2"
    )
    assert done.status == 0
    assert "nothing is collected, --mode, --timeout not used" in done.err
    assert kb("profile-and-advise", "profile").err == ""
    assert kb("profile-and-advise", "profile", "--launch-count", "0").status == 2


@pytest.mark.parametrize("command", ["advise", "profile-and-advise"])
def test_an_empty_path_is_not_the_folder_one_stands_in(kb: Any, asked: Asked, command: str) -> None:
    done = kb(command, "")
    assert (done.status, asked.calls) == (2, [])
    assert "empty" in done.err


def test_output_in_a_home_folder_of_nobody(kb: Any, program: str) -> None:
    done = kb("profile-and-advise", program, "--mode", "device", "--output", "~nobody-of-that-name/x")
    assert (done.status, "no user has that home folder" in done.err) == (2, True)


def test_an_unknown_chip_is_refused_before_anything_is_collected(
    kb: Any, asked: Asked, program: str, tmp_path: Path
) -> None:
    done = kb("profile-and-advise", program, "--mode", "device", "--soc", "Ascend999", "--output", "out")
    assert done.status == 2 and 'unknown chip "Ascend999"' in done.err
    assert not (tmp_path / "out").exists()
