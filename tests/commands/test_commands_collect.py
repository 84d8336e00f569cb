"""`kb profile-and-advise` on a program, with the stand-in for msopprof, and `kb doctor`."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from command_fakes import Asked, Request
from report_samples import SAMPLE

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
    assert load_run(found["run"], db=str(tmp_path / "runs.db")) == found


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
