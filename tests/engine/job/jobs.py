"""Jobs of made ranks, and what workers are made to do in the tests of workers dying."""

from __future__ import annotations

import os
import shutil
import signal
import time
from pathlib import Path

from kb import targets
from kb.benchmark import planted
from kb.benchmark.export import write_rank
from kb.engine.job.rank import Lost, Summary, summarise
from kb.engine.job.split import RankFolder

RANKS = 6
SLOW = "rank 5"
TARGET = "Ascend910B3"


def write_job(place: Path, ranks: int = RANKS) -> Path:
    """A job whose last rank computes a quarter longer than the others."""
    scenario = next(item for item in planted.scenarios() if item.causes == ("slow-rank",))
    target = targets.load(scenario.soc)
    steps = planted.ranks_of(scenario, scenario.causes, target)
    for rank in range(ranks):
        write_rank(place, rank, steps[-1] if rank == ranks - 1 else steps[0], target)
    return place


def damage(job: Path, rank: int) -> Path:
    """A rank whose table is no text."""
    place = job / f"rank_{rank}_ascend_pt" / "ASCEND_PROFILER_OUTPUT"
    shutil.rmtree(place)
    place.mkdir()
    (place / "kernel_details.csv").write_bytes(b"\x00\xff\x13garbage" * 64)
    return place


def die_once(folder: RankFolder) -> Summary | Lost:
    """Kills the worker that reads rank 3, the first time."""
    mark = folder.within / "killed"
    if folder.name == "rank 3" and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return summarise(folder)


def die_always(folder: RankFolder) -> Summary | Lost:
    """Kills every worker that reads rank 3."""
    if folder.name == "rank 3":
        os.kill(os.getpid(), signal.SIGKILL)
    return summarise(folder)


def slowly(folder: RankFolder) -> Summary | Lost:
    """Leaves time to be killed from outside."""
    time.sleep(0.5)
    return summarise(folder)


def hang(folder: RankFolder) -> Summary | Lost:
    """Never comes back from rank 1."""
    if folder.name == "rank 1":
        time.sleep(600)
    return summarise(folder)


def swell(folder: RankFolder) -> Summary | Lost:
    """Takes more memory than a worker may have, for rank 2."""
    if folder.name == "rank 2":
        kept = bytearray(os.urandom(1 << 20) * 700)
        time.sleep(30)
        return Lost(folder, f"nobody stopped it at {len(kept)} bytes")
    return summarise(folder)
