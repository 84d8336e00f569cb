"""A collection whose `kb` is killed outright at a random moment: nothing runs on, what was written can be read."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from collect_machine import Machine
from running import environment

ROOT = Path(__file__).resolve().parents[3]
SEED = 20272
# Everything is loaded before the clock starts; the runs are kept as always.
DRIVER = """
import sys
from pathlib import Path
import kb.commands.profile_and_advise, kb.engine.pipeline, kb.engine.readers, kb.report.json, kb.store.runs, sqlite_utils
from kb.commands import _app
from kb.engine import collect
_app.build()
look, root = collect.look_around, Path(sys.argv.pop(1))
collect.look_around = lambda: look(root=root)
print("begin", flush=True)
from kb.__main__ import main
sys.exit(main())
"""


def started(machine: Machine, home: Path, output: Path) -> subprocess.Popen[str]:
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
    process = subprocess.Popen(
        [sys.executable, "-c", DRIVER, str(machine.root), *command, "-q", "--format", "json"], cwd=machine.work,
        env={**environment(home), **machine.variables}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "begin\n"
    return process


def whole(machine: Machine, home: Path, output: Path) -> float:
    """A collection to its end, which must work; returns its seconds."""
    begun = time.monotonic()
    process = started(machine, home, output)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert json.loads(out)["schema"] == "kb.report/1"
    return time.monotonic() - begun


def cut(machine: Machine, home: Path, times: int) -> None:
    machine.play(kernels="add_custom,add_custom,add_custom")
    seconds = whole(machine, home, machine.work / "first")
    chance = random.Random(SEED)
    met = 0
    for at in range(times):
        output = machine.work / f"cut-{at}"
        process = started(machine, home, output)
        time.sleep(chance.random() * seconds)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=120)
        met += process.returncode == -signal.SIGKILL
        deadline = time.monotonic() + 30
        while machine.processes() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert machine.processes() == [], "the profiler runs on"
        for folder in output.glob("OPPROF_*"):  # whole or in part: read, or refused with a reason
            done = subprocess.run(
                [sys.executable, "-m", "kb", "advise", str(folder), "-q"], env=environment(home), cwd=ROOT,
                capture_output=True, text=True, timeout=120, check=False,
            )  # fmt: skip
            assert done.returncode in (0, 3, 5) and "Traceback" not in done.stderr
            assert done.returncode == 0 or done.stderr.startswith("kb: ")
    assert met >= times // 2
    for wrapper in machine.work.rglob("kb-run-*"):
        raise AssertionError(f"left behind: {wrapper}")
    whole(machine, home, machine.work / "last")


def test_a_few_cuts(machine: Machine, tmp_path: Path) -> None:
    cut(machine, tmp_path, 2)


@pytest.mark.long
def test_a_hundred_cuts(machine: Machine, tmp_path: Path) -> None:
    cut(machine, tmp_path, 100)
