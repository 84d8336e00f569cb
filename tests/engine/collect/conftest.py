"""The made-up machine, and a look afterwards that nothing was left running or lying about."""

from __future__ import annotations

import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from collect_machine import STANDIN, Machine


def _touch(path: Path, text: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """A machine with one device, CANN 8.5 and the stand-in on PATH; nothing may be left running."""
    root, work, home, programs = (tmp_path / name for name in ("root", "work", "cann-8.5.0", "bin"))
    _touch(root / "dev" / "davinci0")
    _touch(root / "dev" / "davinci_manager")
    _touch(root / "usr/local/Ascend/driver/version.info", "Version=25.0.rc1\n")
    _touch(home / "tools/simulator/Ascend910B2/lib/libruntime_camodel.so")
    _touch(home / "tools/simulator/Ascend310P3/lib/libruntime_camodel.so")
    _touch(home / "ascend_toolkit_install.info", "package_name=Ascend-cann-toolkit\nversion=8.5.0\n")
    for folder in (work, programs, tmp_path / "tmp"):
        folder.mkdir(mode=0o700)
    (programs / "msopprof").symlink_to(STANDIN / "msopprof")
    (programs / "python3").symlink_to(sys.executable)
    mark = f"test-{uuid.uuid4().hex}"
    variables = {
        "PATH": f"{programs}:/usr/bin:/bin",
        "ASCEND_HOME_PATH": str(home),
        "TMPDIR": str(tmp_path / "tmp"),
        "KB_TEST_MARK": mark,
    }
    made = Machine(root, work, variables, mark)
    made.program("add_custom", '#!/bin/sh\necho "sum is right: $*"\n')
    yield made
    deadline = time.monotonic() + 2
    while made.processes() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert made.processes() == [], "orphan processes"
    assert list((tmp_path / "tmp").iterdir()) == [], "temporary files left"
    assert list(tmp_path.rglob("kb-run-*")) == [], "wrapper left"
