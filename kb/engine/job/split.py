"""Which folders of a job are its ranks, told by names alone: what they hold is opened by whoever reads the rank."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kb.engine.readers import profiler_info
from kb.engine.readers.source import DEEPEST, MOST_FILES, is_folder, open_source
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


@dataclass
class _Walk:
    ranks: list[RankFolder] = field(default_factory=list)
    rest: list[Path] = field(default_factory=list)


def split(paths: Sequence[Path]) -> JobFolder | None:
    """The ranks below the paths; None where there are not at least two that can be told apart by number.

    A rank is a folder that a profiler wrote for one rank: it holds the folder of its tables or profiler_info_<n>.json, or
    is called rank_<n>. Links are not followed.
    """
    walk = _Walk()
    for path in paths:
        if not is_folder(path):
            return None
        place = path.absolute()
        _look(place, place, walk, 0)
    names = [rank.name for rank in walk.ranks]
    numbered = sum(name.startswith("rank ") for name in names)
    apart = len(set(names)) == len(names)
    if numbered < 2 or not apart or len(names) > MOST_RANKS or len(walk.rest) > MOST_FILES:
        return None
    return JobFolder(tuple(sorted(walk.ranks, key=_by_number)), tuple(walk.rest))


def _by_number(rank: RankFolder) -> tuple[int, int, str]:
    number = rank.name.removeprefix("rank ")
    return (0, int(number), "") if number.isdecimal() else (1, 0, rank.name)


def _look(folder: Path, root: Path, walk: _Walk, depth: int) -> None:
    try:
        with os.scandir(folder) as found:
            entries = sorted((item for item in found if not item.is_symlink()), key=lambda item: item.name)
    except OSError:
        entries = []  # a rank folder that may not be listed is a lost rank, said when it is read
    folders = [item.name for item in entries if item.is_dir(follow_symlinks=False)]
    files = [item.name for item in entries if item.is_file(follow_symlinks=False)]
    written = bool(_OUTPUT.intersection(folders)) or any(map(_info, files))
    named = _FOLDER.fullmatch(folder.name)
    below = _Walk()
    if not written and depth + 1 < DEEPEST:
        for name in folders:
            _look(folder / name, root, below, depth + 1)
    if written or (named and len(below.ranks) < 2):
        within = root.parent if folder == root else root
        walk.ranks.append(RankFolder(_name(folder, files), folder, within))
        return
    walk.ranks += below.ranks
    walk.rest += [folder / name for name in files] + below.rest


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
