"""Splitting the output of a run, as it comes, into the tool's lines and the program's own, in bounded
memory.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import IO

from kb.engine.collect.log import MARK, LogReader, LogSummary, clean, parse_line

LONGEST_PIECE = 64 * 1024  # bytes of a line without end that are held back
_TAIL = 4096
_LEVEL_OF_TROUBLE = re.compile(r"\[(?:WARN|WARNING|ERROR)\]")


class BoundedFile:
    """A file that stops growing at a limit and never raises: a full disk must not end the run it records."""

    def __init__(self, path: Path, limit: int) -> None:
        self.path = path
        self.size = 0
        self.dropped = 0
        self.fault = ""
        self._limit = limit
        self._file: IO[bytes] | None = None

    def write(self, data: bytes) -> None:
        """Append, as far as limit and disk allow; the file is made at the first byte, mode 600."""
        kept = data[: max(0, self._limit - self.size)] if not self.fault else b""
        self.dropped += len(data) - len(kept)
        if not kept:
            return
        try:
            if self._file is None:
                self._file = self.path.open("xb")
                self.path.chmod(0o600)
            self._file.write(kept)
            self.size += len(kept)
        except OSError as fault:
            self.fault = fault.strerror or str(fault)
            self.dropped += len(kept)

    def flush(self) -> None:
        """Put what was written on the disk, so that others can read along."""
        self._finish(close=False)

    def close(self) -> None:
        """Close the file; a late fault of the disk is kept like an early one."""
        self._finish(close=True)

    def _finish(self, *, close: bool) -> None:
        if self._file is None:
            return
        try:
            if close:
                self._file.close()
            else:
                self._file.flush()
        except OSError as fault:
            self.fault = fault.strerror or str(fault)
        if close:
            self._file = None


class OutputSplitter:
    """Feed it chunks of bytes; it keeps the program's output in one file, the tool's in another, and a
    summary.
    """

    def __init__(self, app: BoundedFile, tool: BoundedFile) -> None:
        self.app = app
        self.tool = tool
        self._log = LogReader()
        self._rest = b""
        self._after_tool = False
        self._last = b""
        self._app_tail = b""

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes."""
        data = self._rest + chunk
        cut = data.rfind(b"\n") + 1
        if cut == 0 and len(data) > LONGEST_PIECE:
            cut = len(data)
        block, self._rest = data[:cut], data[cut:]
        if block:
            self._take(block)

    def end(self) -> None:
        """Take what was held back and close both files."""
        rest, self._rest = self._rest, b""
        if rest:
            self._take(rest)
        self.app.close()
        self.tool.close()

    def summary(self) -> LogSummary:
        """What the tool said so far."""
        return self._log.summary()

    @property
    def last_line(self) -> str:
        """The last line of either, fit for a terminal."""
        return _last_lines(self._last + self._rest[-_TAIL:], 1)

    def app_tail(self, lines: int) -> str:
        """The last lines of the program's own output, fit for a terminal."""
        return _last_lines(self._app_tail, lines)

    def _take(self, block: bytes) -> None:
        self._last = block[-_TAIL:]
        if not self._after_tool and MARK.search(block) is None:
            self._to_app(block)
            return
        for line in block.splitlines(keepends=True):
            self._take_line(line)

    def _take_line(self, raw: bytes) -> None:
        line = raw.decode("utf-8", "surrogateescape")
        parsed = parse_line(line) if MARK.search(raw) else None
        if parsed is not None:
            before, found = parsed
            if before:
                self._to_app(before.encode("utf-8", "surrogateescape"))
            self.tool.write(line[len(before) :].encode("utf-8", "surrogateescape"))
            self._log.add(found)
            self._after_tool = True
        elif self._after_tool and self._log.continues(line):
            self.tool.write(raw)
        else:
            self._after_tool = False
            if _LEVEL_OF_TROUBLE.search(line):
                self._log.trouble(line)
            self._to_app(raw)

    def _to_app(self, data: bytes) -> None:
        self._app_tail = (self._app_tail + data[-_TAIL:])[-_TAIL:]
        self.app.write(data)


def _last_lines(data: bytes, count: int) -> str:
    lines = [clean(line).strip() for line in data.decode("utf-8", "replace").split("\n")]
    return "\n".join([line for line in lines if line][-count:])
