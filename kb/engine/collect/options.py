"""What the user asks of a collection, checked for everything that can be known without looking at the
machine.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal

from kb.engine.collect import metric_groups
from kb.errors import UsageError

Mode = Literal["auto", "device", "simulator", "estimate"]
ReplayMode = Literal["kernel", "application", "range"]
MODES: tuple[Mode, ...] = ("auto", "device", "simulator", "estimate")
REPLAY_MODES: tuple[ReplayMode, ...] = ("kernel", "application", "range")

MOST_LAUNCHES = 5000  # msopprof 26.0 and later; before, 100 is documented
MOST_WARM_UP = 500
LONGEST_KERNEL_NAME = 1023
LONGEST_OUTPUT = 200
_KERNEL_NAME = re.compile(r"[A-Za-z0-9_*]+(\|[A-Za-z0-9_*]+)*")
_SOC = re.compile(r"[A-Za-z0-9_-]{1,64}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class Options:
    """The options of `kb profile-and-advise` that concern collecting; None means the tool's own default.

    `target` is the program with its arguments, or one `--config` JSON. `timeout_s` is wall-clock seconds.

    Raises:
        UsageError: a value is outside what msopprof accepts.
    """

    target: tuple[str, ...]
    mode: Mode = "auto"
    soc: str | None = None
    kernel_name: str | None = None
    launch_count: int | None = None
    warm_up: int | None = None
    aic_metrics: tuple[str, ...] = ()
    replay_mode: ReplayMode | None = None
    timeout_s: float | None = None
    output: str | None = None

    def __post_init__(self) -> None:
        _check_target(self.target)
        _check_choice("--mode", self.mode, MODES)
        _check_soc(self.soc)
        _check_kernel_name(self.kernel_name)
        _check_range("--launch-count", self.launch_count, 1, MOST_LAUNCHES)
        _check_range("--warm-up", self.warm_up, 0, MOST_WARM_UP)
        object.__setattr__(self, "aic_metrics", metric_groups.canonical(self.aic_metrics))
        if self.replay_mode is not None:
            _check_choice("--replay-mode", self.replay_mode, REPLAY_MODES)
        if self.timeout_s is not None and not (math.isfinite(self.timeout_s) and self.timeout_s > 0):
            raise UsageError(
                f"{self.timeout_s} is no time limit", where="--timeout", now="Give seconds above 0."
            )
        _check_output(self.output)


def _check_target(target: tuple[str, ...]) -> None:
    if not target or not target[0]:
        raise UsageError(
            "there is no program to profile",
            where="TARGET",
            now="Give an executable, or an interpreter after `--`: kb profile-and-advise -- python3 infer.py",
        )
    if any("\0" in word for word in target):
        raise UsageError("an argument holds a NUL character", where="TARGET", now="Remove it.")
    if target[0].startswith("-"):
        raise UsageError(
            f"{target[0]!r} would be read as an option of the profiler",
            where="TARGET",
            now=f"Write it with a folder: ./{target[0]}",
        )


def _check_choice(option: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise UsageError(f"{value!r} is not known", where=option, now=f"Choose one of {', '.join(allowed)}.")


def _check_range(option: str, value: int | None, low: int, high: int) -> None:
    if value is not None and not low <= value <= high:
        raise UsageError(
            f"{value} is outside {low} to {high}", where=option, now=f"Give a number from {low} to {high}."
        )


def _check_soc(soc: str | None) -> None:
    if soc is not None and not _SOC.fullmatch(soc):
        raise UsageError(
            f"{soc!r} is no SoC name",
            where="--soc",
            now="Give a name such as Ascend910B2: letters, digits, _ and - only.",
        )


def _check_kernel_name(name: str | None) -> None:
    if name is None:
        return
    if len(name) > LONGEST_KERNEL_NAME:
        raise UsageError(
            f"{len(name)} characters; msopprof accepts {LONGEST_KERNEL_NAME}",
            where="--kernel-name",
            now="Use a prefix with *: the name is matched from its beginning.",
        )
    if not _KERNEL_NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} holds something other than letters, digits, _, * and |",
            where="--kernel-name",
            now="Use a prefix with *, several joined by |: 'MatMul*|Add*'.",
        )


def _check_output(output: str | None) -> None:
    if output is None:
        return
    if not output or _CONTROL.search(output):
        raise UsageError(
            "the folder name is empty or holds control characters", where="--output", now="Choose another."
        )
    if len(output) > LONGEST_OUTPUT:
        raise UsageError(
            f"{len(output)} characters; msopprof accepts {LONGEST_OUTPUT}",
            where="--output",
            now="Choose a shorter path.",
        )
