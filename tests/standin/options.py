"""The option grammar of msopprof: `--key=value` before the program, everything after belongs to the
program.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

from opprof_folder import TABLES

DEVICE = {
    "application", "config", "output", "aic-metrics", "kernel-name", "launch-count",
    "launch-skip-before-match", "replay-mode", "warm-up", "kill", "mstx", "mstx-include", "dump",
    "core-id", "instr-timeline-pipe", "custom-input",
}  # fmt: skip
SIMULATOR = {
    "application", "config", "export", "output", "kernel-name", "launch-count", "aic-metrics", "mstx",
    "mstx-include", "soc-version", "core-id", "timeout", "dump",
}  # fmt: skip
DEVICE_METRICS = {
    *TABLES, "Default", "Roofline", "MemoryDetail", "Occupancy", "Source", "KernelScale", "TimelineDetail",
    "PipeTimeline", "InstrTimeline", "PcSampling", "BasicInfo",
}  # fmt: skip
SIMULATOR_METRICS = {"PipeUtilization", "ResourceConflictRatio", "PMSampling", "OverHead"}


class Refused(Exception):
    """Bad arguments: the only thing the tool reports by its exit status."""


@dataclass
class Given:
    simulator: bool
    values: dict[str, str]
    app: list[str] = field(default_factory=list)

    @property
    def output(self) -> Path:
        return Path(self.values.get("output", "."))

    @property
    def launch_count(self) -> int:
        return int(self.values.get("launch-count", "1"))

    @property
    def kernel_name(self) -> str | None:
        return self.values.get("kernel-name")

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that the metrics asked for produce."""
        asked = {name.lower() for name in self.values.get("aic-metrics", "Default").split(",")}
        if asked & {"default", "roofline", "memorydetail"}:
            return TABLES
        return tuple(table for table in TABLES if table.lower() in asked)


def read(words: list[str]) -> Given:
    """Parse and check a command line; answers -h and -v itself."""
    simulator = words[:1] == ["simulator"]
    rest = words[simulator:]
    values: dict[str, str] = {}
    while rest and rest[0].startswith("-"):
        word = rest.pop(0)
        if word in ("-h", "--help"):
            print("Usage: msopprof [simulator] [options] application [arguments]")
            sys.exit(0)
        version = os.environ.get("STANDIN_VERSION", "")
        if word in ("-v", "--version") and version:
            print(f"msopprof vesion is {version}")
            sys.exit(0)
        key, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("--") or key not in (SIMULATOR if simulator else DEVICE):
            raise Refused(f"unrecognized option {word}")
        if not equals:
            raise Refused(f"argument --{key} miss value")
        values[key] = value
    given = Given(simulator, values, split_app(rest))
    _check(given)
    return given


def split_app(rest: list[str]) -> list[str]:
    """Arguments are joined by blanks and split again: what held a blank falls apart."""
    return " ".join(rest).split()


def _check(given: Given) -> None:
    values = given.values
    most = int(os.environ.get("STANDIN_LAUNCHES", "5000"))
    _in_range(values, "launch-count", 1, most, "Launch count should within")
    _in_range(values, "launch-skip-before-match", 0, 1000, "Launch-skip-before-match should within")
    _in_range(values, "warm-up", 0, 500, "Warm up times should within")
    if values.get("replay-mode") == "range" and values.get("mstx") != "on":
        raise Refused("--replay-mode=range only support when --mstx=on")
    known = {name.lower() for name in (SIMULATOR_METRICS if given.simulator else DEVICE_METRICS)}
    for name in values.get("aic-metrics", "").split(",") if "aic-metrics" in values else ():
        if name.lower() not in known:
            raise Refused(f"Unexpected argument --aic-metrics={name}, please check")
    name = values.get("kernel-name")
    if name is not None and not re.fullmatch(r"[A-Za-z0-9_*|]{1,1023}", name):
        raise Refused("--kernel-name is invalid")
    if len(values.get("output", "")) > 200:
        raise Refused("--output is too long")
    if bool(given.app) + ("config" in values) + ("export" in values) != 1:
        raise Refused("application, --config and --export can not be used together or empty at the same time")
    if given.app and shutil.which(given.app[0]) is None:
        raise Refused("application to be profiled is not exist or not executable.")
    if given.simulator:
        _check_soc(values)


def _check_soc(values: dict[str, str]) -> None:
    home = os.environ.get("ASCEND_HOME_PATH")
    if not home:
        raise Refused("$ASCEND_HOME_PATH not found")
    folder = Path(home) / "tools" / "simulator"
    soc = values.get("soc-version", "Ascend910B1")
    if not (folder / soc).is_dir():
        raise Refused(f"--soc-version is invalid, please specify a simulator in {folder}")


def _in_range(values: dict[str, str], key: str, low: int, high: int, text: str) -> None:
    value = values.get(key)
    if value is not None and not (value.isdigit() and low <= int(value) <= high):
        raise Refused(f"{text} [{low}, {high}]")
