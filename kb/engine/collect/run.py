"""Running the profiler: its own process group, a wall-clock limit, Ctrl-C passed on, and nobody left
behind.
"""

from __future__ import annotations

import os
import pkgutil
import secrets
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import IO, Literal

from kb.engine.collect.watchdog import ALL_IS_WELL, MARK, end_marked, marked

Cause = Literal["finished", "timeout", "interrupted", "aborted"]
_CHUNK = 1024 * 1024
_AFTER_OUTPUT_S = 0.01  # a tool that closed its output is about to end


@dataclass(frozen=True, slots=True)
class Limits:
    """Patience, in seconds, and room, in bytes.

    After SIGINT the tool parses what it has, which may take minutes. It is left alone while it shows signs of
    life (a line of its own, something new in its folder), but no longer than `interrupt_grace_s`; a tool that
    shows none for `quiet_grace_s` is taken to be deaf. `abort_grace_s` is what a second Ctrl-C leaves it.
    """

    interrupt_grace_s: float = 120.0
    quiet_grace_s: float = 20.0
    terminate_grace_s: float = 5.0
    abort_grace_s: float = 2.0
    drain_s: float = 1.0
    tick_s: float = 0.1
    progress_s: float = 0.5
    app_bytes: int = 256 * 1024 * 1024
    tool_bytes: int = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended: `status` is negative for a signal, `left_behind` counts processes that outlived the
    tool.
    """

    status: int
    cause: Cause
    elapsed_s: float
    left_behind: int = 0


@dataclass(frozen=True, slots=True)
class Stopping:
    """A run that was asked to stop: why, the signal sent last, and seconds until a firmer one (None: no firmer)."""

    cause: Cause
    sent: int
    left_s: float | None


class Interrupts:
    """Counts Ctrl-C; SIGTERM and SIGHUP count as an abort."""

    def __init__(self) -> None:
        self.count = 0
        self.fatal: int | None = None

    def take(self, number: int, _frame: FrameType | None = None) -> None:
        """Signal handler."""
        if number == signal.SIGINT:
            self.count += 1
        else:
            self.fatal = number


@contextmanager
def watch_interrupts() -> Iterator[Interrupts]:
    """Collect signals instead of dying of them; outside the main thread Python allows no handler, so
    nothing is seen.

    The handlers also make sure that the profiler starts with SIGINT at its default, even where `kb` was
    started in the background with SIGINT ignored.
    """
    seen = Interrupts()
    if threading.current_thread() is not threading.main_thread():
        yield seen
        return
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, seen.take) for number in numbers}
    try:
        yield seen
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)


class _Stopper:
    """Asks the group to stop ever more firmly: SIGINT, SIGTERM, SIGKILL."""

    def __init__(self, group: int, limits: Limits) -> None:
        self._group = group
        self._limits = limits
        self._sent = 0
        self._due: float | None = None  # when the next signal is sent
        self._latest = 0.0  # until when signs of life may put off SIGTERM

    def start(self, now: float, *, abort: bool) -> None:
        """SIGINT makes the tool parse what it has; a second one tells it to give up, and leaves it little
        time.
        """
        self._send(signal.SIGINT)
        self._latest = now + (self._limits.abort_grace_s if abort else self._limits.interrupt_grace_s)
        self._due = min(self._latest, now + self._limits.quiet_grace_s)

    def alive(self, now: float) -> None:
        """The tool shows that it is still at work after SIGINT."""
        if self._sent == signal.SIGINT:
            self._due = min(self._latest, now + self._limits.quiet_grace_s)

    def tick(self, now: float) -> None:
        """Send what is due."""
        if self._due is None or now < self._due:
            return
        if self._sent == signal.SIGINT:
            self._send(signal.SIGTERM)
            self._due = now + self._limits.terminate_grace_s
        else:
            self._send(signal.SIGKILL)
            self._due = None

    def state(self, cause: Cause, now: float) -> Stopping | None:
        """How far the stopping is; None while nothing was sent."""
        left = None if self._due is None else max(0.0, self._due - now)
        return Stopping(cause, self._sent, left) if self._sent else None

    def _send(self, number: int) -> None:
        self._sent = number
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._group, number)


def run_tool(
    argv: Sequence[str],
    *,
    executable: str,
    cwd: Path,
    variables: Mapping[str, str],
    wall_s: float,
    limits: Limits,
    interrupts: Interrupts,
    feed: Callable[[bytes], None],
    beat: Callable[[Stopping | None], object],
) -> Ended:
    """Run until it ends or is ended; `feed` gets its output. `beat` is told now and then whether it is
    stopping, and what it returns changes as long as the tool is at work.

    Raises:
        OSError: it could not be started. Whatever `feed` or `beat` raise, after everything was ended.
    """
    token = secrets.token_hex(16)
    start = time.monotonic()
    with _watched(token):
        process = subprocess.Popen(
            argv,
            executable=executable,
            cwd=cwd,
            env={**variables, MARK: token},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        assert process.stdout is not None  # noqa: S101 - it is a pipe
        os.set_blocking(process.stdout.fileno(), False)
        left = 0
        try:
            cause = _attend(
                process,
                process.stdout,
                deadline=start + wall_s,
                limits=limits,
                interrupts=interrupts,
                feed=feed,
                beat=beat,
            )
        finally:
            left = _end_all(process, token, limits)
            _drain(process.stdout, limits.drain_s, feed)
            process.stdout.close()
        return Ended(process.returncode, cause, time.monotonic() - start, left)


@contextmanager
def _watched(token: str) -> Iterator[None]:
    """Have the processes of the run ended should this process be killed while the block runs (`watchdog`)."""
    source = pkgutil.get_data(__package__, "watchdog.py")
    try:
        guard = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", source or b"", token],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except (
        OSError
    ):  # no Python to start, no room for a process: the tool still dies of the next line it prints
        yield
        return
    try:
        yield
    finally:
        with suppress(OSError):
            guard.communicate(ALL_IS_WELL)


def _attend(
    process: subprocess.Popen[bytes],
    pipe: IO[bytes],
    *,
    deadline: float,
    limits: Limits,
    interrupts: Interrupts,
    feed: Callable[[bytes], None],
    beat: Callable[[Stopping | None], object],
) -> Cause:
    """Read, watch the clock and the signals, until the tool itself has ended."""
    stopper = _Stopper(process.pid, limits)
    cause: Cause = "finished"
    next_beat = 0.0
    sign: object = None
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        is_open = True
        while not _has_ended(process.pid):
            if not is_open:
                time.sleep(_AFTER_OUTPUT_S)
            elif selector.select(limits.tick_s):
                is_open = _read(pipe, feed)
            now = time.monotonic()
            seen = _cause(cause, interrupts, overdue=now >= deadline)
            if seen != cause:
                cause = seen
                stopper.start(now, abort=cause == "aborted")
                next_beat = now
            stopper.tick(now)
            if now >= next_beat:
                seen_before, sign = sign, beat(stopper.state(cause, now))
                if sign != seen_before:
                    stopper.alive(now)
                next_beat = now + limits.progress_s
    return cause


def _cause(cause: Cause, interrupts: Interrupts, *, overdue: bool) -> Cause:
    """Why the run is being stopped, if it is: the first reason stays, only an abort goes over it."""
    if interrupts.fatal or interrupts.count >= 2 or (interrupts.count and cause == "timeout"):
        return "aborted"
    if cause != "finished":
        return cause
    if interrupts.count:
        return "interrupted"
    return "timeout" if overdue else "finished"


def _has_ended(pid: int) -> bool:
    """Ask without reaping, so that the process id, and with it the group, stays ours until all is cleared."""
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:  # somebody else's SIGCHLD handler took it
        return True


def _read(pipe: IO[bytes], feed: Callable[[bytes], None]) -> bool:
    """Hand on what is there; False at the end."""
    try:
        data = os.read(pipe.fileno(), _CHUNK)
    except BlockingIOError:
        return True
    if data:
        feed(data)
    return bool(data)


def _drain(pipe: IO[bytes], seconds: float, feed: Callable[[bytes], None]) -> None:
    """Read what is still in the pipe; a process that got away could hold it open, hence the limit."""
    deadline = time.monotonic() + seconds
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while (rest := deadline - time.monotonic()) > 0 and selector.select(rest):
            if not _read(pipe, feed):
                return


def _end_all(process: subprocess.Popen[bytes], token: str, limits: Limits) -> int:
    """End what is left of the run, politely at first; returns how many processes had outlived the tool."""
    left = marked(token) - {process.pid} if _has_ended(process.pid) else set()
    end_marked(token, limits.terminate_grace_s)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)  # whoever cleared its environment
    process.wait()
    return len(left)
