"""Files as readers meet them: found by a bounded walk, opened once for a look at the head, never followed
blindly.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

from kb.engine.readers.rows import split, unreadable
from kb.errors import SourceError
from kb.model import Notice

HEAD = 16 << 10  # the widest header line seen has 1056 columns and 14 KB
MOST_FILES = 20_000
MOST_FOLDERS = 100_000  # as many as a job may have ranks
DEEPEST = 12
_TOLD_EACH = 100  # files


Progress = Callable[[int, float], None]  # rows so far, part of the bytes that they are (0 to 1)
Looking = Callable[[Literal["found", "opened"], int], None]  # what was done with how many files so far


@dataclass(frozen=True)
class Source:
    """One regular file: where it is, how large, and its first bytes."""

    path: Path
    size: int
    head: bytes

    @cached_property
    def text(self) -> str:
        """The head as text; empty when the bytes are clearly no text."""
        if b"\0" in self.head:
            return ""
        return self.head.decode("utf-8-sig", errors="replace")

    @cached_property
    def header(self) -> tuple[str, ...]:
        """Cells of the first line that is not blank, stripped; empty for a binary file.

        The lines are those that `Rows` sees, and of a line that the head cuts off only whole cells count, so that
        a column found here is found there.
        """
        *lines, last = self.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for line in lines:
            if line.strip():
                return tuple(cell.strip() for cell in split(line))
        cells = tuple(cell.strip() for cell in split(last)) if last.strip() else ()
        return cells if self.size <= len(self.head) else cells[:-1]

    def __str__(self) -> str:
        return str(self.path)


@dataclass(frozen=True)
class Bundle:
    """What one reader gets: the files by reader name, what the user pointed at, and what the walk noticed."""

    target: str
    files: Mapping[str, tuple[Source, ...]]
    notices: tuple[Notice, ...] = ()
    roots: tuple[Path, ...] = field(default=())
    progress: Progress | None = None

    def of(self, name: str) -> tuple[Source, ...]:
        """The files that the reader `name` recognised, in path order."""
        return self.files.get(name, ())

    def label(self, path: Path) -> str:
        """A path as reports show it: relative to what the user gave, so that no machine's folders leak."""
        for root in self.roots:
            if path == root:
                return path.name
            if root in path.parents:
                return path.relative_to(root).as_posix()
        return path.name


def open_source(path: Path) -> Source:
    """A file, looked at.

    Raises:
        SourceError: for what does not exist, may not be read, or is a pipe, socket or device.
    """
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            raise SourceError(
                "not a regular file (pipe, socket or device)", where=str(path), now="give a file or a folder"
            )
        with path.open("rb") as file:
            # Of no bytes none are read: some files of the system have no size, and reading them waits for something to happen.
            return Source(path, about.st_size, file.read(HEAD) if about.st_size else b"")
    except OSError as fault:
        raise unreadable(path, fault) from fault
    except ValueError as fault:  # a NUL in the name
        raise SourceError("not a usable path", where=repr(str(path)), now="check the path") from fault


def find(paths: Sequence[Path], looking: Looking | None = None) -> tuple[list[Source], list[Notice]]:
    """All regular files at or below the paths, in order, and what had to be left out.

    Links inside a folder are not followed, so a loop or a link out of the folder is harmless. `looking` is told now and then.

    Raises:
        SourceError: when a path given by the user itself cannot be read.
    """
    sources: list[Source] = []
    search = _Search(looking)
    for path in paths:
        if is_folder(path):
            sources.extend(search.below(path))
        elif path not in search.seen:
            search.seen.add(path)
            sources.append(open_source(path))
    return sources, search.notices


def is_folder(path: Path) -> bool:
    """Whether a path leads to a folder; False too for what is no usable path."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


class _Search:
    """A walk through folders: what was seen, and what was left out."""

    def __init__(self, looking: Looking | None) -> None:
        self.seen: set[Path] = set()
        self.notices: list[Notice] = []
        self._folders = 0
        self._looking = looking

    def below(self, folder: Path) -> Iterator[Source]:
        """The files below a folder, until there are too many."""
        for path in self._walk(folder, 0):
            if len(self.seen) >= MOST_FILES:
                self._left_out(
                    "too-many-files", f"only the first {MOST_FILES} files were looked at", path.parent
                )
                return
            if path in self.seen:
                continue
            self.seen.add(path)
            if self._looking is not None and len(self.seen) % _TOLD_EACH == 0:
                self._looking("opened", len(self.seen))
            try:
                yield open_source(path)
            except SourceError as fault:
                self._left_out("file-skipped", fault.what, path)

    def _walk(self, folder: Path, depth: int) -> Iterator[Path]:
        self._folders += 1
        try:
            with os.scandir(folder) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError as fault:
            if depth == 0:
                raise unreadable(folder, fault) from fault
            self._left_out("folder-skipped", unreadable(folder, fault).what, folder)
            return
        for entry in entries:
            if entry.is_symlink():
                self._left_out("link-skipped", "a link inside the folder was not followed", entry.path)
            elif entry.is_dir(follow_symlinks=False):
                yield from self._deeper(Path(entry.path), depth + 1)
            elif entry.is_file(follow_symlinks=False):
                yield Path(entry.path)
            else:
                self._left_out("file-skipped", "not a regular file (pipe, socket or device)", entry.path)

    def _deeper(self, folder: Path, depth: int) -> Iterator[Path]:
        if depth >= DEEPEST:
            self._left_out("folder-skipped", f"deeper than {DEEPEST} folders", folder)
        elif self._folders < MOST_FOLDERS:
            yield from self._walk(folder, depth)
        elif self._folders == MOST_FOLDERS:
            self._folders += 1  # said once
            self._left_out("too-many-files", f"only the first {MOST_FOLDERS} folders were looked at", folder)

    def _left_out(self, code: str, why: str, where: Path | str) -> None:
        self.notices.append(Notice(code, why, str(where)))
