"""What is seen of a collection while it runs: on a terminal the state, written over; in a pipe next to nothing."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from running import ROOT

from kb.commands._progress import standing, waiting
from kb.engine.collect import Event, Stopping

STANDIN = Path(__file__).resolve().parent.parent / "standin"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    program = tmp_path / "my_operator"
    program.write_text("#!/bin/sh\necho step 17 of the program\nsleep 1.5\n")
    program.chmod(0o700)
    return tmp_path


def variables(place: Path, **more: str) -> dict[str, str]:
    return {
        "PATH": f"{STANDIN}:{os.environ['PATH']}", "HOME": str(place), "KB_DB": str(place / "runs.db"),
        "PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": "100", "STANDIN_KERNELS": "add_a,add_b",
        "STANDIN_PAUSE_S": "0.4", **more,
    }  # fmt: skip


COMMAND = [sys.executable, "-m", "kb", "profile-and-advise", "--mode", "device", "--launch-count", "2",
           "--kernel-name", "*", "./my_operator"]  # fmt: skip


def on_a_terminal(place: Path, command: list[str], **more: str) -> str:
    """What a terminal shows on stderr, escape sequences and all."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command, cwd=place, env=variables(place, **more), stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=theirs,
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    try:
        while chunk := os.read(ours, 65536):
            shown += chunk
    except OSError:  # Linux ends a terminal nobody holds with EIO
        pass
    finally:
        os.close(ours)
        assert process.wait(60) == 0
    return shown.decode("utf-8", "replace")


def test_a_terminal_shows_time_launches_kernel_disk_and_the_last_line(place: Path) -> None:
    shown = on_a_terminal(place, COMMAND)
    for part in ("1 s", "2 of 2 launches", "add_b", "B", "step 17 of the program"):
        assert part in shown, shown


def test_quiet_is_quiet_on_a_terminal_too(place: Path) -> None:
    shown = on_a_terminal(place, [*COMMAND, "-q"])
    assert [word for word in ("launches", "profiling", "\x1b", "step 17") if word in shown] == []


def test_a_pipe_gets_no_running_state(place: Path) -> None:
    done = subprocess.run(
        COMMAND, cwd=place, env=variables(place), capture_output=True, text=True, check=True
    )
    assert "launches" not in done.stderr
    assert "\x1b" not in done.stderr
    assert all(line.startswith("kb: ") for line in done.stderr.splitlines())


def test_a_pipe_is_told_once_why_it_waits(place: Path) -> None:
    process = subprocess.Popen(
        COMMAND, cwd=place, env=variables(place, STANDIN_SCENARIO="hangs"), stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    deadline = time.monotonic() + 30
    while not list(place.glob("kb-profiles/*/OPPROF_*/device*/*/0")) and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=30)
    assert process.returncode == 0, told
    assert told.count("interrupted; waiting for msopprof to write what it has") == 1


EVENT = Event(12.4, 3, 20, "MatMulV2", "a line", 3 * 2**20)


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "12 s, 3 of 20 launches, MatMulV2, 3 MiB"),
        ("zh", "12 秒, 已启动 3/20 次, MatMulV2, 3 MiB"),
        ("ja", "12 秒, 起動 3/20 回, MatMulV2, 3 MiB"),
    ],
)
def test_the_state_in_words(lang: str, text: str) -> None:
    assert standing(EVENT, lang).replace("3.0", "3") == text


def test_each_turn_of_a_stopping_run_in_words() -> None:
    assert waiting(Stopping("timeout", signal.SIGINT, 20.0), "en").startswith(
        "time limit reached; waiting for"
    )
    assert waiting(Stopping("timeout", signal.SIGTERM, 5.0), "en").endswith(
        "ending the profiler, at most 5 s"
    )
    assert (
        waiting(Stopping("aborted", signal.SIGINT, 2.0), "en") == "aborted; ending the profiler, at most 2 s"
    )
    assert waiting(Stopping("aborted", signal.SIGKILL, None), "en") == "aborted; killing the profiler"
