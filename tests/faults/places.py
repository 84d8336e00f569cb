"""Places where nothing can be written: a full disk, a read-only mount, folders of somebody else. What needs rights that
are not there skips with the reason.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from running import ROOT

_DROP_FROM_BOUNDS, _OVERRIDE, _READ = 24, 1, 2  # PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
_READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
# A small disk with what lies in $1, filled to the last block; then the command.
_FULL = """
mount -t tmpfs -o size=2m none "$0" && cp -R "$1"/. "$0"/ && shift
dd if=/dev/zero of="$0/fill" bs=1k 2>/dev/null
exec "$@"
"""


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    status: int
    out: str
    err: str


def _ran(command: Sequence[str], variables: Mapping[str, str], **more: object) -> Done:
    done = subprocess.run(
        command, cwd=ROOT, env=dict(variables), stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=300, check=False, **more,  # type: ignore[call-overload]
    )  # fmt: skip
    assert "Traceback" not in done.stderr and "fault in kb" not in done.stderr, done.stderr
    return Done(done.returncode, done.stdout, done.stderr)


def kb(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "kb", *arguments]


def _apart() -> list[str]:
    """The beginning of a command that may mount what nobody else sees."""
    if shutil.which("unshare") is None:
        pytest.skip("no unshare on this system: nothing can be mounted for a test")
    start = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    tried = subprocess.run([*start, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False)
    if tried.returncode != 0:
        pytest.skip(f"mounts are not permitted here: {tried.stderr.decode().strip()}")
    return start


def read_only(folder: Path, arguments: Sequence[str], variables: Mapping[str, str]) -> Done:
    """`kb ARGUMENTS` where that folder is a read-only mount."""
    return _ran([*_apart(), "sh", "-c", _READ_ONLY, str(folder), *kb(*arguments)], variables)


def on_full_disk(disk: Path, holds: Path, command: Sequence[str], variables: Mapping[str, str]) -> Done:
    """A command while `disk` is a small disk that holds a copy of a folder, and is full; the file `fill` fills it."""
    return _ran([*_apart(), "sh", "-c", _FULL, str(disk), str(holds), *command], variables)


def unprivileged(arguments: Sequence[str], variables: Mapping[str, str]) -> Done:
    """`kb ARGUMENTS` for whom the modes of files hold, even where root runs the tests."""

    def drop() -> None:
        for capability in (_OVERRIDE, _READ):
            if libc.prctl(_DROP_FROM_BOUNDS, capability, 0, 0, 0) != 0:
                os._exit(99)

    if os.geteuid() != 0:
        return _ran(kb(*arguments), variables)
    if not sys.platform.startswith("linux"):
        pytest.skip("root, whom modes do not hold, and no way to give that up on this system")
    libc = ctypes.CDLL(None)
    done = _ran(kb(*arguments), variables, preexec_fn=drop)
    if done.status == 99:
        pytest.skip("root, whom modes do not hold, and may not give that up here")
    return done
