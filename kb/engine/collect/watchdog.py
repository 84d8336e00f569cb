"""What ends the profiler when `kb` itself is killed outright: a small process of its own that waits for that.

It runs this file alone, without the package, and reads a pipe whose other end `kb` holds: the end of the pipe without
the word that all is well means that `kb` is gone. (`PR_SET_PDEATHSIG` reaches the tool alone, not the program that it
profiles, and is bound to the thread that started it.)
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

MARK = "KB_COLLECT_RUN"  # in the environment of the run, so that its processes are known wherever they went
ALL_IS_WELL = b"done\n"
GRACE_S = 5.0  # between the polite signal and the firm one
_TICK_S = 0.02


def marked(token: str) -> set[int]:
    """Processes that carry the mark of this run, whatever group or parent they have now; zombies have none.

    Source: /proc/<pid>/environ, which holds the environment a program was started with.
    """
    wanted = f"{MARK}={token}".encode()
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            content = (folder / "environ").read_bytes()
        except OSError:
            continue
        if wanted in content:
            found.add(int(folder.name))
    return found


def end_marked(token: str, grace_s: float = GRACE_S) -> None:
    """End all processes of a run: SIGTERM, and SIGKILL for those that are still there after the grace."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        for pid in marked(token):
            try:
                os.kill(pid, number)
            except (ProcessLookupError, PermissionError):
                continue
        deadline = time.monotonic() + grace_s
        while (left := marked(token)) and time.monotonic() < deadline:
            time.sleep(_TICK_S)
        if not left:
            return


def main() -> None:
    """Wait for the word or the end of stdin; the token of the run is the argument."""
    if not sys.stdin.buffer.read().endswith(ALL_IS_WELL):
        end_marked(sys.argv[1])


if __name__ == "__main__":
    main()
