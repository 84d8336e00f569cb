"""What this machine offers for collecting: the profiler, CANN, simulators, devices, driver.

Everything is looked at once, here, and handed on as one frozen value, so that choosing a mode and building
a command need no machine.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from kb.errors import UsageError

_VERSION = re.compile(
    r"\bv\w*sion\b\D{0,20}(\d+(?:\.\w+)+)", re.IGNORECASE
)  # the tool itself prints "vesion"
_RELEASE = re.compile(r"\d+(?:\.\d+)*")
_FOLDER_VERSION = re.compile(r"(?:cann-)?(\d+\.\d+(?:\.\w+)*)")
_SMALL_FILE = 64 * 1024
_PROBE_OUTPUT = 64 * 1024
_SET_ENV = (
    "usr/local/Ascend/ascend-toolkit/set_env.sh",
    "usr/local/Ascend/cann/set_env.sh",
    "usr/local/Ascend/latest/set_env.sh",
)


@dataclass(frozen=True, slots=True)
class Tool:
    """The profiler: `argv` is how a command begins, `path` the file that is run, `version` None before
    26.1.
    """

    argv: tuple[str, ...]
    path: str
    version: str | None = None


@dataclass(frozen=True, slots=True)
class Environment:
    """The machine as far as collecting is concerned. `looked` are the places searched for the profiler."""

    variables: Mapping[str, str]
    cwd: Path
    root: Path = Path("/")
    tool: Tool | None = None
    looked: tuple[str, ...] = ()
    home: Path | None = None  # $ASCEND_HOME_PATH, when it is a folder
    cann_version: str | None = None
    simulators: tuple[str, ...] = ()  # folder names below tools/simulator
    devices: tuple[str, ...] = ()
    npu_smi: str | None = None
    driver_version: str | None = None
    set_env: str | None = None  # a set_env.sh in a usual place
    stamp: str = "0"  # time of the run, for names
    pid: int = 0
    temporary: Path = field(default_factory=lambda: Path(tempfile.gettempdir()))

    @property
    def device_ready(self) -> bool:
        """A device file and a driver are both there."""
        return bool(self.devices) and bool(self.npu_smi or self.driver_version)

    @property
    def path(self) -> str:
        """The search path for programs."""
        return self.variables.get("PATH", "")


def look_around(
    variables: Mapping[str, str] | None = None,
    *,
    cwd: Path | None = None,
    root: Path = Path("/"),
    now: datetime | None = None,
    probe_s: float = 10.0,
) -> Environment:
    """Look at this machine; runs the profiler once with `-v`, for at most `probe_s` seconds."""
    seen = dict(os.environ if variables is None else variables)
    home = _home(seen)
    tool, looked = _find_tool(seen, home, probe_s)
    driver = read_small(root / "usr/local/Ascend/driver/version.info")
    return Environment(
        variables=seen,
        cwd=Path(os.path.realpath(cwd or _here())),
        root=root,
        tool=tool,
        looked=looked,
        home=home,
        cann_version=_cann_version(home),
        simulators=_simulators(home),
        devices=tuple(sorted(p.name for p in (root / "dev").glob("davinci[0-9]*"))),
        npu_smi=_npu_smi(seen, root),
        driver_version=_value(driver, "Version"),
        set_env=next((str(root / place) for place in _SET_ENV if (root / place).is_file()), None),
        stamp=(now or datetime.now()).strftime("%Y%m%d-%H%M%S"),
        pid=os.getpid(),
        temporary=Path(seen.get("TMPDIR") or tempfile.gettempdir()),
    )


def release(version: str | None) -> tuple[int, ...] | None:
    """The leading numbers of a version, to compare: "8.0.RC3" is (8, 0); None when there are none."""
    found = _RELEASE.match(version or "")
    return tuple(int(part) for part in found.group().split(".")) if found else None


def probe(argv: Sequence[str], variables: Mapping[str, str], timeout_s: float) -> tuple[int | None, str]:
    """Run a short command: exit status (None: not started or too slow) and at most 64 KiB of its output."""
    with tempfile.TemporaryFile() as out:
        try:
            process = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env=dict(variables),
                start_new_session=True,
            )
        except OSError:
            return None, ""
        status: int | None = None
        try:
            status = process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            pass
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        out.seek(0)
        return status, out.read(_PROBE_OUTPUT).decode("utf-8", "replace")


def read_small(path: Path) -> str:
    """The beginning of a small text file; empty when it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(_SMALL_FILE).decode("utf-8", "replace")
    except OSError:
        return ""


def _here() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError as fault:
        raise UsageError("the folder you are in was deleted", now="Change to one that exists.") from fault


def _home(variables: Mapping[str, str]) -> Path | None:
    text = variables.get("ASCEND_HOME_PATH", "")
    return Path(text) if text and Path(text).is_dir() else None


def _find_tool(
    variables: Mapping[str, str], home: Path | None, probe_s: float
) -> tuple[Tool | None, tuple[str, ...]]:
    """msopprof before `msprof op`: the second forwards to the first, but only where both are of one CANN."""
    looked = []
    for name, folders, extra in (
        ("msopprof", ("tools/msopprof/bin", "bin"), ()),
        ("msprof", ("tools/profiler/bin", "bin"), ("op",)),
    ):
        looked.append(f"{name} on PATH")
        found = shutil.which(name, path=variables.get("PATH", ""))
        if found:
            return _with_version((name, *extra), found, variables, probe_s), tuple(looked)
        for folder in folders:
            looked.append(f"$ASCEND_HOME_PATH/{folder}/{name}")
            path = home / folder / name if home else None
            if path and path.is_file() and os.access(path, os.X_OK):
                return _with_version((str(path), *extra), str(path), variables, probe_s), tuple(looked)
    return None, tuple(looked)


def _with_version(argv: tuple[str, ...], path: str, variables: Mapping[str, str], probe_s: float) -> Tool:
    status, text = probe((path, *argv[1:], "-v"), variables, probe_s)
    found = _VERSION.search(text) if status == 0 else None
    return Tool(argv, path, found.group(1) if found else None)


def _cann_version(home: Path | None) -> str | None:
    """From the files of the toolkit, else from the name of its folder."""
    if home is None:
        return None
    for info in (home / "ascend_toolkit_install.info", *sorted(home.glob("*-linux/*_install.info"))):
        if version := _value(read_small(info), "version"):
            return version
    for info in sorted(home.glob("*/version.info")):
        if version := _value(read_small(info), "version_dir"):
            found = _FOLDER_VERSION.fullmatch(version)
            return found.group(1) if found else version
    for part in reversed(Path(os.path.realpath(home)).parts):
        if found := _FOLDER_VERSION.fullmatch(part):
            return found.group(1)
    return None


def _value(text: str, key: str) -> str | None:
    for line in text.splitlines():
        name, _, value = line.partition("=")
        if name.strip() == key and value.strip():
            return value.strip()
    return None


def _simulators(home: Path | None) -> tuple[str, ...]:
    folder = home / "tools" / "simulator" if home else None
    if folder is None:
        return ()
    try:
        return tuple(sorted(p.name for p in folder.iterdir() if p.is_dir() and p.name.startswith("Ascend")))
    except OSError:
        return ()


def _npu_smi(variables: Mapping[str, str], root: Path) -> str | None:
    found = shutil.which("npu-smi", path=variables.get("PATH", ""))
    usual = (root / "usr/local/bin/npu-smi", root / "usr/local/sbin/npu-smi")
    return found or next((str(path) for path in usual if path.is_file()), None)
