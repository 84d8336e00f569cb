"""The sdist and the wheel, the same bytes for the same commit: times, owners, modes and order are those of nobody."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def epoch() -> int:
    """Seconds that stand for every time in what is built: SOURCE_DATE_EPOCH, else the time of the last commit."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    if given:
        return int(given)
    command = ["git", "log", "-1", "--format=%ct"]
    return int(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)


def sources(place: Path) -> Path:
    """What git keeps at HEAD, in a folder; files that are not committed are not released."""
    place.mkdir(parents=True)
    packed = subprocess.run(
        ["git", "archive", "--format=tar", "HEAD"], cwd=ROOT, capture_output=True, check=True
    )
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(place, filter="data") if sys.version_info >= (3, 12) else archive.extractall(place)
    return place


def build(source: Path, out: Path, work: Path) -> tuple[Path, Path]:
    """(sdist, wheel) of a source tree; the wheel is made from the sdist, as everybody else would make it."""
    when = epoch()
    _build("--sdist", source, work / "sdist", when)
    (plain,) = (work / "sdist").glob("*.tar.gz")
    out.mkdir(parents=True, exist_ok=True)
    sdist = out / plain.name
    normalise(plain, sdist, when)
    unpacked = work / "unpacked"
    with tarfile.open(sdist) as archive:
        archive.extractall(unpacked, filter="data") if sys.version_info >= (3, 12) else archive.extractall(
            unpacked
        )
    (tree,) = unpacked.iterdir()
    _build("--wheel", tree, work / "wheel", when)
    (wheel,) = (work / "wheel").glob("*.whl")
    (out / wheel.name).write_bytes(wheel.read_bytes())
    return sdist, out / wheel.name


def normalise(given: Path, out: Path, when: int) -> None:
    """A tar.gz anew: members by name, one time for all, no owner, modes 644 and 755, no time in the gzip head."""
    with tarfile.open(given) as archive:
        members = [(about, archive.extractfile(about)) for about in archive.getmembers()]
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as fresh:
            for about, content in sorted(members, key=lambda member: member[0].name):
                about.mtime, about.uid, about.gid, about.uname, about.gname = when, 0, 0, "", ""
                about.mode = 0o755 if about.isdir() or about.mode & 0o100 else 0o644
                about.pax_headers = {}
                fresh.addfile(about, content)
    out.write_bytes(gzip.compress(packed.getvalue(), compresslevel=9, mtime=0))


def _build(what: str, source: Path, out: Path, when: int) -> None:
    """Build with the tools of this environment; nothing is fetched."""
    variables = {
        key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "KB_DATA", "KB_INDEX")
    }
    variables |= {"SOURCE_DATE_EPOCH": str(when), "PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
    before = os.umask(0o022)
    try:
        subprocess.run(
            [sys.executable, "-m", "build", "--no-isolation", what, "--outdir", str(out), str(source)],
            cwd=out.parent, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True,
        )  # fmt: skip
    finally:
        os.umask(before)
