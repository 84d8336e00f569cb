"""Workers of Dask: who reads which rank, what happens to a rank whose worker dies, and results in the order of ranks.

One rank at a time goes to each thread of a worker, by name, so that a death is the rank's own. A rank whose worker died is tried
once more, on a worker that does nothing else. The results are what `rank.summarise` gives: who read a rank cannot show.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import metadata
from typing import Any

import dask
from distributed import Client, LocalCluster, Security
from distributed.scheduler import KilledWorker

from kb.engine.job.rank import Lost, Summary
from kb.engine.job.split import RankFolder
from kb.errors import UsageError

ANSWER_S = 15.0  # a scheduler must answer in
WORKERS_S = 60.0  # and have a worker in; a job that lost all its workers waits as long for a new one
POLL_S = 0.5
AHEAD = 4  # ranks read ahead of the one that is merged next, a worker: bounds what waits in this process
MOST_DEATHS = 2

_GONE = (KilledWorker, TimeoutError, asyncio.TimeoutError, CancelledError, asyncio.CancelledError, OSError)

Result = Summary | Lost
Read = Callable[[RankFolder], Result]

# A rank must not be stopped half way because its worker uses much of its memory: above 95 % the worker is ended.
_LOCAL: dict[str, Any] = {
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": 0.95,
    "distributed.scheduler.allowed-failures": 0,
    "distributed.admin.tick.limit": "1h",
    "distributed.scheduler.http.routes": [],  # nothing about the job for other users of the machine
    "distributed.worker.http.routes": [],
}


@dataclass(frozen=True)
class Workers:
    """A connection to workers; `ours` when they were started here, `memory` is their bound in bytes."""

    client: Client
    ours: bool
    memory: int | None = None

    def threads(self) -> dict[str, int]:
        """Threads of each worker that is there now, by address."""
        return dict(self.client.nthreads())


@contextmanager
def local(count: int, memory: int) -> Iterator[Workers]:
    """Worker processes of this machine, one thread each, that nobody else can talk to (TLS with a key made for them).

    Args:
        count: number of processes.
        memory: bytes that each may take before it is ended.
    """
    quiet = logging.getLogger("distributed")
    level = quiet.level
    with dask.config.set(_LOCAL):
        cluster = LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            processes=True,
            memory_limit=memory,
            host="127.0.0.1",
            protocol="tls://",
            security=Security.temporary(),
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
        )
        try:
            quiet.setLevel(logging.CRITICAL)
            with cluster, Client(cluster) as client:
                yield Workers(client, True, memory)
        finally:
            quiet.setLevel(level)


@contextmanager
def joined(address: str) -> Iterator[Workers]:
    """The workers of a scheduler that runs elsewhere.

    Raises:
        UsageError: it does not answer, or has no worker.
    """
    try:
        client = Client(address, timeout=ANSWER_S, set_as_default=False)
    except (OSError, TimeoutError, asyncio.TimeoutError, ValueError) as fault:
        raise UsageError(
            "no scheduler answers there", where=f"--scheduler {address}", now="Start one: dask scheduler."
        ) from fault
    with client:
        try:
            client.wait_for_workers(1, timeout=WORKERS_S)
        except (TimeoutError, asyncio.TimeoutError) as fault:
            raise UsageError(
                f"the scheduler has no worker after {WORKERS_S:.0f} s",
                where=f"--scheduler {address}",
                now=f"Start one where the job folder can be read: dask worker {address}.",
            ) from fault
        _same_kb(client, address)
        yield Workers(client, False)


def _same_kb(client: Client, address: str) -> None:
    """Workers with another release could give other results.

    Raises:
        UsageError: a worker lacks kb, or has another release of it.
    """
    own = release()
    for worker, found in client.run(release, on_error="return").items():
        if found != own:
            raise UsageError(
                f"the worker {worker} has kb {found}, this is {own}"
                if isinstance(found, str)
                else f"the worker {worker} cannot load kb: {found}",
                where=f"--scheduler {address}",
                now=f"Install ascend-kb {own} for the workers.",
            )


def release() -> str:
    """The release of kb in this process."""
    return metadata.version("ascend-kb")


@dataclass
class _Sent:
    at: int
    worker: str
    since: float


@dataclass
class _Round:
    """What is under way."""

    ranks: Sequence[RankFolder]
    read: Read
    workers: Workers
    timeout: float
    waiting: deque[int]
    again: deque[int] = field(default_factory=deque)  # their worker died once
    running: dict[Any, _Sent] = field(default_factory=dict)
    done: dict[int, Result] = field(default_factory=dict)
    deaths: Counter[int] = field(default_factory=Counter)
    stuck: set[str] = field(default_factory=set)  # workers that still work at a rank given up
    woken: threading.Event = field(default_factory=threading.Event)  # a rank is done
    seen_s: float = field(default_factory=time.monotonic)  # when there was a worker last

    def lose(self, at: int, reason: str) -> None:
        self.done[at] = Lost(self.ranks[at], reason)


def each(ranks: Sequence[RankFolder], read: Read, workers: Workers, timeout: float) -> Iterator[Result]:
    """The result for every rank, in order.

    Args:
        ranks: whose folders the workers can open.
        read: what a worker does with one; must be picklable.
        workers: who reads.
        timeout: seconds for one rank, after which it is lost.
    """
    now = _Round(ranks, read, workers, timeout, deque(range(len(ranks))))
    for at in range(len(ranks)):
        while at not in now.done:
            _send(now, at)
            if now.woken.wait(POLL_S):
                now.woken.clear()
                _send(now, at)  # workers go on while what they found is fetched
            _collect(now)
            _give_up(now)
        yield now.done.pop(at)


def _send(now: _Round, first: int) -> None:
    """Give every idle thread a rank; the window of ranks ahead of `first` bounds what waits to be merged.

    A thread is idle when it is done with its rank, fetched or not; one that tries a rank again gets nothing beside it.
    """
    threads = {name: count for name, count in now.workers.threads().items() if name not in now.stuck}
    busy = Counter(sent.worker for future, sent in now.running.items() if not future.done())
    alone = {sent.worker for sent in now.running.values() if now.deaths[sent.at]}
    end = first + max(AHEAD * sum(threads.values()), 1)
    for name, count in threads.items():
        if not busy[name] and name not in alone and now.again:
            _submit(now, now.again.popleft(), name)
            continue
        while name not in alone and busy[name] < count and now.waiting and now.waiting[0] < end:
            _submit(now, now.waiting.popleft(), name)
            busy[name] += 1
    if threads:
        now.seen_s = time.monotonic()


def _submit(now: _Round, at: int, worker: str) -> None:
    future = now.workers.client.submit(now.read, now.ranks[at], workers=[worker], pure=False, retries=0)
    now.running[future] = _Sent(at, worker, time.monotonic())
    future.add_done_callback(lambda _: now.woken.set())


def _collect(now: _Round) -> None:
    """Take what is done, and see after the rest."""
    there = now.workers.threads()
    for future, sent in list(now.running.items()):
        if future.done():
            _take(now, future)
        elif sent.worker not in there:
            _died(now, future)
        elif time.monotonic() - sent.since > now.timeout:
            _overdue(now, future)


def _take(now: _Round, future: Any) -> None:
    if future.status == "error":
        fault = future.exception()
    elif future.status == "finished":
        try:
            now.done[now.running[future].at] = future.result(timeout=ANSWER_S)
        except Exception as error:  # such as: the worker that held the result went away with it
            fault = error
        else:
            del now.running[future]
            return
    else:
        fault = None
    if fault is None or isinstance(fault, _GONE):
        _died(now, future)
        return
    sent = now.running.pop(future)
    now.lose(sent.at, f"the worker could not read it: {type(fault).__name__}: {fault}"[:300])


def _died(now: _Round, future: Any) -> None:
    """The worker is gone: once more alone, then lost."""
    sent = now.running.pop(future)
    future.cancel()
    now.deaths[sent.at] += 1
    if now.deaths[sent.at] < MOST_DEATHS:
        now.again.append(sent.at)
        return
    memory = now.workers.memory
    bound = f"; it may take {memory / (1 << 20):.0f} MiB (--worker-memory)" if memory else ""
    now.lose(sent.at, f"its worker died {MOST_DEATHS} times{bound}")


def _overdue(now: _Round, future: Any) -> None:
    """Too slow: a worker of ours is started anew, one of others is left to its work and not used again."""
    sent = now.running.pop(future)
    future.cancel()
    now.lose(sent.at, f"not read within {now.timeout:g} s (--rank-timeout)")
    if now.workers.ours:
        now.workers.client.restart_workers([sent.worker], timeout=ANSWER_S, raise_for_error=False)
    else:
        now.stuck.add(sent.worker)


def _give_up(now: _Round) -> None:
    """Without any worker for a while all that is left is lost."""
    if now.running or time.monotonic() - now.seen_s < WORKERS_S:
        return
    for at in (*now.again, *now.waiting):
        now.lose(at, f"no worker was left for {WORKERS_S:.0f} s")
    now.again.clear()
    now.waiting.clear()
