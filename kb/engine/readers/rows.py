"""Rows of a CSV file, streamed with bounded memory; one physical line is one row.

Line breaks within quotes belong to their cell only where the lines put together are a whole row (`joined`), so a lost
closing quote costs one row and not the rest of the file.
"""

from __future__ import annotations

import csv
from collections.abc import Generator, Iterator
from io import BufferedReader
from pathlib import Path
from typing import TextIO, TypeVar

from kb.errors import SourceError

CHUNK = 1 << 18
BLOCK = 1 << 22  # bytes of a block of lines
LONGEST_LINE = 1 << 20
MOST_JOINED = 100  # lines that line breaks within quotes make of one row

Bytes = TypeVar("Bytes", bytes, bytearray)


def split(line: str) -> list[str]:
    """The cells of one line by the csv rules; what follows an unclosed quote is one cell."""
    if '"' not in line:
        return line.split(",")
    try:
        return next(csv.reader([line]), [""])
    except csv.Error:  # a cell beyond the module's limit
        return [line]


def joined(lines: list[str], width: int, *, last: bool = True) -> tuple[list[str], list[str]]:
    """Lines with those put together that line breaks within quotes had parted, and those that need more lines to tell.

    A line with an odd number of quotes opens a cell; up to the next such line it is one row if that has `width` cells. An
    empty line stands for each line that was taken in, so that the number of a line is still its place in the file.
    """
    odd = [k for k, line in enumerate(lines) if line.count('"') & 1]
    if not odd or not width:
        return lines, []
    out: list[str] = []
    done = 0
    for n, start in enumerate(odd):
        if start < done:
            continue
        if n + 1 == len(odd):
            if not last and len(lines) - start < MOST_JOINED:
                return out + lines[done:start], lines[start:]
            break
        stop = odd[n + 1] + 1
        text = "\n".join(lines[start:stop]) if stop - start <= MOST_JOINED else ""
        if text and len(text) <= LONGEST_LINE and len(split(text)) == width:
            out += [*lines[done:start], text, *[""] * (stop - start - 1)]
            done = stop
    return out + lines[done:], []


class Rows:
    """Header and rows of one CSV file.

    `header` is stripped of blanks and a byte order mark. After the iteration `unfinished` says whether the
    last line had no line break, as a killed export leaves it.

    Raises:
        SourceError: when the file cannot be opened, or a line is longer than a megabyte.
    """

    newlines: str | tuple[str, ...] | None = None  # the line ends met so far

    def __init__(self, path: Path) -> None:
        self.path = path
        self.unfinished = False
        self._lines = self._read()
        self._above = 0  # lines up to the header
        self.header: tuple[str, ...] = ()
        for line in self._lines:
            self._above += 1
            if line.strip():
                self.header = tuple(cell.strip() for cell in split(line))
                break

    def __iter__(self) -> Iterator[list[str]]:
        return (split(line) for line in self._lines if line)

    def lines(self) -> Iterator[str]:
        """The lines behind the header, unsplit, without line breaks; empty ones too."""
        return self._lines

    @property
    def blockwise(self) -> bool:
        """Whether `blocks` can give the lines: a file whose first lines end in line feeds."""
        met = (self.newlines,) if isinstance(self.newlines, str) else self.newlines or ("\r",)
        return "\r" not in met

    def blocks(self) -> Iterator[bytes | bytearray]:
        """What `lines` gives, as blocks of whole lines that end in a line feed each; a last line without one comes
        alone. Only where `blockwise`. A block is valid until the next one is asked for.
        """
        self._lines.close()
        try:
            with self.path.open("rb") as file:
                for _ in range(self._above):
                    file.readline()
                yield from self._blocks(file)
        except OSError as fault:
            raise unreadable(self.path, fault) from fault

    def _blocks(self, file: BufferedReader) -> Iterator[bytes | bytearray]:
        block, kept, read = bytearray(), b"", 1
        while read:
            # one buffer for all blocks: fresh pages for each would cost a tenth of the time
            block.extend(bytes(max(BLOCK, 2 * len(kept), len(block)) - len(block)))
            block[: len(kept)] = kept
            with memoryview(block) as view:
                read = file.readinto(view[len(kept) :])
            filled = len(kept) + read
            whole = _border(block, block.rfind(b"\n", 0, filled) + 1)
            kept = bytes(block[whole:filled])
            if len(kept) > LONGEST_LINE:
                raise self.too_long()
            del block[whole:]
            if whole:
                yield _with_line_feeds(block)
        *lines, last = _with_line_feeds(kept).split(b"\n")
        if lines:  # ended by carriage returns
            yield b"".join(text + b"\n" for text in lines)
        if last:
            self.unfinished = True
            yield last

    def _open(self) -> TextIO:
        # universal line ends: exports mix CRLF and LF; bytes that are no UTF-8 must not stop the reading
        return self.path.open(encoding="utf-8-sig", errors="replace")

    def _read(self) -> Generator[str, None, None]:
        try:
            with self._open() as file:
                yield from self._split_lines(file)
        except OSError as fault:
            raise unreadable(self.path, fault) from fault

    def _split_lines(self, file: TextIO) -> Iterator[str]:
        rest, waiting = "", list[str]()
        count, width = 1, 0
        while chunk := file.read(CHUNK):
            self.newlines = file.newlines
            lines = (rest + chunk).split("\n")
            rest = lines.pop()
            count += len(lines)
            width = width or next((len(split(line)) for line in lines if line.strip()), 0)
            lines, waiting = joined(waiting + lines, width, last=False)
            yield from lines
            if len(rest) > LONGEST_LINE:
                raise self.too_long(count)
        lines, _ = joined([*waiting, rest] if rest else waiting, width)
        yield from lines[:-1]
        if lines:
            self.unfinished = bool(rest)
            yield lines[-1]

    def too_long(self, line: int | None = None) -> SourceError:
        """The error for a line that no profiler writes."""
        return SourceError(
            "a line is longer than a megabyte, so this is no table of a profiler",
            where=str(self.path) if line is None else f"{self.path}:{line}",
            now="check that the file was copied whole and as text",
        )


def _border(block: bytearray, whole: int) -> int:
    """Where to cut a block, at `whole` or before: not within quotes, as far as that can be told."""
    if not block.count(b'"', 0, whole) & 1:
        return whole
    return block.rfind(b"\n", 0, block.rfind(b'"', 0, whole)) + 1 or whole


def _with_line_feeds(block: Bytes) -> Bytes:
    return block.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in block else block


def unreadable(path: Path, fault: OSError) -> SourceError:
    """The error for a file the system does not let us read."""
    if isinstance(fault, FileNotFoundError):
        return SourceError("no such file or folder", where=str(path), now="check the path")
    if isinstance(fault, PermissionError):
        return SourceError(
            "no permission to read",
            where=str(path),
            now="msopprof writes folders of mode 750: chmod or copy them",
        )
    return SourceError(f"cannot be read: {fault.strerror or fault}", where=str(path), now="check the path")
