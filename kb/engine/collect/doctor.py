"""The prerequisites of collecting, one check each: pass, fail or unknown, and the remedy.

A check that `blocks` stops the main job on this machine when it fails; the others are worth knowing. Existing
profiles can be judged whatever the checks say.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Literal

from kb.engine.collect.environment import Environment, probe, read_small, release
from kb.engine.collect.mode import find_simulator
from kb.engine.collect.output_folder import DEFAULT_PARENT, nearest_existing, path_faults
from kb.units import nbytes

State = Literal["pass", "fail", "unknown"]
_GIB = 1024**3
MEMORY_BYTES = 20 * _GIB  # the vendor asks for it in containers
DISK_BYTES = 2 * _GIB  # own estimate: a device run takes MiB, traces of the simulator reach GiB
_DISTRIBUTION = "ascend-kb"
_PROBE_S = 10.0


@dataclass(frozen=True, slots=True)
class Check:
    """One prerequisite. `found` is what was seen, `remedy` is empty when it passed."""

    id: str
    title: str
    state: State
    found: str
    remedy: str = ""
    blocks: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: the machine, the folder for results, the chip, who provides the package `kb`."""

    environment: Environment
    output: Path
    soc: str | None = None
    providers: tuple[str, ...] = ()


def run_checks(
    environment: Environment, *, output: str | None = None, soc: str | None = None
) -> tuple[Check, ...]:
    """All checks, in order; runs `npu-smi info` for at most 10 s."""
    folder = Path(os.path.realpath(environment.cwd / (output or DEFAULT_PARENT)))
    question = Question(environment, folder, soc, _providers())
    return tuple(check(question) for check in CHECKS)


def can_collect(checks: Iterable[Check]) -> bool:
    """The main job can run: nothing that blocks failed, and there is a device or a simulator to measure
    with.
    """
    seen = {check.id: check for check in checks}
    measures = any(seen[name].state == "pass" for name in ("device", "simulator"))
    return measures and not any(check.blocks and check.state == "fail" for check in seen.values())


def _tool(q: Question) -> Check:
    tool = q.environment.tool
    if tool:
        return Check("msopprof", "profiler", "pass", f"{' '.join(tool.argv)} ({tool.path})")
    source = q.environment.set_env or "set_env.sh of CANN"
    return Check(
        "msopprof",
        "profiler",
        "fail",
        f"looked for {', '.join(q.environment.looked)}",
        f"Install CANN (toolkit), then: source {source}",
        blocks=True,
    )


def _tool_version(q: Question) -> Check:
    title = "version of msopprof (1.0.0 or later asked for)"
    version = q.environment.tool.version if q.environment.tool else None
    found = release(version)
    if found is None:
        why = "the tool says none: -v exists since 26.1" if q.environment.tool else "no profiler"
        return Check(
            "msopprof-version",
            title,
            "unknown",
            why,
            "Nothing to do: up to 100 launches are asked for where the version is unknown.",
        )
    if found >= (1, 0, 0):
        return Check("msopprof-version", title, "pass", str(version))
    return Check("msopprof-version", title, "fail", str(version), "Install a newer CANN.", blocks=True)


def _cann(q: Question) -> Check:
    title, version = "CANN 7.0 or later", q.environment.cann_version
    found = release(version)
    if found is None:
        seen = f"version not readable: {version}" if version else "no version file below ASCEND_HOME_PATH"
        return Check(
            "cann", title, "unknown", seen, "Source set_env.sh of CANN; see ascend_toolkit_install.info."
        )
    if found >= (7, 0):
        return Check("cann", title, "pass", str(version))
    return Check("cann", title, "fail", str(version), "Install CANN 7.0 or later.", blocks=True)


def _home(q: Question) -> Check:
    given = q.environment.variables.get("ASCEND_HOME_PATH", "")
    if q.environment.home:
        return Check("ascend-home", "ASCEND_HOME_PATH", "pass", given)
    seen = f"{given} is no folder" if given else "not set"
    source = q.environment.set_env or "set_env.sh of CANN"
    return Check("ascend-home", "ASCEND_HOME_PATH", "fail", seen, f"source {source}", blocks=True)


def _device(q: Question) -> Check:
    devices = q.environment.devices
    if not devices:
        return Check(
            "device",
            "NPU device",
            "fail",
            "/dev/davinci* does not exist",
            "Use a machine with an NPU (containers: map /dev/davinci*), or --mode simulator.",
        )
    if not q.environment.device_ready:
        return Check(
            "device", "NPU device", "fail", f"{', '.join(devices)}, but no driver", "Install the driver."
        )
    return Check("device", "NPU device", "pass", ", ".join(devices))


def _driver(q: Question) -> Check:
    version, smi = q.environment.driver_version, q.environment.npu_smi
    if smi is None:
        state: State = "unknown" if version else "fail"
        seen = f"driver {version}, no npu-smi" if version else "neither npu-smi nor a driver version file"
        return Check(
            "driver",
            "driver and npu-smi",
            state,
            seen,
            "Install the driver (containers: map npu-smi and the driver folder).",
        )
    status, text = probe((smi, "info"), q.environment.variables, _PROBE_S)
    if status == 0:
        return Check("driver", "driver and npu-smi", "pass", f"driver {version}" if version else smi)
    first = next((line.strip() for line in text.splitlines() if line.strip()), "no output")
    how = f"{smi} info ended with status {status}: {first}" if status is not None else f"{smi} did not answer"
    return Check(
        "driver", "driver and npu-smi", "fail", how, "Run npu-smi info as this user and mend what it says."
    )


def _simulator(q: Question) -> Check:
    title = f"simulator for {q.soc}" if q.soc else "simulator"
    names = q.environment.simulators
    if not names:
        return Check(
            "simulator",
            title,
            "fail",
            "no folder in $ASCEND_HOME_PATH/tools/simulator",
            "Source set_env.sh of a full CANN toolkit; not needed on a machine with an NPU.",
        )
    if q.soc and find_simulator(q.soc, names) is None:
        return Check("simulator", title, "fail", f"installed: {', '.join(names)}", "Give --soc one of these.")
    return Check("simulator", title, "pass", ", ".join(names))


def _output(q: Question) -> Check:
    title, place = "output folder and its parent", nearest_existing(q.output)
    if not place.is_dir() or not os.access(place, os.W_OK | os.X_OK):
        return Check(
            "output", title, "fail", f"{place} is not writable", "Give --output another folder.", blocks=True
        )
    faults = [fault for path in dict.fromkeys((place, place.parent)) for fault in path_faults(path)]
    if not faults:
        return Check("output", title, "pass", str(place))
    found = release(q.environment.tool.version if q.environment.tool else None)
    if found and found >= (26, 1):
        return Check("output", title, "pass", f"{'; '.join(faults)} (this msopprof only warns)")
    return Check(
        "output",
        title,
        "fail",
        "; ".join(faults),
        "msopprof before 26.1 may refuse it: use a folder of your own, chmod 700, without links.",
    )


def _memory(q: Question) -> Check:
    title, free = f"free memory ({nbytes(MEMORY_BYTES)} advised)", _free_memory(q.environment.root)
    if free is None:
        return Check("memory", title, "unknown", "/proc/meminfo is not readable", "Look at it yourself.")
    if free >= MEMORY_BYTES:
        return Check("memory", title, "pass", nbytes(free))
    return Check("memory", title, "fail", nbytes(free), "Free memory, or raise the limit of the container.")


def _disk(q: Question) -> Check:
    title, place = f"free disk ({nbytes(DISK_BYTES)} advised)", nearest_existing(q.output)
    try:
        free = shutil.disk_usage(place).free
    except OSError as fault:
        return Check("disk", title, "unknown", f"{place}: {fault.strerror}", "Look at it yourself.")
    if free >= DISK_BYTES:
        return Check("disk", title, "pass", f"{nbytes(free)} at {place}")
    return Check(
        "disk", title, "fail", f"{nbytes(free)} at {place}", "Free space, or give --output another disk."
    )


def _root(_: Question) -> Check:
    user = os.geteuid() if hasattr(os, "geteuid") else None  # Windows has no root
    if user != 0:
        return Check("root", "not root", "pass", f"user {user}" if user is not None else "")
    return Check(
        "root",
        "not root",
        "fail",
        "running as root",
        "msopprof warns about it: use an ordinary user of the driver's group where you can.",
    )


def _clash(q: Question) -> Check:
    others = sorted({name for name in q.providers if name.lower().replace("_", "-") != _DISTRIBUTION})
    if not others:
        return Check("other-kb", "no other package named kb", "pass", "none")
    names = ", ".join(others)
    return Check(
        "other-kb",
        "no other package named kb",
        "fail",
        f"also provided by: {names}",
        f"pip uninstall {' '.join(others)} and reinstall {_DISTRIBUTION}, or use pipx.",
    )


CHECKS: tuple[Callable[[Question], Check], ...] = (
    _tool,
    _tool_version,
    _cann,
    _home,
    _device,
    _driver,
    _simulator,
    _output,
    _memory,
    _disk,
    _root,
    _clash,
)


def _providers() -> tuple[str, ...]:
    """Distributions that install a package or a command `kb`."""
    by_package = metadata.packages_distributions().get("kb", [])
    commands = metadata.entry_points(group="console_scripts", name="kb")
    return (*by_package, *(command.dist.name for command in commands if command.dist))


def _free_memory(root: Path) -> int | None:
    """Bytes available: of the machine, or of the container where it has less."""
    lines = read_small(root / "proc/meminfo").splitlines()
    free = next((_integer(line.split()[1]) for line in lines if line.startswith("MemAvailable:")), None)
    if free is None:
        return None
    free *= 1024
    group = root / "sys/fs/cgroup"
    for limit, used in (
        ("memory.max", "memory.current"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
    ):
        most, now = _integer(read_small(group / limit)), _integer(read_small(group / used))
        if most is not None and now is not None:
            free = min(free, max(0, most - now))
    return free


def _integer(text: str) -> int | None:
    try:
        return int(text)
    except ValueError:
        return None
