"""What msopprof says about a run, by kind: the texts to look for, what they mean and what to do.

Source: message strings of its source (26.0 to 26.1), user guides, captures of CANN 8.3 and 8.5. Messages of
one kind are listed with the most telling first. `{...}` in meaning and remedy are groups of the pattern.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal[
    "good",
    "summary",
    "args",  # refused before anything ran
    "setup",  # machine, libraries, permissions
    "app",  # the program or a launch failed
    "nothing",  # ran, but collected no kernel
    "partial",  # some of it is missing
    "parse",  # collected, but not turned into tables
    "timeout",
    "harmless",
]
# A failed run is explained by the first of these kinds that was seen.
BY_WEIGHT: tuple[Kind, ...] = ("args", "setup", "timeout", "app", "nothing", "parse", "partial")


@dataclass(frozen=True, slots=True)
class Text:
    """One message of the tool: how to know it, what it means, what the user can do about it."""

    kind: Kind
    pattern: re.Pattern[str]
    means: str = ""
    now: str = ""
    now_simulator: str = field(default="")


def _text(kind: Kind, pattern: str, means: str = "", now: str = "", now_simulator: str = "") -> Text:
    return Text(kind, re.compile(pattern), means, now, now_simulator)


_NAMES = (
    "Names are matched from their beginning, and mix kernels carry _mix_aic or _mix_aiv at the end, so end "
    "the name with *. To see the names, run once with --kernel-name '*' --launch-count 20 "
    "--aic-metrics BasicInfo."
)
_NO_KERNEL = "Check that the program launches a kernel on the NPU at all, and before it ends."
_SIM_KERNEL = (
    "Give --kernel-name; check that the program is built for the simulator and that cube and vector code sit "
    "in one mix library."
)
_MEMORY = (
    "Free device memory: msopprof keeps a copy of every buffer. Or use a smaller shape or --replay-mode "
    "application."
)
_SIM_BUILD = (
    "Build the program for the simulator (link runtime_camodel and npu_drv; template libraries: --simulator)."
)
_PERMISSION = (
    "Use a folder that you own, without links in its path and not writable for group or others (chmod 700)."
)

TEXTS: tuple[Text, ...] = (
    _text("good", r"Profiling running finished\. All task success"),
    _text("good", r"Save profiling data with metric \[[^\]]*\] success"),
    _text("good", r"Profiling results saved in (?P<folder>.+)"),
    _text("good", r"Profiling data parse finished"),
    _text("summary", r"Profiling kernels result is: (?P<good>\d+) success, (?P<bad>\d+) failed"),
    # refused arguments
    _text("args", r"argument --(?P<option>[\w-]+) miss value", "msopprof found no value for --{option}"),
    _text(
        "args",
        r"Launch count should within \[1, (?P<most>\d+)\]",
        "this msopprof takes at most {most} launches",
        "Give --launch-count {most} or less.",
    ),
    _text(
        "args", r"Launch-skip-before-match should within \[(?P<range>[^\]]+)\]", "launches to skip: {range}"
    ),
    _text(
        "args",
        r"Warm up times should within \[(?P<range>[^\]]+)\]",
        "this msopprof takes {range} warm-ups",
        "Change --warm-up.",
    ),
    _text("args", r"--core-id is invalid", "msopprof refused --core-id"),
    _text("args", r"--timeout is invalid", "msopprof refused --timeout"),
    _text(
        "args",
        r"Unexpected argument (?:in )?--aic-metrics(?:=(?P<metrics>[^,\s]*))?",
        "msopprof does not know these metrics on this chip or in this mode",
        "Leave --aic-metrics out for Default, or check the mode and the chip.",
    ),
    _text("args", r"--mstx-include only support when --mstx=on", "--mstx-include needs --mstx=on"),
    _text("args", r"--replay-mode=range only support when --mstx=on", "range replay needs --mstx=on"),
    _text(
        "args",
        r"can not be used together or empty at the same time",
        "msopprof found no program, or a program and a config at once",
        "Give exactly one target.",
    ),
    _text(
        "args",
        r"(?:[Uu]nrecogni[sz]ed|[Uu]nknown|[Ii]nvalid) (?:option|argument)s? ?(?P<option>\S*)",
        "this msopprof does not know an option: {option}",
        "Leave the option out; older releases have fewer.",
    ),
    # machine and permissions
    _text(
        "setup",
        r"application to be profiled is not exist or not executable",
        "msopprof cannot run the program",
        "Check the path, and chmod u+x it.",
    ),
    _text(
        "setup", r"\$?ASCEND_HOME_PATH not found", "ASCEND_HOME_PATH is not set", "Source set_env.sh of CANN."
    ),
    _text(
        "setup",
        r"Failed to load simulator so",
        "the simulator libraries cannot be loaded",
        "Source set_env.sh and put $ASCEND_HOME_PATH/tools/simulator/<Soc>/lib first in LD_LIBRARY_PATH.",
    ),
    _text(
        "setup",
        r"--soc-version is invalid",
        "msopprof has no simulator for this chip",
        "Give --soc a folder name of $ASCEND_HOME_PATH/tools/simulator; `kb doctor` lists them.",
    ),
    _text(
        "setup",
        r"Device profiling is not supported on current chip",
        "this chip cannot be profiled on board",
        "Use --mode simulator --soc SOC.",
    ),
    _text(
        "setup",
        r"Tmp output path maybe not secure",
        "msopprof does not trust its temporary folder",
        "Remove what an earlier run left in the output folder, or give --output a new one.",
    ),
    _text(
        "setup",
        r"--output parameter is not a folder but already exist",
        "the output path is a file",
        "Give --output another folder.",
    ),
    _text("setup", r"(?i)\bsoft ?link", "msopprof refuses a path with a soft link", _PERMISSION),
    _text(
        "setup",
        r"(?i)\b(?:writable by (?:group|other)|permission\b.*\b(?:denied|not|invalid|too)|"
        r"not (?:the )?owner|owner .*not)",
        "msopprof refuses a file or folder for its permissions",
        _PERMISSION,
    ),
    _text(
        "timeout",
        r"The timeout has reached and the application will be forcibly killed",
        "the simulator ran into its own time limit",
        "Give fewer cores, a smaller shape, or a longer --timeout.",
    ),
    # the program
    _text(
        "app",
        r"Child process killed by signal (?P<signal>\d+)",
        "the program was killed by signal {signal} while being profiled",
        "Run the program alone first; its own output is kept, see below.",
        _SIM_BUILD,
    ),
    _text(
        "app", r"memoryContext failed", "the memory of the kernel could not be backed up for replay", _MEMORY
    ),
    _text(
        "app",
        r"Replay data restore failed",
        "the memory of the kernel could not be restored between passes",
        _MEMORY,
    ),
    _text(
        "app",
        r"Kernel run on device (?P<device>\d+) No\. ?(?P<number>\d+) time failed",
        "kernel launch {number} on device {device} failed under the profiler",
        "msopprof gives one launch 10 s: use a smaller shape; check that the program runs alone.",
    ),
    _text(
        "app",
        r"Running task failed, data parsing start",
        "the program failed while being profiled",
        "Run the program alone first; its own output is kept, see below.",
        _SIM_BUILD,
    ),
    # nothing there
    _text(
        "nothing",
        r"No profiling data matched --kernel-name=?(?P<name>\S*)",
        "No kernel matched --kernel-name {name}",
        _NAMES,
    ),
    _text(
        "nothing",
        r"Profiling results are empty",
        "the program launched no kernel that was profiled",
        _NO_KERNEL,
        _SIM_KERNEL,
    ),
    _text("nothing", r"No profiling data dumped", "no kernel was profiled", _NO_KERNEL, _SIM_KERNEL),
    # parts missing
    _text(
        "partial",
        r"Failed to save profiling data with metric \[(?P<metric>[^\]]*)\]",
        "the table {metric} could not be saved",
        "Run again; check free disk space.",
    ),
    _text(
        "partial",
        r"Some indicators of \[(?P<metric>[^\]]*)\] failed to be collected",
        "some columns of {metric} could not be collected",
        "Run again.",
    ),
    _text(
        "partial",
        r"Access profiling data file \[(?P<file>[^\]]*)\].*failed",
        "the raw file {file} is missing",
        "Run again; check free disk space.",
    ),
    _text("partial", r"Get op basic info \[(?P<what>[^\]]*)\] failed", "{what} is missing", "Run again."),
    _text(
        "partial", r"Failed to parse L2Cache evict value", "the evicted lines of L2 are missing", "Run again."
    ),
    _text(
        "parse",
        r"Profiling data parse failed",
        "the raw data could not be parsed",
        "Run again; check free disk space and memory.",
    ),
    _text("parse", r"Get profiling data failed", "the raw data could not be read", "Run again."),
    _text("harmless", r"Failed to parse pc to code, maybe kernel missed debug_line"),
    _text("harmless", r"(?i)\b(?:as|by|is|with) (?:the )?root\b"),
    _text("harmless", r"The option \"?--application\"? will be deprecated"),
)


# Every message above holds one of these; a look for them spares a program's own lines the whole table.
_HINTS = (
    "profil", "fail", "within", "argument", "option", "invalid", "only support", "at the same time",
    "ascend_home_path", "secure", "already exist", "link", "permission", "writable", "owner", "killed",
    "indicators", "root",
)  # fmt: skip


def recognise(text: str) -> tuple[Text, dict[str, str]] | None:
    """The known message in a line, with its groups; None for a line that is not in the table."""
    small = text.lower()
    if not any(hint in small for hint in _HINTS):
        return None
    for known in TEXTS:
        if found := known.pattern.search(text):
            return known, {name: value or "" for name, value in found.groupdict().items()}
    return None
