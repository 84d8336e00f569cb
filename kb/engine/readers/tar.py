"""Members of a tar stream, one after another, with memory that no header can enlarge.

Only what a copy of a profile needs: files and folders, names in ustar, GNU and pax form. The standard module reads
extended headers of any declared size into memory and follows sparse maps; here a header beyond its bound ends the
reading.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, Protocol

BLOCK = 512
LARGEST_HEADER = 1 << 16
_CHUNK = 1 << 20

Kind = Literal["file", "folder", "other"]


class Damaged(Exception):
    """What follows is no tar."""


class Stream(Protocol):
    """Something to read from once."""

    def read(self, size: int, /) -> bytes: ...  # noqa: D102


class Member:
    """One member; its content can be read until the next one is asked for."""

    def __init__(self, stream: Stream, name: str, kind: Kind, size: int) -> None:
        self.name = name
        self.kind = kind
        self._stream = stream
        self._left = size
        self._padding = -size % BLOCK

    def read(self, size: int, /) -> bytes:
        """The next bytes of the content, at most `size`; empty at its end."""
        wanted = min(size, self._left)
        if not wanted:
            return b""
        data = self._stream.read(wanted)
        if not data:
            raise Damaged("ends inside a member")
        self._left -= len(data)
        return data

    def skip(self) -> None:
        """Read over what is left and the padding behind it."""
        while self.read(_CHUNK):
            pass
        _exactly(self._stream, self._padding)
        self._padding = 0


def members(stream: Stream) -> Iterator[Member]:
    """The members of a tar, links and devices as "other".

    Raises:
        Damaged: where the stream is no tar any more.
    """
    name, size = "", -1  # from extended headers before a member
    while True:
        header = _exactly(stream, BLOCK)
        if not header.strip(b"\0"):
            return
        if _checksum(header) != _number(header[148:156]):
            raise Damaged("a header does not fit its checksum")
        flag, declared = header[156:157], _number(header[124:136])
        member = Member(stream, "", "other", declared)
        if flag in (b"x", b"L"):
            if declared > LARGEST_HEADER:
                raise Damaged("a header is too large")
            text = _exactly(stream, declared)
            name, size = _pax(text, name, size) if flag == b"x" else (_word(text), size)
            _exactly(stream, -declared % BLOCK)
            continue
        if flag not in (b"g", b"K"):
            kind: Kind = "file" if flag in (b"0", b"\0", b"7") else "folder" if flag == b"5" else "other"
            member = Member(stream, name or _name(header), kind, size if size >= 0 else declared)
            yield member
            name, size = "", -1
        member.skip()


def _exactly(stream: Stream, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = stream.read(size - len(data))
        if not more:
            raise Damaged("ends without an end mark")
        data += more
    return data


def _checksum(header: bytes) -> int:
    return sum(header) - sum(header[148:156]) + 8 * ord(" ")


def _number(cell: bytes) -> int:
    """Octal digits, or base 256 behind a set bit."""
    if cell[0] == 0x80:
        return int.from_bytes(cell[1:], "big")
    text = cell.strip(b" \0")
    try:
        value = int(text, 8) if text else 0
    except ValueError as fault:
        raise Damaged("a header holds no number") from fault
    if value < 0:
        raise Damaged("a header holds no number")
    return value


def _name(header: bytes) -> str:
    name = _word(header[:100])
    prefix = _word(header[345:500]) if header[257:263] == b"ustar\0" else ""
    return f"{prefix}/{name}" if prefix else name


def _word(data: bytes) -> str:
    return data.partition(b"\0")[0].decode("utf-8", errors="replace")


def _pax(data: bytes, name: str, size: int) -> tuple[str, int]:
    """Path and size of the records `length key=value`."""
    while data:
        length, _, rest = data.partition(b" ")
        if not length.isdigit() or len(length) > 6 or not len(length) + 1 < int(length) <= len(data):
            raise Damaged("a pax header is no list of records")
        record = rest[: int(length) - len(length) - 1].rstrip(b"\n")
        key, _, value = record.partition(b"=")
        if key == b"path":
            name = value.decode("utf-8", errors="replace")
        elif key == b"size" and value.isdigit() and len(value) < 16:
            size = int(value)
        elif key.startswith(b"GNU.sparse"):
            raise Damaged("holds sparse files, which are not read")
        data = data[int(length) :]
    return name, size
