"""One rank: from its folder to a frozen summary of bounded size that can be sent between processes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kb import targets
from kb.engine import readers
from kb.engine.bottlenecks.diagnose import diagnose
from kb.engine.job.split import RankFolder
from kb.engine.metrics import measure_profile
from kb.errors import KbError
from kb.model import Profile

MOST_FOLLOWS = 2_000  # pairs of operator types kept of a rank; its operators are bounded by the reader
MOST_NOTICES = 50


@dataclass(frozen=True, slots=True)
class Found:
    """A bottleneck of one rank, and the share of the rank's time that it concerns."""

    pattern: str
    share: float


@dataclass(frozen=True, slots=True)
class Summary:
    """A rank that was read: its profile and what it shows when judged alone."""

    folder: RankFolder
    profile: Profile
    found: tuple[Found, ...]


@dataclass(frozen=True, slots=True)
class Lost:
    """A rank that is in no figure, and why."""

    folder: RankFolder
    reason: str


def summarise(folder: RankFolder, soc: str | None = None) -> Summary | Lost:
    """Read and judge one rank: the same folder gives the same summary in any process.

    Whatever is wrong with the folder costs this rank alone, so it is returned and not raised; that goes for a fault of a
    reader too, because one rank in a thousand must not end the job. A stated chip that does not exist is no fault of the
    rank: it is to be found before.
    """
    try:
        profile = readers.read([folder.path], soc=soc, within=folder.within)
        measured = measure_profile(profile, targets.candidates(profile.chip))
        diagnosis = diagnose(measured.run, measured.operators, profile.scope)
    except KbError as fault:
        return Lost(folder, _placed(fault, folder))
    except (
        Warning
    ):  # made an error by whoever asked for it, as the tests do: a rule that failed is not to hide here
        raise
    except Exception as fault:
        return Lost(folder, f"a reader failed: {type(fault).__name__}: {fault}"[:300])
    shares: dict[str, float] = {}
    for finding in diagnosis.findings:
        shares[finding.pattern] = max(shares.get(finding.pattern, 0.0), finding.share)
    return Summary(folder, _bounded(profile, folder), tuple(Found(*item) for item in sorted(shares.items())))


def _placed(fault: KbError, folder: RankFolder) -> str:
    """What is wrong, with the file by its place in the job."""
    where = folder.placed(fault.where)
    return f"{where}: {fault.what}" if where not in ("", folder.label, str(folder.path)) else fault.what


def _bounded(profile: Profile, folder: RankFolder) -> Profile:
    """The profile with files named by their place in the job, and lists that end."""
    notices = tuple(replace(item, file=folder.placed(item.file)) for item in profile.notices[:MOST_NOTICES])
    return replace(profile, notices=notices, follows=profile.follows[:MOST_FOLLOWS])
