"""A collection whose `kb` is killed outright at a random moment: nothing runs on, what was written can be read."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from pathlib import Path

import pytest
import sqlite_utils  # noqa: F401 - so that forked processes need not load it, each for a second
from collect_machine import Machine
from running import environment

import kb.cli
import kb.commands.profile_and_advise
import kb.engine.pipeline
import kb.engine.readers
import kb.report.json
import kb.store.runs
from kb.engine import collect
from kb.store.runs import list_runs

SEED = 20272
SOONER, LATER = (
    0.9,
    1.02,
)  # as in tests/faults/killing.py: the time to kill in follows a machine that others use


def started(machine: Machine, home: Path, output: Path) -> int:
    """A forked `kb profile-and-advise` of the made-up machine; its process id."""
    command = [
        "profile-and-advise",
        "./add_custom",
        "--kernel-name",
        "*",
        "--launch-count",
        "3",
        "--output",
        str(output),
    ]
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        for number, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(home / name, os.O_CREAT | os.O_WRONLY | os.O_TRUNC), number)
        os.environ.update({**environment(home), **machine.variables})
        os.chdir(machine.work)
        look = collect.look_around
        collect.look_around = lambda: look(root=machine.root)  # type: ignore[assignment]
        with open(1, "w", closefd=False) as out:
            import sys

            sys.stdout = out
            status = kb.cli.main([*command, "-q", "--format", "json"])
    finally:
        os._exit(status)


def ended(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def whole(machine: Machine, home: Path, output: Path) -> float:
    """A collection to its end, which must work; returns its seconds."""
    begun = time.monotonic()
    assert ended(started(machine, home, output)) == 0, (home / "err").read_text()
    assert json.loads((home / "out").read_text())["schema"] == "kb.report/1"
    return time.monotonic() - begun


def expect_an_answer(folder: Path, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What was written, whole or in part, is read, or refused with a reason."""
    status = kb.cli.main(["advise", str(folder), "-q", "--db", str(home / "runs.db")])
    out, err = capsys.readouterr()
    assert status in (0, 3, 5) and "Traceback" not in err
    assert out if status == 0 else err.startswith("kb: ")


def cut(machine: Machine, home: Path, times: int, capsys: pytest.CaptureFixture[str]) -> None:
    machine.play(kernels="add_custom,add_custom,add_custom")
    whole(machine, home, machine.work / "warm")
    seconds = whole(machine, home, machine.work / "first")
    chance = random.Random(SEED)
    met = 0
    for at in range(times):
        output = machine.work / f"cut-{at}"
        pid = started(machine, home, output)
        time.sleep(chance.random() * seconds)
        os.kill(pid, signal.SIGKILL)
        found = ended(pid) == -signal.SIGKILL
        met += found
        seconds *= LATER if found else SOONER
        deadline = time.monotonic() + 30
        while machine.processes() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert machine.processes() == [], "the profiler runs on"
        for folder in output.glob("OPPROF_*"):
            expect_an_answer(folder, home, capsys)
        assert list_runs(db=str(home / "runs.db"))
    assert met >= times // 2
    assert list(machine.work.rglob("kb-run-*")) == [], "a wrapper is left"
    whole(machine, home, machine.work / "last")


def test_a_few_cuts(machine: Machine, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cut(machine, tmp_path, 3, capsys)


@pytest.mark.long
def test_a_hundred_cuts(machine: Machine, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cut(machine, tmp_path, 100, capsys)
