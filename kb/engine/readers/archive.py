"""Archives of a profile: zip, tar, tar.gz, and a single file in gzip, unpacked into a private folder for a while.

An archive is hostile until read: its members are counted and measured while they are written, names cannot leave
the folder, links, devices and encrypted members are left out, archives inside it are not opened. The folder belongs
to the user alone and is removed on every way out.
"""

from __future__ import annotations

import gzip
import os
import re
import signal
import stat
import struct
import tempfile
import threading
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import BinaryIO, Protocol

from kb.engine import zip_directory
from kb.engine.readers import tar
from kb.engine.readers.rows import unreadable
from kb.engine.readers.source import DEEPEST, Source
from kb.errors import SourceError
from kb.model import Notice
from kb.textfile import reserved

MOST_MEMBERS = 20_000
MOST_BYTES = 4 << 30
MOST_RATIO = 250  # unpacked to packed; a table of a profiler reaches about 30
FREE_OF_RATIO = 16 << 20  # so much may come out whatever the ratio
CHUNK = 1 << 20
LONGEST_NAME = 200
_ZIP, _GZIP, _TAR_AT, _TAR = b"PK\x03\x04", b"\x1f\x8b", 257, b"ustar"
_FAULTS = (
    zipfile.BadZipFile, zlib.error, gzip.BadGzipFile, tar.Damaged, struct.error, EOFError, NotImplementedError,
    RuntimeError, ValueError, ArithmeticError, LookupError,
)  # fmt: skip
_ABSOLUTE = re.compile(r"[/\\]|[A-Za-z]:")
_NOW = "unpack it by hand and give the folder"


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def is_archive(source: Source) -> bool:
    """By the first bytes."""
    return source.head.startswith((_ZIP, _GZIP)) or source.head[_TAR_AT : _TAR_AT + 5] == _TAR


@contextmanager
def unpacked(source: Source) -> Iterator[tuple[Path, list[Notice]]]:
    """A folder with the files of an archive, for as long as the context lasts, and what was left out.

    Raises:
        SourceError: for a damaged archive, or one that unpacks to too much.
    """
    with _ended_by_signals(), tempfile.TemporaryDirectory(prefix="kb-") as place:
        # named after the archive: readers call a kernel or a rank after its folder where nothing else names it
        name = _safe(re.sub(r"(?:\.tar)?\.\w+$", "", source.path.name)).strip(".") or "archive"
        box = _Box(Path(place) / name, source)
        try:
            box.folder.mkdir(mode=0o700)
            _unpack(source, box)
        except _FAULTS as fault:
            if not box.kept:
                text = f"a damaged archive, or one packed in a way that is not read: {fault}"
                raise SourceError(text, where=str(source.path), now=_NOW) from fault
            box.fault = str(fault)
        except OSError as fault:
            raise unreadable(source.path, fault) from fault
        yield box.folder, box.notices


@dataclass
class _Box:
    """The private folder while it is filled; `kept` counts the members written, the last one perhaps in part."""

    folder: Path
    source: Source
    members: int = 0
    kept: int = 0
    fault: str = ""
    unpacked: int = 0
    left_out: dict[str, int] = field(default_factory=dict)

    @property
    def notices(self) -> list[Notice]:
        """What was left out, by reason."""
        where = str(self.source.path)
        out = [
            Notice("member-skipped", f"{count} members were left out: {why}", where)
            for why, count in self.left_out.items()
        ]
        if self.fault:
            text = f"the archive is cut off or damaged ({self.fault}); the {self.kept} members before that are used"
            out.append(Notice("file-cut-off", text, where))
        return out

    def skip(self, why: str) -> None:
        """Count a member that is not written."""
        self.left_out[why] = self.left_out.get(why, 0) + 1

    def count(self) -> None:
        """One more member, whatever becomes of it."""
        self.members += 1
        if self.members > MOST_MEMBERS:
            raise self._too_much(f"more than {MOST_MEMBERS} members")

    def put(self, name: str, content: _Readable) -> None:
        """Write a member, or skip it when its name leads out of the folder."""
        parts = [_safe(part) for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
        if not parts or ".." in parts or _ABSOLUTE.match(name):
            self.skip("their names lead out of the archive")
            return
        path = self.folder.joinpath(*parts)
        if os.name == "nt" and any(map(reserved, parts)):
            self.skip("their names stand for devices on this system")
            return
        if len(parts) > DEEPEST:
            self.skip(f"deeper than {DEEPEST} folders")
            return
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = path.open("xb")
        except (FileExistsError, NotADirectoryError):
            self.skip("two of the same name")
            return
        self.kept += 1
        with file:
            while data := content.read(CHUNK):
                file.write(data)

    def spend(self, size: int) -> None:
        """So many more bytes came out of the archive, whether they are kept or not."""
        self.unpacked += size
        if self.unpacked > MOST_BYTES:
            raise self._too_much(f"unpacks to more than {MOST_BYTES >> 30} GiB")
        if self.unpacked > max(FREE_OF_RATIO, MOST_RATIO * self.source.size):
            raise self._too_much(f"unpacks to more than {MOST_RATIO} times its size")

    def _too_much(self, what: str) -> SourceError:
        return SourceError(f"the archive {what}", where=str(self.source.path), now=_NOW)


def _safe(part: str) -> str:
    """A component of a path as it may lie on disk; ".." stays what it is, to be refused."""
    return "".join(c if c.isprintable() and c not in '\\/:*?"<>|' else "_" for c in part[:LONGEST_NAME])


def _unpack(source: Source, box: _Box) -> None:
    with source.path.open("rb") as file:
        if source.head.startswith(_ZIP):
            _unzip(file, source, box)
        elif source.head.startswith(_GZIP):
            with gzip.GzipFile(fileobj=file) as stream:
                head = stream.read(tar.BLOCK)
                rest = _Measured(stream, box, head)
                if head[_TAR_AT : _TAR_AT + 5] == _TAR:
                    _untar(rest, box)
                else:
                    box.put(re.sub(r"\.gz$", "", source.path.name) or "content", rest)
        else:
            _untar(_Measured(file, box), box)


def _unzip(file: BinaryIO, source: Source, box: _Box) -> None:
    members, size = zip_directory.measure(file, source.size)
    if members > MOST_MEMBERS or size > zip_directory.LARGEST:
        raise SourceError(
            f"the archive has more than {MOST_MEMBERS} members", where=str(source.path), now=_NOW
        )
    with zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            box.count()
            mode = member.external_attr >> 16
            if member.is_dir():
                continue
            if member.flag_bits & 1:
                box.skip("encrypted")
            elif stat.S_IFMT(mode) not in (0, stat.S_IFREG):
                box.skip("links or devices")
            elif member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                box.skip("packed in a way that is not read")
            else:
                with archive.open(member) as content:
                    box.put(member.filename, _Measured(content, box))


def _untar(file: _Readable, box: _Box) -> None:
    for member in tar.members(file):
        box.count()
        if member.kind == "file":
            box.put(member.name, member)
        elif member.kind != "folder":
            box.skip("links or devices")


class _Measured:
    """What comes out of an archive, counted; `head` are first bytes that were already read."""

    def __init__(self, stream: _Readable, box: _Box, head: bytes = b"") -> None:
        self._stream = stream
        self._box = box
        self._head = head

    def read(self, size: int, /) -> bytes:
        """The next bytes, at most `size`."""
        data, self._head = (
            (self._head[:size], self._head[size:]) if self._head else (self._stream.read(size), b"")
        )
        self._box.spend(len(data))
        return data


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """A request to end becomes an exception, so that the folder is removed then too."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    numbers = (
        signal.SIGTERM,
        *((signal.SIGHUP,) if hasattr(signal, "SIGHUP") else ()),
    )  # Windows has no hang-up
    before = {number: signal.signal(number, end) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            if handler is not None:  # None: not set by Python
                signal.signal(number, handler)
