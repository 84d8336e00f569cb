"""One collection from beginning to end: make the folder, run the profiler, split its output, judge the
result.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from kb.engine.collect.command import Plan, Wrapper
from kb.engine.collect.log import LogSummary
from kb.engine.collect.output import BoundedFile, OutputSplitter
from kb.engine.collect.output_folder import make_output, remove_empty
from kb.engine.collect.results import Found, Glimpse, glimpse, inspect, pick_result, result_names
from kb.engine.collect.run import Ended, Interrupts, Limits, Stopping, run_tool, watch_interrupts
from kb.engine.collect.verdict import Outcome, judge, tool_missing
from kb.errors import CollectError
from kb.model import Capture, Notice

_SIMULATOR = 3  # times the patience with a tool that says nothing
_GLIMPSE_SHARE = 20  # a look at a big folder may take a twentieth of the time


@dataclass(frozen=True, slots=True)
class Event:
    """How a running collection stands: seconds, launches begun of those asked, newest kernel, last line,
    bytes; and once it was asked to stop, how far that is.
    """

    elapsed_s: float
    launches: int
    asked: int
    kernel: str | None
    line: str
    disk_bytes: int
    stopping: Stopping | None = None


@dataclass(frozen=True, slots=True)
class Collected:
    """A usable result: its folder, how it was measured, and everything that makes it less than whole.

    `app_output` is the file with the program's own output, None when it printed nothing; `tool_output` the
    same for the profiler. `kernels` are the names seen.
    """

    folder: Path
    complete: bool
    capture: Capture
    log: LogSummary
    notices: tuple[Notice, ...]
    kernels: tuple[str, ...]
    launches: int
    elapsed_s: float
    app_output: Path | None
    tool_output: Path | None
    command: str = ""


def collect(
    plan: Plan, *, progress: Callable[[Event], None] | None = None, limits: Limits | None = None
) -> Collected:
    """Run a plan. Ctrl-C once: the tool stops and what exists is used; twice: abort.

    Raises:
        CollectError: no profiler, nothing usable, or aborted; what was written so far stays and is named.
    """
    limits = limits or Limits()
    if plan.tool is None:
        raise tool_missing(plan.environment)
    with watch_interrupts() as interrupts:
        with _prepared(plan):
            outcome = _run(plan, progress, limits, interrupts)
        complete, notices = judge(outcome)
    assert outcome.folder is not None  # noqa: S101 - judged usable
    return Collected(
        folder=outcome.folder,
        complete=complete,
        capture=plan.capture,
        log=outcome.log,
        notices=notices,
        kernels=outcome.kernels,
        launches=len(outcome.found.launches),
        elapsed_s=outcome.ended.elapsed_s,
        app_output=outcome.app_log,
        tool_output=outcome.tool_log,
        command=_command(plan),
    )


def _command(plan: Plan) -> str:
    """The command as a person would type it: the program itself where a wrapper stood for it."""
    return shlex.join((*plan.argv[:-1], *plan.target.argv) if plan.wrapper else plan.argv)


def _run(
    plan: Plan, progress: Callable[[Event], None] | None, limits: Limits, interrupts: Interrupts
) -> Outcome:
    output = plan.output.path
    before = result_names(output)
    app_path, tool_path = _log_paths(plan)
    splitter = OutputSplitter(
        BoundedFile(app_path, limits.app_bytes), BoundedFile(tool_path, limits.tool_bytes)
    )
    watch = _Watch(plan, before, splitter, progress)
    try:
        ended = _start(plan, splitter, watch, limits, interrupts)
    finally:
        splitter.end()
    log = splitter.summary()
    folder, others = pick_result(output, before, log.saved_in)
    return Outcome(
        plan=plan,
        ended=ended,
        log=log,
        folder=folder,
        others=others,
        found=inspect(folder) if folder else Found(),
        tool_log=tool_path if splitter.tool.size else None,
        app_log=app_path if splitter.app.size else None,
        app_tail=splitter.app_tail(5),
        line_at_stop=watch.line_at_stop,
        log_fault=splitter.app.fault,
        app_dropped=splitter.app.dropped,
        fatal_signal=interrupts.fatal,
    )


def _start(
    plan: Plan, splitter: OutputSplitter, watch: _Watch, limits: Limits, interrupts: Interrupts
) -> Ended:
    assert plan.tool is not None  # noqa: S101 - checked by collect
    try:
        return run_tool(
            plan.argv,
            executable=plan.tool.path,
            cwd=plan.environment.cwd,
            variables={**plan.environment.variables, **(plan.variables or {})},
            wall_s=plan.timeout_s,
            limits=_patience(plan, limits),
            interrupts=interrupts,
            feed=splitter.feed,
            beat=watch.beat,
        )
    except OSError as fault:
        raise CollectError(
            f"msopprof cannot be started: {fault.strerror or fault}",
            where=plan.tool.path,
            now="Check the installation: kb doctor",
        ) from fault


def _patience(plan: Plan, limits: Limits) -> Limits:
    """The simulator parses its dumps for long without a word."""
    return replace(limits, quiet_grace_s=_SIMULATOR * limits.quiet_grace_s) if plan.simulated else limits


class _Watch:
    """Turns the beats of the run into events."""

    def __init__(
        self,
        plan: Plan,
        before: frozenset[str],
        splitter: OutputSplitter,
        progress: Callable[[Event], None] | None,
    ) -> None:
        self._plan = plan
        self._before = before
        self._splitter = splitter
        self._progress = progress
        self._start = time.monotonic()
        self._seen = Glimpse()
        self._next_look = 0.0
        self.line_at_stop = ""  # what came last before the run was asked to stop

    def beat(self, stopping: Stopping | None) -> tuple[int, int]:
        """Tell the caller how it stands; looking at the disk takes no more than its share of the time.

        Returns how much the tool has said and written by now: as long as that changes, it is at work.
        """
        if stopping and not self.line_at_stop:
            self.line_at_stop = self._splitter.last_line
        now = time.monotonic()
        if (stopping or self._progress) and now >= self._next_look:
            self._seen = glimpse(self._plan.output.path, self._before)
            self._next_look = now + _GLIMPSE_SHARE * (time.monotonic() - now)
        if self._progress is not None:
            self._progress(
                Event(
                    elapsed_s=now - self._start,
                    launches=self._seen.launches,
                    asked=self._plan.asked_launches,
                    kernel=self._seen.kernel,
                    line=self._splitter.last_line,
                    disk_bytes=self._seen.size,
                    stopping=stopping,
                )
            )
        tool = self._splitter.tool
        return tool.size + tool.dropped, self._seen.size


@contextmanager
def _prepared(plan: Plan) -> Iterator[None]:
    """Output folder and wrapper script; the script goes on every path, the folder if it stayed empty."""
    made = make_output(plan.output)
    try:
        with _wrapper(plan.wrapper):
            yield
    finally:
        remove_empty(made)


@contextmanager
def _wrapper(wrapper: Wrapper | None) -> Iterator[None]:
    if wrapper is None:
        yield
        return
    folder = wrapper.path.parent
    try:
        folder.mkdir(mode=0o700)
    except OSError as fault:
        raise CollectError(
            f"the wrapper script cannot be made: {fault.strerror or fault}",
            where=str(folder),
            now="Remove what is there, or give --output a path without blanks and quotes.",
        ) from fault
    try:
        wrapper.path.write_text(wrapper.text, encoding="utf-8", errors="surrogateescape")
        wrapper.path.chmod(0o700)
        yield
    finally:
        wrapper.path.unlink(missing_ok=True)
        remove_empty((folder,))


def _log_paths(plan: Plan) -> tuple[Path, Path]:
    """Two files beside the result, named after target and time; a number is added where they exist."""
    stem, number = f"{plan.target.name}-{plan.environment.stamp}", 1
    while True:
        base = stem if number == 1 else f"{stem}-{number}"
        paths = plan.output.path / f"{base}.app.log", plan.output.path / f"{base}.tool.log"
        if not any(path.exists() for path in paths):
            return paths
        number += 1
