"""Killing a process outright at a random moment of its work, as a power cut would."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass

SOONER, LATER = 0.9, 1.02
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Scene:
    """Work that is killed: what must be there before (untimed), the work itself, and the look afterwards.

    `work` tells what it has finished; `look` is given all that was told in this round, and fails where any of it is lost.
    """

    prepare: Callable[[], None]
    work: Callable[[Tell], None]
    look: Callable[[list[str]], None]


def _forked(work: Callable[[Tell], None]) -> tuple[int, int]:
    """A child at work: its process id, and the end of the pipe on which it tells what is done."""
    told, tell = os.pipe()
    pid = os.fork()
    if pid:
        os.close(tell)
        return pid, told
    status = 1
    try:
        os.close(told)
        for number in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), number)
        work(lambda text: os.write(tell, f"{text}\n".encode()) and None)
        status = 0
    finally:
        os._exit(status)


def _heard(told: int) -> list[str]:
    heard = b""
    while chunk := os.read(told, 65536):
        heard += chunk
    os.close(told)
    return heard.decode().splitlines()


def killed_at_random(scene: Scene, times: int, seed: int) -> int:
    """Let the work begin so many times and kill it at a random moment; returns how often the kill found it at work.

    The time in which it is killed follows the work, which takes longer or less as others use the machine: some six of seven kills
    find it, early and late.
    """
    chance = random.Random(seed)
    scene.prepare()
    begun = time.monotonic()
    pid, told = _forked(scene.work)
    heard = _heard(told)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0, "the work fails without a kill"
    whole = time.monotonic() - begun
    scene.look(heard)
    met = 0
    for _ in range(times):
        scene.prepare()
        pid, told = _forked(scene.work)
        time.sleep(chance.random() * whole)
        os.kill(pid, signal.SIGKILL)
        heard = _heard(told)
        found = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -signal.SIGKILL
        met += found
        whole *= LATER if found else SOONER
        scene.look(heard)
    return met
