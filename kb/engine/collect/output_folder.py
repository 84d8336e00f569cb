"""The private folder a run writes into: chosen without touching the disk, made just before the run.

msopprof up to 26.0 refuses a folder whose parent belongs to somebody else, is writable for others, or is
reached over a soft link; later it warns. So `kb` hands it a real path, mode 700.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from kb.engine.collect.environment import Environment
from kb.engine.collect.options import LONGEST_OUTPUT
from kb.errors import CollectError, UsageError
from kb.model import Notice

DEFAULT_PARENT = "kb-profiles"


@dataclass(frozen=True, slots=True)
class OutputFolder:
    """Where a run writes: a real path; `exists` when it is a private folder already."""

    path: Path
    exists: bool
    notices: tuple[Notice, ...] = ()


def choose_output(output: str | None, name: str, environment: Environment) -> OutputFolder:
    """The folder for one run: the one asked for if it is new or private, else a new private one inside it.

    Raises:
        UsageError: the path is a file, a dead link, or too long for msopprof.
    """
    try:
        asked = environment.cwd / (Path(output).expanduser() if output else DEFAULT_PARENT)
    except RuntimeError as fault:
        raise UsageError(
            "no user has that home folder", where=f"--output {output}", now="Choose another folder."
        ) from fault
    real = Path(os.path.realpath(asked))
    notices = []
    if output and real != Path(os.path.normpath(asked)):
        notices.append(Notice("output-link", f"{output} leads over a link; its real path is used: {real}"))
    if real.exists() and not real.is_dir():
        raise UsageError("this is a file, not a folder", where=f"--output {output or DEFAULT_PARENT}",
                         now="Choose another folder.")  # fmt: skip
    if asked.is_symlink() and not real.exists():
        raise UsageError("this is a link to nothing", where=f"--output {output or DEFAULT_PARENT}",
                         now="Choose a real folder.")  # fmt: skip
    exists = real.is_dir() and _is_private(real)
    if not output or (real.is_dir() and not exists):
        real = _unused(real / f"{name}-{environment.stamp}")
        exists = False
        if output:
            notices.append(
                Notice("output-inside", f"{output} is not private, so a new folder inside it is used: {real}")
            )
    if len(str(real)) > LONGEST_OUTPUT:
        raise UsageError(
            f"the path has {len(str(real))} characters; msopprof accepts {LONGEST_OUTPUT}",
            where=f"--output {real}",
            now="Give --output a shorter path.",
        )
    return OutputFolder(real, exists, tuple(notices))


def make_output(folder: OutputFolder) -> tuple[Path, ...]:
    """Create the folder, and its missing parents, mode 700; returns those created, outermost first.

    Raises:
        CollectError: it cannot be created, or somebody put something else in its place.
    """
    made: list[Path] = []
    missing = [folder.path, *folder.path.parents]
    missing = [path for path in reversed(missing) if not path.exists()]
    try:
        for path in missing:
            path.mkdir(mode=0o700)
            path.chmod(0o700)  # whatever the umask took away
            made.append(path)
    except OSError as fault:
        remove_empty(tuple(made))
        raise _cannot_make(folder.path, fault.strerror or str(fault)) from fault
    if os.path.realpath(folder.path) != str(folder.path) or not _is_private(folder.path):
        remove_empty(tuple(made))
        raise _cannot_make(folder.path, "it changed while it was being made")
    return tuple(made)


def remove_empty(made: tuple[Path, ...]) -> None:
    """Take back folders that were made for a run and stayed empty."""
    for path in reversed(made):
        try:
            path.rmdir()
        except OSError:
            return


def path_faults(path: Path) -> tuple[str, ...]:
    """What msopprof up to 26.0 would refuse about an existing folder or file: owner, write permission,
    link.
    """
    faults = []
    if os.path.realpath(path) != os.path.normpath(path):
        faults.append(f"{path} leads over a soft link")
    try:
        status = path.stat()
    except OSError as fault:
        return (*faults, f"{path} cannot be looked at ({fault.strerror})")
    if status.st_uid != os.geteuid():
        faults.append(f"{path} belongs to another user")
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        faults.append(f"{path} is writable for others (mode {stat.S_IMODE(status.st_mode):o})")
    return tuple(faults)


def nearest_existing(path: Path) -> Path:
    """The path itself or the closest parent that exists."""
    return next(place for place in (path, *path.parents) if place.exists())


def _is_private(path: Path) -> bool:
    status = path.stat()
    return status.st_uid == os.geteuid() and not status.st_mode & 0o077


def _unused(path: Path) -> Path:
    """Two runs within one second get two folders."""
    candidate, number = path, 2
    while candidate.exists():
        candidate = path.with_name(f"{path.name}-{number}")
        number += 1
    return candidate


def _cannot_make(path: Path, why: str) -> CollectError:
    return CollectError(
        f"the output folder cannot be made: {why}",
        where=str(path),
        now="Give --output a folder in a place where you may write.",
    )
