"""Did the collection succeed? Judged from the folder and the log; the exit status of msopprof lies.

msopprof ends with 0 whatever happened after its arguments were read, and with 255 only for bad arguments.
"""

from __future__ import annotations

import signal
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from kb.engine.collect.command import NAME_HINT, Plan
from kb.engine.collect.environment import Environment
from kb.engine.collect.log import LogSummary, ToolLine
from kb.engine.collect.results import Found, Launch
from kb.engine.collect.run import Ended
from kb.errors import CollectError
from kb.model import Notice

_MOST_NOTICES = 20


@dataclass(frozen=True, slots=True)
class Outcome:
    """All that is known after a run."""

    plan: Plan
    ended: Ended
    log: LogSummary
    folder: Path | None
    others: tuple[Path, ...]
    found: Found
    tool_log: Path | None
    app_log: Path | None
    app_tail: str
    line_at_stop: str = ""
    log_fault: str = ""
    app_dropped: int = 0
    fatal_signal: int | None = None  # what ended kb itself

    @property
    def usable(self) -> bool:
        """Something in the folder can be read and judged."""
        if self.plan.simulated:
            return self.found.instruction_files > 0 or self.found.traces > 0
        return any(_is_usable(launch) for launch in self.found.launches)

    @property
    def kernels(self) -> tuple[str, ...]:
        """Kernel names seen in the folder and the log."""
        return tuple(dict.fromkeys((*self.found.kernels, *self.log.kernels)))


def tool_missing(environment: Environment) -> CollectError:
    """No profiler: what, where looked, what now."""
    source = f"source {environment.set_env}" if environment.set_env else "source set_env.sh of CANN"
    unset = "" if environment.home else " (ASCEND_HOME_PATH is not set to a folder)"
    return CollectError(
        "msopprof was not found",
        where=f"looked for {', '.join(environment.looked)}{unset}",
        now=f"To collect here, {source}. To judge a profile taken elsewhere: kb advise DIR",
    )


def judge(outcome: Outcome) -> tuple[bool, tuple[Notice, ...]]:
    """Whether the result is complete, and what the user should know about it.

    Raises:
        CollectError: nothing usable came out, or the run was aborted.
    """
    if outcome.ended.cause == "aborted" or not outcome.usable:
        raise failure(outcome)
    gaps = tuple(_gaps(outcome))
    return not gaps, (*_context(outcome), *gaps)


def failure(outcome: Outcome) -> CollectError:
    """Why there is nothing usable, as precisely as folder and log allow."""
    what, now = _reason(outcome)
    parts = [now, *_kept(outcome)]
    if outcome.app_tail:
        parts.append(f"The program's last output: {outcome.app_tail.splitlines()[-1]}")
    where = outcome.tool_log or outcome.app_log or outcome.folder or outcome.plan.output.path
    return CollectError(what, where=str(where), now="\n  ".join(part for part in parts if part))


def explain(line: ToolLine, simulated: bool) -> tuple[str, str]:
    """A known line of the tool in plain words, and the remedy."""
    assert line.known is not None  # noqa: S101 - asked for known lines only
    groups = dict(line.groups)
    if "signal" in groups:
        groups["signal"] = _signal_name(int(groups["signal"]))
    now = line.known.now_simulator if simulated and line.known.now_simulator else line.known.now
    return line.known.means.format(**groups), now.format(**groups)


def _reason(outcome: Outcome) -> tuple[str, str]:
    plan, ended, worst = outcome.plan, outcome.ended, outcome.log.worst()
    if ended.cause == "aborted":
        by = f"by {_signal_name(outcome.fatal_signal)}" if outcome.fatal_signal else "by Ctrl-C"
        return f"the run was aborted {by} after {ended.elapsed_s:.0f} s", ""
    if ended.cause == "interrupted":
        return "the run was interrupted before a kernel was finished", "Run again and let it finish."
    if ended.cause == "timeout":
        return (
            f"the time limit of {plan.timeout_s:g} s was reached before a kernel was finished",
            "Give a longer --timeout, fewer launches or a smaller shape. "
            f"Last line: {outcome.line_at_stop or 'none'}",
        )
    if worst is not None:
        what, now = explain(worst, plan.simulated)
        seen = f"Names seen: {', '.join(outcome.kernels[:20])}." if worst.known_kind == "nothing" else ""
        return what, f"{now} {seen if outcome.kernels else ''}".strip()
    if ended.status < 0:
        return f"msopprof itself was killed by signal {_signal_name(-ended.status)}", _killed(-ended.status)
    if ended.status != 0:
        return (
            f"msopprof ended with status {ended.status}: {_last_trouble(outcome)}",
            "Compare the command (--dry-run) with `msopprof --help` of this release.",
        )
    return _empty(outcome)


def _empty(outcome: Outcome) -> tuple[str, str]:
    if outcome.folder is None:
        return f"msopprof ended without a result folder: {_last_trouble(outcome)}", "Run `kb doctor`."
    if outcome.found.faults and not outcome.found.launches:
        return (
            f"the result cannot be read: {outcome.found.faults[0]}",
            "chmod -R u+rX the folder, then: kb advise DIR",
        )
    if outcome.plan.simulated:
        return (
            "the simulator left no instruction table and no trace",
            "Give --kernel-name; cube and vector code must sit in one mix library, built for the simulator.",
        )
    return (
        "no OpBasicInfo.csv with a numeric Task Duration and no table with a row came out",
        "Run again; if it stays so, run the program alone and `kb doctor`.",
    )


def _kept(outcome: Outcome) -> list[str]:
    """What lies on the disk although the run failed."""
    kept = []
    if outcome.usable and outcome.folder:
        count = len(outcome.found.launches)
        kept.append(f"Kept: {_count(count, 'launch', 'launches')}; to judge it: kb advise {outcome.folder}")
    elif outcome.found.unparsed and outcome.folder:
        kept.append(
            f"Kept: raw data of {_count(outcome.found.unparsed, 'launch', 'launches')}, not parsed, "
            f"in {outcome.folder}"
        )
    if outcome.app_log:
        kept.append(f"The program's output: {outcome.app_log}")
    return kept


def _gaps(outcome: Outcome) -> Iterable[Notice]:
    """Everything that makes a usable result less than whole."""
    plan, ended, folder = outcome.plan, outcome.ended, str(outcome.folder)
    if ended.cause == "timeout":
        text = f"the time limit of {plan.timeout_s:g} s was reached; what was finished by then is used"
        yield Notice("partial-timeout", text, folder)
    elif ended.cause == "interrupted":
        yield Notice("partial-interrupted", "interrupted; what was finished by then is used", folder)
    elif ended.status < 0:
        text = f"msopprof was killed by signal {_signal_name(-ended.status)}; what was finished is used"
        yield Notice("partial-tool-killed", text, folder)
    if outcome.log.failed:
        good = "" if outcome.log.succeeded is None else f"{outcome.log.succeeded} kernels were collected, "
        yield Notice("kernels-failed", f"{good}{outcome.log.failed} failed", folder)
    for text in _texts(outcome):
        yield Notice("tool-says", text, str(outcome.tool_log or ""))
    yield from _launch_gaps(outcome)
    if outcome.found.unparsed:
        text = f"raw data of {_count(outcome.found.unparsed, 'launch was', 'launches were')} not parsed"
        yield Notice("unparsed", text, folder)
    for fault in outcome.found.faults[:_MOST_NOTICES]:
        yield Notice("unreadable", fault, folder)


def _launch_gaps(outcome: Outcome) -> Iterable[Notice]:
    for launch in outcome.found.launches[:_MOST_NOTICES] if not outcome.plan.simulated else ():
        name = launch.kernel or launch.folder.name
        if missing := [table for table in outcome.plan.tables if table not in launch.tables]:
            yield Notice(
                "table-missing", f"{name}: {', '.join(missing)} missing or empty", str(launch.folder)
            )
        if launch.duration_us is None:
            yield Notice("duration-missing", f"{name}: no numeric Task Duration", str(launch.folder))


def _context(outcome: Outcome) -> Iterable[Notice]:
    """What does not make the result less whole, but should be known; notices of the plan among it."""
    for notice in outcome.plan.notices:
        if notice.code == "first-kernel-only" and outcome.kernels:
            names = ", ".join(outcome.kernels[:20])
            text = (
                f"without --kernel-name only the first launched kernel was profiled: {names}. Choose one "
                f"with --kernel-name '{outcome.kernels[0]}'; to see all, run once with {NAME_HINT}"
            )
            yield Notice(notice.code, text)
        elif notice.code not in ("no-device", "permission"):  # guesses that the run has answered
            yield notice
    launches, asked = len(outcome.found.launches), outcome.plan.asked_launches
    if not outcome.plan.simulated and outcome.ended.cause == "finished" and launches < asked:
        yield Notice("fewer-launches", f"{asked} launches were asked for, {launches} matched")
    if outcome.ended.status > 0:
        text = f"msopprof ended with status {outcome.ended.status}, but the result is there"
        yield Notice("tool-status", text)
    if outcome.ended.left_behind:
        text = (
            f"{_count(outcome.ended.left_behind, 'process', 'processes')} of the program outlived it: ended"
        )
        yield Notice("processes-ended", text)
    if outcome.others:
        names = ", ".join(path.name for path in outcome.others[:_MOST_NOTICES])
        yield Notice(
            "other-results", f"other results appeared in the folder meanwhile and are left alone: {names}"
        )
    if outcome.app_dropped:
        why = outcome.log_fault or "it is larger than what is kept"
        yield Notice(
            "app-output-cut", f"{outcome.app_dropped} bytes of the program's output were dropped: {why}"
        )


def _texts(outcome: Outcome) -> tuple[str, ...]:
    """Known troubles that did not prevent a result, in plain words."""
    lines = [*outcome.log.of_kind("app"), *outcome.log.of_kind("partial"), *outcome.log.of_kind("parse"),
             *outcome.log.of_kind("timeout")]  # fmt: skip
    return tuple(dict.fromkeys(explain(line, outcome.plan.simulated)[0] for line in lines))[:_MOST_NOTICES]


def _is_usable(launch: Launch) -> bool:
    return launch.duration_us is not None or bool(launch.tables - {"OpBasicInfo"})


def _last_trouble(outcome: Outcome) -> str:
    lines = (*outcome.log.troubles[-1:], outcome.log.last, outcome.app_tail.splitlines()[-1:])
    return next((str(line) for line in lines if line and isinstance(line, str)), "it printed nothing")


def _signal_name(number: int) -> str:
    try:
        return f"{number} ({signal.Signals(number).name})"
    except ValueError:
        return str(number)


def _killed(number: int) -> str:
    if number == signal.SIGKILL:
        return "Often the system ran out of memory; the vendor advises at least 20 GB. See `kb doctor`."
    return "Run again; if it stays so, try fewer metrics or launches, and report it to the vendor."


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
