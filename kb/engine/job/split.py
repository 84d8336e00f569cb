"""Which folders of a job are its ranks, told by names alone: what they hold is opened by whoever reads the rank."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kb.engine.readers import profiler_info
from kb.engine.readers.source import DEEPEST, MOST_FILES, MOST_FOLDERS, Looking, is_folder, open_source
from kb.errors import SourceError

MOST_RANKS = 100_000
_OUTPUT = frozenset(("ASCEND_PROFILER_OUTPUT", "mindstudio_profiler_output"))
_INFO = re.compile(r"profiler_info_(\d{1,9})\.json")
_FOLDER = re.compile(r"(?:.*[_-])?rank[_-]?(\d{1,9})(?:[_-]ascend_pt)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RankFolder:
    """One rank: how it is called, where it lies, and the folder that reports name its files from."""

    name: str
    path: Path
    within: Path

    @property
    def label(self) -> str:
        """Its place in the job."""
        return self.path.relative_to(self.within).as_posix()

    def placed(self, text: str) -> str:
        """A text with paths as places in the job, so that no machine's folders show."""
        return text.replace(f"{self.within}{os.sep}", "")


@dataclass(frozen=True, slots=True)
class JobFolder:
    """The ranks by number, and the files that belong to no rank."""

    ranks: tuple[RankFolder, ...]
    rest: tuple[Path, ...]


class _TooMuch(Exception):
    """More files or folders that belong to no rank than a job has."""


@dataclass
class _Walk:
    root: Path
    looking: Looking | None
    ranks: list[RankFolder] = field(default_factory=list)
    rest: list[Path] = field(default_factory=list)
    folders: int = 0  # that belong to no rank
    files: int = 0  # all that were found


def split(paths: Sequence[Path], looking: Looking | None = None) -> JobFolder | None:
    """The ranks below the paths; None where there are not at least two that can be told apart by number.

    A rank is a folder that a profiler wrote for one rank: it holds the folder of its tables or profiler_info_<n>.json, or
    is called rank_<n>. Links are not followed. A folder with much else, such as that of all the user has, is no job, and the walk
    ends there. `looking` is told of the files found.
    """
    ranks: list[RankFolder] = []
    rest: list[Path] = []
    for path in paths:
        if not is_folder(path):
            return None
        walk = _Walk(path.absolute(), looking)
        try:
            _look(walk.root, walk, 0, MOST_FILES - len(rest))
        except _TooMuch:
            return None
        ranks += walk.ranks
        rest += walk.rest
    names = [rank.name for rank in ranks]
    numbered = sum(name.startswith("rank ") for name in names)
    apart = len(set(names)) == len(names)
    if numbered < 2 or not apart or len(names) > MOST_RANKS:
        return None
    return JobFolder(tuple(sorted(ranks, key=_by_number)), tuple(rest))


def _by_number(rank: RankFolder) -> tuple[int, int, str]:
    number = rank.name.removeprefix("rank ")
    return (0, int(number), "") if number.isdecimal() else (1, 0, rank.name)


def _look(folder: Path, walk: _Walk, depth: int, most: int) -> None:
    """Add the ranks at or below a folder, and the files that are of none, `most` of all at the end.

    Raises:
        _TooMuch: there are more.
    """
    folders, files = _listed(folder)
    walk.files += len(files)
    if walk.looking is not None:
        walk.looking("found", walk.files)
    if _OUTPUT.intersection(folders) or any(map(_info, files)):
        _add_rank(folder, files, walk)
    elif _FOLDER.fullmatch(folder.name):
        _look_in_named(folder, folders, files, walk, depth)
        if len(walk.rest) > most:
            raise _TooMuch
    else:
        _look_below(folder, folders, files, walk, depth, most)


def _look_in_named(
    folder: Path, folders: Sequence[str], files: Sequence[str], walk: _Walk, depth: int
) -> None:
    """A folder that is called as a rank is one, whatever else it holds, unless it holds several."""
    ranks, rest, others = len(walk.ranks), len(walk.rest), walk.folders
    try:
        _look_below(folder, folders, files, walk, depth, rest + MOST_FILES)
    except _TooMuch:
        if len(walk.ranks) - ranks >= 2:
            raise
    if len(walk.ranks) - ranks < 2:
        del walk.ranks[ranks:], walk.rest[rest:]
        walk.folders = others
        _add_rank(folder, files, walk)


def _look_below(
    folder: Path, folders: Sequence[str], files: Sequence[str], walk: _Walk, depth: int, most: int
) -> None:
    walk.rest += [folder / name for name in files]
    walk.folders += 1
    if len(walk.rest) > most or walk.folders > MOST_FOLDERS:
        raise _TooMuch
    if depth + 1 < DEEPEST:
        for name in folders:
            _look(folder / name, walk, depth + 1, most)


def _listed(folder: Path) -> tuple[list[str], list[str]]:
    """Names of folders and of files, in order; links and what is neither left out."""
    try:
        with os.scandir(folder) as found:
            entries = sorted((item for item in found if not item.is_symlink()), key=lambda item: item.name)
    except OSError:
        return [], []  # a rank folder that may not be listed is a lost rank, said when it is read
    folders = [item.name for item in entries if item.is_dir(follow_symlinks=False)]
    return folders, [item.name for item in entries if item.is_file(follow_symlinks=False)]


def _add_rank(folder: Path, files: Sequence[str], walk: _Walk) -> None:
    within = walk.root.parent if folder == walk.root else walk.root
    walk.ranks.append(RankFolder(_name(folder, files), folder, within))


def _info(name: str) -> bool:
    return name == "profiler_info.json" or _INFO.fullmatch(name) is not None


def _name(folder: Path, files: Sequence[str]) -> str:
    """As the readers call a rank: by the number the profiler gave it, else by that in the folder's name."""
    for name in files:
        if match := _INFO.fullmatch(name):
            return f"rank {int(match[1])}"
    if "profiler_info.json" in files:
        try:
            told = profiler_info.settings(open_source(folder / "profiler_info.json"))
        except SourceError:
            told = None
        if told is not None and told.rank is not None and told.rank.isdecimal():
            return f"rank {int(told.rank)}"
    match = _FOLDER.fullmatch(folder.name)
    return f"rank {int(match[1])}" if match else folder.name


def size_at_least(job: JobFolder, size: int) -> bool:
    """Whether the files of the ranks have that many bytes together; looks no further than needed."""
    total = 0
    for rank in job.ranks:
        for found in _sizes(rank.path):
            total += found
            if total >= size:
                return True
    return False


def _sizes(folder: Path) -> Iterator[int]:
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                yield (Path(place) / name).lstat().st_size
            except OSError:
                continue
