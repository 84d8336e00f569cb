"""How large the directory of a zip is, before the standard module reads all of it into memory."""

from __future__ import annotations

import struct
from typing import BinaryIO
from zipfile import BadZipFile

LARGEST = 6 << 20  # bytes of the directory; 20000 members with long names have four million
_END = struct.Struct("<4s4H2LH")
_LOCATOR = struct.Struct("<4sLQL")
_END64 = struct.Struct("<4sQ2H2L4Q")


def measure(file: BinaryIO, size: int) -> tuple[int, int]:
    """(members, bytes of the directory) as the end of the file declares them, the largest of what it declares.

    Raises:
        BadZipFile: when the end of the directory is not there.
    """
    start = max(0, size - _END.size - 0xFFFF)
    file.seek(start)
    tail = file.read(size - start)
    place = tail.rfind(b"PK\5\6")
    if place < 0 or len(tail) - place < _END.size:
        raise BadZipFile("the directory at the end of the file is missing")
    _, _, _, _, members, length, _, _ = _END.unpack_from(tail, place)
    at = place - _LOCATOR.size
    if at < 0 or tail[at : at + 4] != b"PK\6\7":
        return members, length
    # readers of zip64 look where the locator points, or right before it
    for where in (_LOCATOR.unpack_from(tail, at)[2], start + at - _END64.size):
        if 0 <= where <= size - _END64.size:
            file.seek(where)
            found = _END64.unpack(file.read(_END64.size))
            if found[0] == b"PK\6\6":
                members, length = max(members, found[7]), max(length, found[8])
    return members, length
