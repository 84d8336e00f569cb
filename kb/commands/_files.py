"""Files that a user names: a path as it was typed, and writing one whole or not at all."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kb.errors import OutputError, UsageError

_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def existing_path(text: str) -> Path:
    """A path as it was typed; an empty one (a variable that is not set) is not the folder one stands in.

    Raises:
        UsageError: it is empty.
    """
    if not text:
        raise UsageError("an empty path", where="PATH", now='Give a path; "." stands for the current folder.')
    return Path(text)


def write_file(path: Path, text: str) -> None:
    """Write a file whole or not at all.

    Raises:
        UsageError: it cannot be written there.
    """
    with whole_file(path) as part, part.open("w", encoding="utf-8", errors="replace", newline="\n") as stream:
        stream.write(text if text.endswith("\n") else text + "\n")


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A file beside `path` to write into, which takes its place when all went well and is gone otherwise.

    A link stays a link; what is no file (a device, a pipe) is written into as it is and never replaced.

    Raises:
        UsageError: it cannot be written there. OutputError: the disk is full.
    """
    try:
        path = path.resolve()
        if path.exists() and not path.is_file():
            yield path
            return
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        os.close(handle)
        part = Path(name)
        try:
            yield part
            part.chmod(0o666 & ~_umask())
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as fault:
        if fault.errno in _NO_ROOM:
            raise OutputError(f"{path}: {fault.strerror}") from fault
        raise UsageError(
            f"cannot be written: {fault.strerror or fault}", where=str(path), now="Give another file with -o."
        ) from fault


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
