"""Fuzz every target, or those named, for so many seconds each; 1 when one of them found a fault.

`python -m fuzz [--seconds N] [--keep] [NAME ...]`. Inputs that fail are left in build/fuzz/<name>; `--keep` adds to the
corpus what reached new code, smallest inputs first.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from fuzz import targets

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "fuzz"
LONGEST_INPUT, HANG_SECONDS, MEMORY_MIB = 32 << 10, 20, 2048
KEPT_INPUTS, KEPT_BYTES = 12, 2048
_LIMITS = (f"-max_len={LONGEST_INPUT}", f"-timeout={HANG_SECONDS}", f"-rss_limit_mb={MEMORY_MIB}")


def main() -> int:
    """Run the targets one after another."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--seconds", type=int, default=600, help="for each target")
    parser.add_argument("--keep", action="store_true", help="add to fuzz/corpus what reached new code")
    parser.add_argument("names", nargs="*", metavar="NAME", help="targets; all where none is named")
    given = parser.parse_args()
    wanted = given.names or targets.names()
    unknown = sorted(set(wanted) - set(targets.names()))
    if unknown:
        parser.error(f"no target {', '.join(unknown)}; there are {', '.join(targets.names())}")
    failed = [name for name in wanted if not _fuzz(name, given.seconds)]
    for name in wanted if given.keep else ():
        _keep(name)
    print(f"{len(wanted)} targets, {len(failed)} with faults" + "".join(f"\n  {name}" for name in failed))
    return int(bool(failed))


def _fuzz(name: str, seconds: int) -> bool:
    """Whether a target ran its time without a fault; the last figures of libFuzzer are printed."""
    place, seeds, found = BUILD / name, BUILD / name / "seeds", BUILD / name / "found"
    shutil.rmtree(seeds, ignore_errors=True)
    for folder in (seeds, found, targets.CORPUS / name):
        folder.mkdir(parents=True, exist_ok=True)
    done = _driven(name, "--seeds", str(seeds))
    if done.returncode == 0:
        corpus = (str(found), str(seeds), str(targets.CORPUS / name))
        done = _driven(name, *_LIMITS, f"-max_total_time={seconds}", f"-artifact_prefix={place}/", *corpus)
    log = place / "log.txt"
    log.write_text(done.stdout, encoding="utf-8")
    runs = re.findall(r"#(\d+)\s+\S+\s+cov: (\d+) ft: (\d+)", done.stdout)
    figures = "{} inputs, {} edges, {} features".format(*runs[-1]) if runs else "no input"
    print(f"{name}: {figures}{'' if done.returncode == 0 else f'; FAULT, see {log}'}", flush=True)
    return done.returncode == 0


def _keep(name: str) -> None:
    """Add small inputs that reach code which seeds and corpus do not."""
    kept, place = targets.CORPUS / name, BUILD / name
    merged = place / "merged"
    shutil.rmtree(merged, ignore_errors=True)
    shutil.copytree(place / "seeds", merged)
    known = {path.name for path in merged.iterdir()}
    for path in kept.iterdir():
        shutil.copy(path, merged)
        known.add(path.name)
    _driven(name, *_LIMITS, "-merge=1", str(merged), str(place / "found"))
    fresh = sorted(
        (path for path in merged.iterdir() if path.name not in known), key=lambda path: path.stat().st_size
    )
    small = [path for path in fresh if path.stat().st_size <= KEPT_BYTES]
    for path in small[-KEPT_INPUTS:]:
        shutil.copy(path, kept)


def _driven(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"}
    memory = Path("/dev/shm")
    if memory.is_dir():
        variables["TMPDIR"] = str(memory)
    return subprocess.run(
        [sys.executable, "-m", "fuzz.drive", name, *arguments], cwd=ROOT, env=variables, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False,
    )  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main())
