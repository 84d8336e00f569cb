"""Workers: the same bytes as in this process, and a worker that dies, hangs or swells costs one rank at most."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import jobs
import pytest

from kb.engine import pipeline
from kb.engine.job import split as splitting
from kb.engine.job.rank import Lost, Summary, summarise
from kb.engine.job.split import RankFolder, split
from kb.engine.job.spread import MIB, Spread
from kb.engine.request import Request
from kb.errors import UsageError
from kb.report import views

pytest.importorskip("distributed", reason="needs the extra `cluster`: pip install 'ascend-kb[cluster]'")
pytestmark = pytest.mark.filterwarnings("ignore")  # of Dask's own event loop, when a test ends a worker

from kb.engine.job import cluster  # noqa: E402 - only with the extra

Results = list[Summary | Lost]
MEMORY = 512 * MIB


@pytest.fixture(scope="module")
def workers() -> Iterator[cluster.Workers]:
    with cluster.local(2, MEMORY) as found:
        yield found


@pytest.fixture
def ranks(job: Path) -> tuple[RankFolder, ...]:
    found = split([job])
    assert found is not None
    return found.ranks


def all_of(
    ranks: tuple[RankFolder, ...],
    read: Callable[[RankFolder], Summary | Lost],
    workers: cluster.Workers,
    timeout: float = 300,
) -> Results:
    return list(cluster.each(ranks, read, workers, timeout))


def one_lost(found: Results, here: Results, at: int) -> str:
    """The reason of the only rank that is lost; all others are as read in this process."""
    lost = found[at]
    assert isinstance(lost, Lost)
    assert [item for item in found if item is not lost] == [item for n, item in enumerate(here) if n != at]
    return lost.reason


def test_results_come_in_order_and_are_those_of_this_process(
    ranks: tuple[RankFolder, ...], workers: cluster.Workers
) -> None:
    assert all_of(ranks, summarise, workers) == list(map(summarise, ranks))


def test_a_worker_that_dies_once_costs_nothing(
    ranks: tuple[RankFolder, ...], workers: cluster.Workers
) -> None:
    assert all_of(ranks, jobs.die_once, workers) == list(map(summarise, ranks))
    assert (ranks[0].within / "killed").exists()


def test_a_worker_killed_from_outside_costs_nothing(
    ranks: tuple[RankFolder, ...], workers: cluster.Workers
) -> None:
    def kill() -> None:
        time.sleep(0.7)
        os.kill(next(iter(workers.client.run(os.getpid).values())), signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    found = all_of(ranks, jobs.slowly, workers)
    killer.join()
    assert found == list(map(summarise, ranks))


def test_a_rank_whose_worker_dies_twice_is_lost_alone(
    ranks: tuple[RankFolder, ...], workers: cluster.Workers
) -> None:
    reason = one_lost(all_of(ranks, jobs.die_always, workers), list(map(summarise, ranks)), 3)
    assert reason == "its worker died 2 times; it may take 512 MiB (--worker-memory)"


@pytest.mark.long  # a busy machine must not make the other ranks late too
def test_a_rank_that_hangs_is_given_up_and_its_worker_started_anew(
    ranks: tuple[RankFolder, ...], workers: cluster.Workers
) -> None:
    reason = one_lost(all_of(ranks, jobs.hang, workers, 90), list(map(summarise, ranks)), 1)
    assert reason == "not read within 90 s (--rank-timeout)"
    workers.client.wait_for_workers(2, timeout=60)


def test_a_worker_beyond_its_memory_is_ended(ranks: tuple[RankFolder, ...], workers: cluster.Workers) -> None:
    reason = one_lost(all_of(ranks, jobs.swell, workers), list(map(summarise, ranks)), 2)
    assert "died 2 times" in reason and "512 MiB" in reason


def test_the_report_by_workers_is_the_same_bytes(job: Path) -> None:
    jobs.damage(job, 2)
    shown = []
    for spread in (Spread(0), Spread(1), Spread(2)):
        report = pipeline.advise([job], Request(spread=spread))
        shown.append(
            [views.render(name, [report], lang="en", width=100, color=False) for name in ("json", "html")]
        )
    assert shown[0] == shown[1] == shown[2]


def test_the_workers_of_a_scheduler_somewhere_give_the_same_bytes(job: Path) -> None:
    from distributed import LocalCluster

    here = pipeline.advise([job])
    with LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, protocol="tcp://", dashboard_address=None
    ) as found:
        spread = Spread(None, found.scheduler_address)
        assert pipeline.advise([job], Request(spread=spread)) == here


def test_workers_with_another_release_are_refused(job: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from distributed import LocalCluster

    releases = iter(("0.9.9", "0.1.0"))
    monkeypatch.setattr(cluster, "release", lambda: next(releases))
    with (
        LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, protocol="tcp://", dashboard_address=None
        ) as found,
        pytest.raises(UsageError, match=r"has kb 0\.1\.0, this is 0\.9\.9"),
    ):
        pipeline.advise([job], Request(spread=Spread(None, found.scheduler_address)))


def test_a_scheduler_that_does_not_answer_is_an_error(job: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "ANSWER_S", 1.0)
    with pytest.raises(UsageError, match="no scheduler answers there"):
        pipeline.advise([job], Request(spread=Spread(None, "tcp://127.0.0.1:9")))


def test_a_large_job_takes_workers_of_itself(
    ranks: tuple[RankFolder, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    from kb.engine.job import spread

    folder = splitting.JobFolder(ranks, ())
    assert spread.workers_for(folder, Spread(None)) == 0  # small
    monkeypatch.setattr(spread, "WORTH_WORKERS", 1000)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2}, raising=False)
    assert spread.workers_for(folder, Spread(None)) == 3
    assert spread.workers_for(folder, Spread(64)) == len(ranks)
