"""What a process may find at the ends of its streams: closed, full, a reader that left, a terminal that knows only ASCII."""

from __future__ import annotations

import codecs
import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from kb.errors import OutputError, PipeClosed

# What an encoding that lacks a sign gets instead; a rule, a bar and a quotation mark stay what they are to the eye.
_PLAIN = {
    "─": "-", "│": "|", "█": "#", "▉": "#", "▊": "#", "▋": "#", "▌": "#", "▍": ".", "▎": ".", "▏": ".", "·": ".",
    "“": '"', "”": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "…": "...", "×": "x", "≤": "<=", "≥": ">=", "→": "->",
    "µ": "u", "±": "+/-",
}  # fmt: skip
_IN_PLAIN = "kb.plain"  # name of the way to write what an encoding lacks


def _in_plain(fault: UnicodeError) -> tuple[str | bytes, int]:
    """Write what the encoding lacks by a sign that looks like it, else by its number."""
    if not isinstance(fault, UnicodeEncodeError):
        raise fault
    sign = _PLAIN.get(fault.object[fault.start])
    if sign is None:
        return codecs.backslashreplace_errors(
            UnicodeEncodeError(fault.encoding, fault.object, fault.start, fault.start + 1, fault.reason)
        )
    return sign, fault.start + 1


codecs.register_error(_IN_PLAIN, _in_plain)


class _Closed(io.TextIOBase):
    """The answer's stream where the caller closed it: whatever is written is lost, which must not pass for success."""

    def write(self, text: str) -> int:  # noqa: ARG002
        raise OSError(errno.EBADF, "standard output is closed")


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

    Of streams that the caller closed (`>&-`) the one for remarks leads nowhere and the one for answers says so when it is
    written to; the descriptors lead nowhere, so that no file which is opened later is taken for one of them.
    """
    before = sys.stdout, sys.stderr
    if None in (sys.stdin, *before):
        _fill_descriptors()
    sys.stdout, sys.stderr = (
        _Answer(_printable(sys.stdout or _Closed())),
        _Remarks(_printable(sys.stderr or _Nowhere())),
    )
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
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors=_IN_PLAIN)
    return stream


def _fill_descriptors() -> None:
    """Open what is closed of 0, 1 and 2."""
    with suppress(OSError):
        last = os.open(os.devnull, os.O_RDWR)
        while last <= 2:
            last = os.open(os.devnull, os.O_RDWR)
        os.close(last)
