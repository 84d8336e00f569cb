"""Where the ranks of a job are read: in this process, in worker processes of this machine, or by a scheduler's workers."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec

from kb.engine.job import split
from kb.engine.job.rank import Lost, Summary, summarise
from kb.engine.job.split import JobFolder, RankFolder
from kb.errors import UsageError

EXTRA = "ascend-kb[cluster]"
MIB = 1 << 20
LEAST_MEMORY = 256 * MIB  # an idle worker takes about half of it
WORTH_WORKERS = 256 * MIB  # of profiles, below which starting workers takes longer than they save
_ADDRESS = re.compile(r"(tcp|tls|ws|wss)://[^\s/]+:\d{1,5}", re.ASCII)

Read = Callable[[RankFolder], Summary | Lost]


@dataclass(frozen=True, slots=True)
class Spread:
    """How to read the ranks of a job; what comes out is the same for all.

    Args:
        workers: worker processes of this machine; 0 reads in this process, None decides by size and cores.
        scheduler: address of a Dask scheduler whose workers see the same folders, such as tcp://host:8786.
        memory: bytes that a worker process of this machine may take before it is ended.
        timeout: seconds that a worker may take for one rank.

    Raises:
        UsageError: a value makes no sense.
    """

    workers: int | None = 0
    scheduler: str | None = None
    memory: int = 1024 * MIB
    timeout: float = 1800.0

    def __post_init__(self) -> None:
        if self.scheduler is not None and not _ADDRESS.fullmatch(self.scheduler):
            raise UsageError(
                "no address of a scheduler",
                where=f"--scheduler {self.scheduler}",
                now="Give tcp://HOST:PORT.",
            )
        if self.scheduler is not None and self.workers:
            raise UsageError("both --workers and --scheduler", now="The scheduler has workers of its own.")
        if self.memory < LEAST_MEMORY:
            raise UsageError(
                f"too little for a worker: {self.memory / MIB:.0f} MiB",
                where="--worker-memory",
                now=f"Give at least {LEAST_MEMORY // MIB} (MiB).",
            )
        if not self.timeout > 0:
            raise UsageError("not a time", where="--rank-timeout", now="Give seconds above 0.")


def installed() -> bool:
    """Whether the extra that brings workers is there."""
    return find_spec("distributed") is not None


def workers_for(job: JobFolder, spread: Spread) -> int:
    """Number of worker processes for a job: as asked, else one a core where the job is large enough."""
    if spread.workers is not None:
        return min(spread.workers, len(job.ranks))
    if not installed() or not split.size_at_least(job, WORTH_WORKERS):
        return 0
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, len(job.ranks)) if cores > 1 else 0


def summaries(job: JobFolder, soc: str | None, spread: Spread) -> Iterator[Summary | Lost]:
    """What became of every rank, in the order of the ranks.

    Raises:
        UsageError: workers were asked for without the extra, or the scheduler does not answer.
    """
    read = partial(summarise, soc=soc)
    count = workers_for(job, spread)
    if not count and spread.scheduler is None:
        return map(read, job.ranks)
    if not installed():
        raise UsageError(
            "reading with workers needs the extra `cluster`",
            where="--scheduler" if spread.scheduler else "--workers",
            now=f"pip install '{EXTRA}', or leave the option out: one rank after another gives the same report.",
        )
    return _spread(job.ranks, read, spread, count)


def _spread(ranks: Sequence[RankFolder], read: Read, spread: Spread, count: int) -> Iterator[Summary | Lost]:
    from kb.engine.job import cluster

    opened = cluster.joined(spread.scheduler) if spread.scheduler else cluster.local(count, spread.memory)
    with opened as workers:
        yield from cluster.each(ranks, read, workers, spread.timeout)
