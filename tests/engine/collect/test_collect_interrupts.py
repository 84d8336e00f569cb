"""Time limit, Ctrl-C once and twice, SIGTERM, deaf tools: always an answer, never an orphan."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from collect_machine import FAST, Machine

from kb.engine.collect import Collected, Event, Limits, Stopping, collect
from kb.engine.collect.run import _Stopper
from kb.errors import CollectError, KbError

LIMIT_S = 1000.0
WAITING = "waiting for the device"
TWO = {"kernels": "add_custom,add_custom,add_custom"}


class Presses:
    """Sends signals to this process: the first when the tool waits, the others while it stops."""

    def __init__(self, *numbers: int) -> None:
        self.left = list(numbers)

    def __call__(self, event: Event) -> None:
        if self.left and (event.line == WAITING or event.stopping):
            os.kill(os.getpid(), self.left.pop(0))


class Clock:
    """The clock of the run; it jumps over the time limit at a given moment, however slow the machine is."""

    def __init__(self) -> None:
        self.ahead_s = 0.0
        self.sleep = time.sleep

    def monotonic(self) -> float:
        return time.monotonic() + self.ahead_s

    def jump_when_waiting(self, event: Event) -> None:
        if event.line == WAITING:
            self.ahead_s = LIMIT_S

    def jump_when_launched(self, event: Event) -> None:
        if event.launches and event.line == "start":
            self.ahead_s = LIMIT_S


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr("kb.engine.collect.run.time", made)
    return made


def _press(machine: Machine, *numbers: int, **options: object) -> Collected:
    planned = machine.plan(("./add_custom", "a b"), launch_count=3, **options)
    return collect(planned, progress=Presses(*numbers), limits=FAST)


def test_ctrl_c_once_uses_what_is_there(machine: Machine) -> None:
    machine.play("hangs", **TWO)
    collected = _press(machine, signal.SIGINT)
    assert not collected.complete
    assert "partial-interrupted" in {notice.code for notice in collected.notices}
    assert collected.launches == 1


def test_ctrl_c_once_before_anything_was_finished(machine: Machine) -> None:
    machine.play("hangs-at-once", **TWO)
    with pytest.raises(CollectError, match="interrupted before a kernel was finished"):
        _press(machine, signal.SIGINT)


def test_ctrl_c_twice_aborts_and_says_what_is_kept(machine: Machine) -> None:
    machine.play("hangs-slow-parse", **TWO)
    with pytest.raises(CollectError, match="aborted by Ctrl-C") as caught:
        _press(machine, signal.SIGINT, signal.SIGINT)
    assert "raw data of 1 launch" in caught.value.now
    assert "OPPROF_" in caught.value.now


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_being_ended_from_outside_ends_the_tool_too(machine: Machine, number: int) -> None:
    machine.play("hangs-slow-parse", **TWO)
    with pytest.raises(CollectError, match=signal.Signals(number).name):
        _press(machine, number)


def test_handlers_are_put_back(machine: Machine) -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    machine.collect()
    machine.play("silent")
    with pytest.raises(CollectError):
        machine.collect()
    assert [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)] == before


def test_the_time_limit_uses_what_is_there(machine: Machine, clock: Clock) -> None:
    machine.play("hangs", **TWO)
    planned = machine.plan(launch_count=3, timeout_s=LIMIT_S)
    collected = collect(planned, progress=clock.jump_when_waiting, limits=FAST)
    assert not collected.complete
    assert "partial-timeout" in {notice.code for notice in collected.notices}
    assert collected.launches == 1


def test_the_time_limit_with_nothing_there(machine: Machine, clock: Clock) -> None:
    machine.play("hangs-at-once")
    with pytest.raises(CollectError, match="time limit of 1000 s") as caught:
        collect(machine.plan(timeout_s=LIMIT_S), progress=clock.jump_when_waiting, limits=FAST)
    assert "--timeout" in caught.value.now
    assert WAITING in caught.value.now


@pytest.mark.parametrize("scenario", ["deaf", "stone-deaf"])
def test_a_deaf_tool_is_ended_by_ever_firmer_signals(machine: Machine, clock: Clock, scenario: str) -> None:
    machine.play(scenario, **TWO)
    planned = machine.plan(launch_count=3, timeout_s=LIMIT_S)
    limits = replace(FAST, interrupt_grace_s=0.2)
    with pytest.raises(CollectError, match="time limit") as caught:
        collect(planned, progress=clock.jump_when_waiting, limits=limits)
    assert "raw data of 1 launch" in caught.value.now


def test_a_tool_without_a_sign_of_life_is_not_waited_for_to_the_end(machine: Machine, clock: Clock) -> None:
    machine.play("deaf", **TWO)
    planned = machine.plan(launch_count=3, timeout_s=LIMIT_S)
    limits = replace(FAST, interrupt_grace_s=500.0, quiet_grace_s=0.3)
    told: list[Event] = []

    def watch(event: Event) -> None:
        told.append(event)
        clock.jump_when_waiting(event)

    with pytest.raises(CollectError, match="time limit"):
        collect(planned, progress=watch, limits=limits)
    turns = [event.stopping for event in told if event.stopping]
    assert {turn.cause for turn in turns} == {"timeout"}
    assert {turn.sent for turn in turns} <= {signal.SIGINT, signal.SIGTERM}
    assert turns[0].left_s is not None and turns[0].left_s <= 0.31


def test_signs_of_life_put_off_the_firmer_signal_but_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[int] = []
    monkeypatch.setattr("kb.engine.collect.run.os.killpg", lambda _group, number: sent.append(number))
    stopper = _Stopper(1, Limits(interrupt_grace_s=10.0, quiet_grace_s=3.0, terminate_grace_s=1.0))
    assert stopper.state("finished", 0.0) is None
    stopper.start(0.0, abort=False)
    for now in (2.0, 4.0, 6.0, 8.0):
        stopper.tick(now)
        stopper.alive(now)
    assert sent == [signal.SIGINT]
    stopper.tick(9.9)
    assert stopper.state("timeout", 9.9) == Stopping("timeout", signal.SIGINT, pytest.approx(0.1))
    stopper.tick(10.0)
    stopper.alive(10.5)  # not any more
    stopper.tick(11.0)
    assert sent == [signal.SIGINT, signal.SIGTERM, signal.SIGKILL]
    assert stopper.state("timeout", 11.0) == Stopping("timeout", signal.SIGKILL, None)


def test_a_deaf_tool_and_two_ctrl_c(machine: Machine) -> None:
    machine.play("stone-deaf", **TWO)
    with pytest.raises(CollectError, match="aborted by Ctrl-C"):
        _press(machine, signal.SIGINT, signal.SIGINT)


def test_ctrl_c_while_stopping_for_the_time_limit_aborts(machine: Machine, clock: Clock) -> None:
    machine.play("hangs-slow-parse", **TWO)
    pressed: list[int] = []

    def press(event: Event) -> None:
        clock.jump_when_waiting(event)
        if event.stopping and not pressed:
            pressed.append(1)
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(CollectError, match="aborted"):
        collect(machine.plan(launch_count=3, timeout_s=LIMIT_S), progress=press, limits=FAST)


def test_a_program_that_hangs_is_ended_with_the_tool(machine: Machine, clock: Clock) -> None:
    machine.program("add_custom", "#!/bin/sh\necho start\nsleep 60\n")
    planned = machine.plan(timeout_s=LIMIT_S)
    collected = collect(planned, progress=clock.jump_when_launched, limits=FAST)
    assert not collected.complete
    assert collected.launches == 1


def test_a_program_deaf_to_sigint_is_ended_too(machine: Machine, clock: Clock) -> None:
    machine.program("add_custom", "#!/bin/sh\ntrap '' INT TERM\necho start\nwhile :; do sleep 0.05; done\n")
    limits = replace(FAST, interrupt_grace_s=0.2)
    with pytest.raises(CollectError, match="time limit"):
        collect(machine.plan(timeout_s=LIMIT_S), progress=clock.jump_when_launched, limits=limits)


def test_outside_the_main_thread_the_time_limit_still_holds(machine: Machine, clock: Clock) -> None:
    machine.play("hangs", **TWO)
    planned = machine.plan(launch_count=3, timeout_s=LIMIT_S)
    results: list[Collected | KbError] = []

    def work() -> None:
        try:
            results.append(collect(planned, progress=clock.jump_when_waiting, limits=FAST))
        except KbError as fault:
            results.append(fault)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(30)
    assert isinstance(results[0], Collected)
    assert "partial-timeout" in {notice.code for notice in results[0].notices}


DRIVER = """
import sys
from kb.engine.collect import Options, collect, look_around, plan
from kb.errors import CollectError
try:
    done = collect(plan(Options(("./add_custom", "a b"), kernel_name="*", launch_count=3), look_around(
        root=__import__("pathlib").Path(sys.argv[1]))), progress=lambda e: print(e.line, flush=True))
except CollectError as fault:
    print("ERROR", fault)
    sys.exit(fault.exit_status)
print("DONE", sorted(notice.code for notice in done.notices))
"""


@pytest.mark.parametrize("ignored", [False, True], ids=["foreground", "started with SIGINT ignored"])
def test_ctrl_c_to_a_whole_process(machine: Machine, ignored: bool) -> None:
    machine.play("hangs", **TWO)
    root = Path(__file__).resolve().parents[3]
    command = [sys.executable, "-c", DRIVER, str(machine.root)]
    if ignored:
        command = ["/bin/sh", "-c", 'trap "" INT; exec "$@"', "sh", *command]
    process = subprocess.Popen(
        command,
        cwd=machine.work,
        env={**machine.variables, "PYTHONPATH": str(root)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    with process:
        for line in process.stdout:
            if line.strip() == WAITING:
                break
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
        assert process.wait(30) == 0, rest
    assert "partial-interrupted" in rest


def test_a_kb_that_is_killed_outright_takes_the_tool_with_it_soon(machine: Machine) -> None:
    """SIGKILL cannot be caught; the tool then loses its output and dies of the next line it prints."""
    machine.program("add_custom", "#!/bin/sh\nwhile echo tick; do sleep 0.05; done\n")
    machine.play(kernels="add_custom")
    root = Path(__file__).resolve().parents[3]
    process = subprocess.Popen(
        [sys.executable, "-c", DRIVER.replace('"a b"', '"ab"'), str(machine.root)],
        cwd=machine.work,
        env={**machine.variables, "PYTHONPATH": str(root)},
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    with process:
        process.stdout.readline()
        process.kill()
    deadline = time.monotonic() + 5
    while machine.processes() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert machine.processes() == []


@pytest.mark.parametrize("program", ["hangs", "an own group and session"])
def test_a_kb_that_is_killed_outright_takes_a_silent_tool_with_it(machine: Machine, program: str) -> None:
    """What prints nothing meets no closed pipe: a small process of its own waits for the end of `kb`."""
    if program == "hangs":
        machine.play("hangs", **TWO)
    else:
        text = "#!/bin/sh\necho here\nexec setsid sh -c 'exec >/dev/null 2>&1; trap \"\" TERM; while :; do sleep 0.1; done'\n"
        machine.program("add_custom", text)
        machine.play(kernels="add_custom")
    root = Path(__file__).resolve().parents[3]
    process = subprocess.Popen(
        [sys.executable, "-c", DRIVER.replace('"a b"', '"ab"'), str(machine.root)],
        cwd=machine.work,
        env={**machine.variables, "PYTHONPATH": str(root)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    with process:
        for line in process.stdout:
            if line.strip() in (WAITING, "here"):
                break
        assert machine.processes()
        process.kill()
    deadline = time.monotonic() + 30
    while machine.processes() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert machine.processes() == []
