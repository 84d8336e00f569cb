"""A job folder to its profile and its comparison of ranks, whoever reads the ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kb import targets
from kb.engine import readers
from kb.engine.job.merge import job_of, merge, profile_of
from kb.engine.job.rank import Lost, Summary
from kb.engine.job.split import split
from kb.engine.job.spread import Spread, summaries
from kb.engine.readers.source import Looking
from kb.errors import SourceError
from kb.model import Job, Profile, RunTimes

Progress = Callable[[int, float], None]


@dataclass(frozen=True, slots=True)
class ReadJob:
    """All ranks as one profile, and beside one another."""

    profile: Profile
    job: Job


def read_job(
    paths: Sequence[Path],
    soc: str | None = None,
    spread: Spread | None = None,
    progress: Progress | None = None,
    looking: Looking | None = None,
) -> ReadJob | None:
    """The job at the paths; None where they are no folder of numbered ranks, or not of a run's export.

    Raises:
        SourceError: no rank could be read. UsageError: `soc` is no chip, or workers cannot be had.
    """
    folder = split(paths, looking)
    if folder is None:
        return None
    if soc:
        targets.resolve(soc)
    traced = _of_the_job(folder.rest, soc, looking)
    if traced is None:
        return None
    found = merge(_told(summaries(folder, soc, spread or Spread()), len(folder.ranks), progress))
    if found.kernels:
        return None
    profile = profile_of(found, " ".join(str(path) for path in paths), traced)
    return ReadJob(profile, job_of(found, profile))


def _of_the_job(
    rest: Sequence[Path], soc: str | None, looking: Looking | None
) -> Mapping[str, RunTimes] | None:
    """Times of ranks by a table of the whole job, often none; None where there are kernels that belong to no rank."""
    told = []
    for count, path in enumerate(rest, 1):
        if looking is not None:
            looking("opened", count)
        if _is_profile(path):
            told.append(path)
    if not told:
        return {}
    try:
        profile = readers.read(told, soc=soc)
    except SourceError:
        return {}  # the ranks themselves hold the same times
    if any(op.core != "communication" for op in profile.operators):
        return None
    return {rank.name: rank.times for rank in profile.ranks}


def _is_profile(path: Path) -> bool:
    """Whether a reader knows the file; a read-me or a picture belongs to none."""
    try:
        return readers.reader_of(path) is not None
    except SourceError:
        return False


def _told(found: Iterable[Summary | Lost], count: int, progress: Progress | None) -> Iterator[Summary | Lost]:
    rows = 0
    for done, item in enumerate(found, 1):
        if isinstance(item, Summary):
            rows += sum(file.rows or 0 for file in item.profile.files)
        if progress is not None:
            progress(rows, done / count)
        yield item
