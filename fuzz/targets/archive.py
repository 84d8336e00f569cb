"""Archives of a profile: zip, tar, tar.gz and gzip, unpacked and read."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile

from fuzz.sample import FEED, SAMPLES, profile_of

PARSES = ("kb.engine.readers.archive", "kb.engine.readers.tar", "kb.engine.zip_directory")
_TABLE = SAMPLES / "task_time" / "whole.csv"


def _zip(method: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name in ("a/task_time.csv", "notes.txt"):
            archive.writestr(zipfile.ZipInfo(name), _TABLE.read_bytes() if name.endswith("csv") else b"x")
    return out.getvalue()


def _tar() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        about = tarfile.TarInfo("a/" + "long" * 30 + ".csv")
        about.size = _TABLE.stat().st_size
        archive.addfile(about, io.BytesIO(_TABLE.read_bytes()))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "../../outside"
        archive.addfile(link)
    return out.getvalue()


def seeds() -> list[bytes]:
    """One archive of each kind."""
    return [
        _zip(zipfile.ZIP_STORED), _zip(zipfile.ZIP_DEFLATED), _tar(), gzip.compress(_tar(), mtime=0),
        gzip.compress(_TABLE.read_bytes(), mtime=0),
    ]  # fmt: skip


def one(data: bytes) -> None:
    """Read it as somebody's archive."""
    profile_of(FEED.file("given.zip", data), data)
