"""Files that a user names: regular ones of a bounded size, text in UTF-8; anything else is one clear error, never a hang.

`STDIN` stands for standard input, as `-` does on the command line.
"""

from __future__ import annotations

import stat
import sys
from pathlib import Path

from kb.errors import SourceError

LARGEST = 64 << 20  # bytes
STDIN = Path("-")


_DEVICES = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))}
)


def reserved(name: str) -> bool:
    """Whether Windows takes a file of that name, with whatever ending, for a device."""
    return name.partition(".")[0].strip().casefold() in _DEVICES


def require_regular(path: Path, *, largest: int | None = None) -> None:
    """Refuse what could keep its reader waiting for ever, and what is larger than `largest` bytes.

    Raises:
        SourceError: nothing there, a folder, a pipe, socket or device, or too large.
    """
    try:
        about = path.stat()
    except FileNotFoundError as fault:
        raise SourceError("no such file", where=str(path), now="check the path") from fault
    except (OSError, ValueError) as fault:  # ValueError: a NUL in the name
        why = getattr(fault, "strerror", None) or "not a usable path"
        raise SourceError(f"cannot be read: {why}", where=str(path), now="check the path") from fault
    if stat.S_ISDIR(about.st_mode):
        raise SourceError("this is a folder, not a file", where=str(path), now="give a file in it")
    if not stat.S_ISREG(about.st_mode):
        raise SourceError("not a regular file (pipe, socket or device)", where=str(path), now="give a file")
    if largest is not None and about.st_size > largest:
        raise SourceError(f"larger than {largest >> 20} MiB", where=str(path), now="split it")


def read_text(path: Path, *, largest: int = LARGEST) -> str:
    """The whole text of a file, without a byte order mark.

    Raises:
        SourceError: as `require_regular`; also where it may not be read or is no UTF-8 (with the byte's place).
    """
    if path == STDIN:
        return _decoded(_standard_input(largest), path)
    require_regular(path, largest=largest)
    try:
        raw = path.read_bytes()
    except OSError as fault:
        raise SourceError(
            f"cannot be read: {fault.strerror or fault}", where=str(path), now="give a readable file"
        ) from fault
    return _decoded(raw, path)


def _standard_input(largest: int) -> bytes:
    """All of standard input; text where somebody put a text stream in its place."""
    where = str(STDIN)
    stream = getattr(sys.stdin, "buffer", sys.stdin)
    try:
        raw = b"" if stream is None else stream.read(largest + 1)
    except (OSError, ValueError) as fault:
        raise SourceError(
            f"standard input cannot be read: {fault}", where=where, now="give a file"
        ) from fault
    raw = raw.encode() if isinstance(raw, str) else raw
    if len(raw) > largest:
        raise SourceError(f"larger than {largest >> 20} MiB", where=where, now="split it")
    return raw


def _decoded(raw: bytes, path: Path) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = raw.count(b"\n", 0, fault.start) + 1
        raise SourceError(
            f"not UTF-8 text (byte {fault.start})", where=f"{path}:{line}", now="save it as UTF-8"
        ) from fault
