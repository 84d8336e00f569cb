"""What a process may find at the ends of its streams: closed, full, a reader that left, a terminal that knows only ASCII."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from kb.errors import OutputError, PipeClosed


class _Nowhere(io.TextIOBase):
    """A stream that takes everything and keeps nothing."""

    def write(self, text: str) -> int:
        return len(text)


class _Stream:
    """A text stream that passes everything on, faults of writing to `fault`."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        try:
            return int(self._stream.write(text))
        except (OSError, ValueError) as fault:
            self.fault(fault)
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except (OSError, ValueError) as fault:
            self.fault(fault)

    def fault(self, fault: OSError | ValueError) -> None:
        raise NotImplementedError


class _Answer(_Stream):
    """stdout: its faults are errors of their own, so that nobody takes them for faults of a file that is read."""

    def fault(self, fault: OSError | ValueError) -> None:
        if isinstance(fault, OSError) and fault.errno == errno.EPIPE:
            raise PipeClosed("the reader of the pipe went away") from fault
        raise OutputError(getattr(fault, "strerror", None) or str(fault)) from fault


class _Remarks(_Stream):
    """stderr: a remark that cannot be written is dropped; the exit status says the same."""

    def fault(self, fault: OSError | ValueError) -> None:  # noqa: ARG002
        lead_nowhere(self._stream)


@contextmanager
def prepared() -> Iterator[None]:
    """Streams that can print any text and whose faults have one meaning each, until the block ends.

    A stream that the caller closed (`>&-`) leads nowhere instead of being missing, and its descriptor too, so that no
    file which is opened later is taken for it.
    """
    before = sys.stdout, sys.stderr
    if None in (sys.stdin, *before):
        _fill_descriptors()
    sys.stdout, sys.stderr = _Answer(_printable(sys.stdout)), _Remarks(_printable(sys.stderr))
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def lead_nowhere(stream: Any) -> None:
    """Point a stream's descriptor at nothing, so that Python's own flush at exit does not complain again."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def _printable(stream: Any) -> Any:
    if stream is None:
        return _Nowhere()
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")
    return stream


def _fill_descriptors() -> None:
    """Open what is closed of 0, 1 and 2."""
    with suppress(OSError):
        last = os.open(os.devnull, os.O_RDWR)
        while last <= 2:
            last = os.open(os.devnull, os.O_RDWR)
        os.close(last)
