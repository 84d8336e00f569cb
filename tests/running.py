"""Running `kb` as its users do: a process of its own, in a folder of its own, with a run store of its own."""

from __future__ import annotations

import atexit
import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from warm import Warm

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = "data/samples/add_custom"

# One cache for all processes of a run, so that a search index that has to be made is made once.
if "KB_TESTS_CACHE" not in os.environ:
    _made = tempfile.TemporaryDirectory(prefix="kb-tests-")
    atexit.register(_made.cleanup)
    os.environ["KB_TESTS_CACHE"] = _made.name
CACHE = Path(os.environ["KB_TESTS_CACHE"])

needs_cli = pytest.mark.skipif(
    importlib.util.find_spec("kb.cli") is None, reason="kb.cli is not in this tree yet"
)
needs_sample = pytest.mark.skipif(not (ROOT / SAMPLE).is_dir(), reason=f"{SAMPLE} is not in this tree yet")


def environment(home: Path) -> dict[str, str]:
    """Variables for a child: the checkout importable, home and run store in a folder of the test's, English, no colour."""
    kept = {
        name: os.environ[name]
        for name in ("PATH", "TMPDIR", "SYSTEMROOT", "LD_LIBRARY_PATH")
        if name in os.environ
    }
    return kept | {
        "HOME": str(home), "KB_DB": str(home / "runs.db"), "XDG_DATA_HOME": str(home / "data"),
        "XDG_CACHE_HOME": str(CACHE), "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1",
        "KB_LANG": "en", "NO_COLOR": "1", "COLUMNS": "100", "LC_ALL": "C.UTF-8",
    }  # fmt: skip


_WARM: list[Warm] = []


def run_kb(
    *arguments: str, home: Path, cwd: Path = ROOT, timeout: float = 300, cold: bool = False
) -> subprocess.CompletedProcess[str]:
    """`kb ARGUMENTS` to its end; the caller looks at the exit status. `cold` starts Python anew (`warm` says why not)."""
    if not cold and hasattr(os, "fork"):
        if not _WARM or not _WARM[-1].alive():
            _WARM.append(Warm(environment(CACHE)))
        return _WARM[-1].run(list(arguments), environment(home), cwd, timeout)
    return subprocess.run(
        [sys.executable, "-m", "kb", *arguments], cwd=cwd, env=environment(home), stdin=subprocess.DEVNULL,
        capture_output=True, text=True, encoding="utf-8", timeout=timeout, check=False,
    )  # fmt: skip


def tracked(*below: str) -> list[str]:
    """Paths that git keeps, relative to the root, links left out; skips outside a git checkout."""
    done = subprocess.run(
        ["git", "ls-files", "-s", "-z", "--", *below], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        pytest.skip(f"not a git checkout: {done.stderr.strip()}")
    records = (record.partition("\t") for record in done.stdout.split("\0") if record)
    return [path for head, _, path in records if not head.startswith("120000") and (ROOT / path).is_file()]
