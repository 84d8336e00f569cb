"""What a long reading shows while it runs."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from running import ROOT, environment

from kb.commands._progress import so_far
from kb.engine.readers import job
from tools.samples import trace


def test_rows_part_and_time_left() -> None:
    assert so_far(1_234_567, 0.25, 10.0) == "1 234 567 rows, 25%, about 30 s left"
    assert so_far(0, 0.0, 1.0) == "0 rows, 0%"


def test_a_large_table_tells_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kb.engine import readers
    from kb.engine.readers import rows

    monkeypatch.setattr(job, "LARGE", 0)
    monkeypatch.setattr(rows, "BLOCK", 20_000)
    for rank in (0, 1):
        (tmp_path / f"rank_{rank}").mkdir()
        trace.write(tmp_path / f"rank_{rank}" / "kernel_details.csv", 200, layers=1)
    told: list[tuple[int, float]] = []
    readers.read([tmp_path], progress=lambda done, part: told.append((done, part)))
    assert told == sorted(told) and len(told) > 4
    assert told[-1][0] == 400 and told[-1][1] == pytest.approx(1.0, abs=0.02)


# Opening a file takes long, as on a disk far away; a second of patience is a tenth here.
FAR_AWAY = """
import sys, time, kb.commands._progress as progress
from kb.engine.readers import source
progress.PATIENCE = 0.1
source._TOLD_EACH = 10
usual = source.open_source
def slow(path):
    time.sleep({seconds})
    return usual(path)
source.open_source = slow
from kb.__main__ import main
sys.exit(main())
"""


def started(home: Path, files: int, seconds: float, stderr: int) -> subprocess.Popen[bytes]:
    place = home / "much"
    place.mkdir()
    for n in range(files):
        (place / f"{n}.jpg").write_bytes(b"\xff\xd8\xff\xe0")
    code = FAR_AWAY.format(seconds=seconds)
    return subprocess.Popen(
        [sys.executable, "-c", code, "advise", str(place)], cwd=ROOT, env=environment(home) | {"TERM": "xterm", "COLUMNS": "300"},  # a long path is not broken in two
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr,
    )  # fmt: skip


def test_a_terminal_is_told_of_the_files_and_ctrl_c_ends_the_walk(tmp_path: Path) -> None:
    leader, follower = pty.openpty()
    process = started(tmp_path, 2000, 0.05, follower)  # 100 s, if nothing ends it
    os.close(follower)
    bound = threading.Timer(60, process.kill)
    bound.start()
    received = b""
    while b"0 files looked at" not in received:
        received += os.read(leader, 65536)
    asked = time.monotonic()
    process.send_signal(signal.SIGINT)
    try:
        while chunk := os.read(leader, 65536):
            received += chunk
    except OSError:  # Linux says EIO when the other side is gone
        pass
    assert process.wait() == 130
    assert time.monotonic() - asked < 10
    bound.cancel()
    os.close(leader)
    assert b"kb: interrupted" in received and b"Traceback" not in received


def test_a_pipe_is_told_nothing_of_it(tmp_path: Path) -> None:
    process = started(tmp_path, 60, 0.02, subprocess.PIPE)
    _, told = process.communicate(timeout=120)
    assert process.returncode == 3
    assert told.decode().startswith("kb: ") and "looked at" not in told.decode() and b"\x1b" not in told
