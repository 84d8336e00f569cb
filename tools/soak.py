"""Many users of one service: `python -m tools.soak [--seconds 600]` loads both servers and prints what came of it.

Clients of this machine ask without a pause, over connections that they keep: the web app for searches, entries,
reports and comparisons, the server of agents for searches, entries and advice. Told are the answers a second, p50,
p95 and p99 of each kind, whatever was no good answer, the memory of the server at the beginning and at the end, what a
burst beyond its bound does, and how it ends.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, urlsplit

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "data" / "samples"
CLIENTS = 8
BURST = 160  # at once: more than both servers take in hand
QUESTIONS = (
    "NMS CPU fallback", "matmul tiling", "attention is slow on long sequences", "how do I hide data movement",
    "卷积 性能 差", "转置 太多", "ベクトル 命令 が 少ない", "small operators launch overhead", "scalar bound kernel",
    "dynamic shapes recompile", "resnet batch size", "block dim lower than cores",
)  # fmt: skip
ENTRIES = ("vector-larger-copies", "client-nms-ascendc", "client-matmul-tiling")

Answer = tuple[int, str]  # HTTP status, and what is wrong with the answer where something is
Ask = Callable[[http.client.HTTPConnection, int], tuple[str, Answer]]


@dataclass(frozen=True)
class Server:
    """A running server: its process, port, and how to ask it the n-th thing."""

    name: str
    process: subprocess.Popen[str]
    port: int
    ask: Ask

    def memory_mib(self) -> float:
        """Resident memory. Source: /proc/PID/status."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        raise RuntimeError("no VmRSS: the server is gone")


@dataclass
class Record:
    """What clients met: seconds by kind, everything that was no good answer, memory over time."""

    took: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    bad: Counter[str] = field(default_factory=Counter)
    memory: list[float] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def answers(self) -> int:
        """How many were answered well."""
        return sum(map(len, self.took.values()))

    @property
    def growth(self) -> float:
        """Memory in the last fifth of the time over that in the middle fifth; what comes before is for warming up."""
        part = max(1, len(self.memory) // 5)
        return statistics.median(self.memory[-part:]) / statistics.median(self.memory[2 * part : 3 * part])


def environment(home: Path) -> dict[str, str]:
    """Variables for a server: everything it writes in a folder of its own."""
    kept = {name: os.environ[name] for name in ("PATH", "TMPDIR", "LD_LIBRARY_PATH") if name in os.environ}
    return kept | {
        "HOME": str(home), "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", str(home / "cache")),
        "KB_DB": str(home / "runs.db"), "PYTHONPATH": str(ROOT), "KB_MODEL": "builtin", "LC_ALL": "C.UTF-8",
    }  # fmt: skip


@contextlib.contextmanager
def started(command: Sequence[str], home: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`kb COMMAND` as a server, and the address that it told."""
    process = subprocess.Popen(
        [sys.executable, "-m", "kb", *command], cwd=ROOT, env=environment(home), stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if "http://" in line:
                yield process, line[line.index("http://") :].split(";")[0].split("?")[0].strip()
                break
        else:
            raise RuntimeError(f"kb {' '.join(command)} did not start")
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stdout.close()


@contextlib.contextmanager
def web(home: Path) -> Iterator[Server]:
    """`kb serve` with one kept run."""
    done = subprocess.run(
        [sys.executable, "-m", "kb", "advise", str(SAMPLES / "add_custom"), "--format", "json"], cwd=ROOT,
        env=environment(home), capture_output=True, text=True, check=True,
    )  # fmt: skip
    run = json.loads(done.stdout)["run"]
    with started(("serve", "--port", "0"), home) as (process, address):
        parts = urlsplit(address)
        assert parts.port
        root = parts.path.rstrip("/")

        def ask(connection: http.client.HTTPConnection, at: int) -> tuple[str, Answer]:
            kinds = {
                "api": f"/api/search?q={quote(QUESTIONS[at % len(QUESTIONS)])}",
                "search": f"/search?q={quote(QUESTIONS[at % len(QUESTIONS)])}&lang={('en', 'zh', 'ja')[at % 3]}",
                "entry": f"/entries/{ENTRIES[at % len(ENTRIES)]}",
                "report": f"/runs/{run}",
                "runs": "/",
                "compare": f"/compare?before={run}&after={run}",
            }
            kind = ("api", "search", "api", "entry", "api", "report", "search", "runs", "api", "compare")[
                at % 10
            ]
            connection.request("GET", root + kinds[kind])
            found = connection.getresponse()
            text = found.read()
            return kind, (found.status, "" if found.status == 200 and len(text) > 100 else _told(found, text))

        yield Server("kb serve", process, parts.port, ask)


@contextlib.contextmanager
def agents(home: Path) -> Iterator[Server]:
    """`kb mcp --http` over the shipped samples."""
    command = ("mcp", "--root", str(SAMPLES), "--http", "0")
    with started(command, home) as (process, address):
        parts = urlsplit(address)
        assert parts.port

        def ask(connection: http.client.HTTPConnection, at: int) -> tuple[str, Answer]:
            given: dict[str, dict[str, object]] = {
                "search": {"query": QUESTIONS[at % len(QUESTIONS)], "k": 5},
                "show": {"id": ENTRIES[at % len(ENTRIES)]},
                "advise": {"path": "add_custom", "top": 3},
                "runs": {},
            }
            kind = ("search", "search", "show", "search", "advise", "search", "runs", "advise")[at % 8]
            call = {"name": kind, "arguments": given[kind]}
            body = json.dumps({"jsonrpc": "2.0", "id": at, "method": "tools/call", "params": call})
            headers = {
                "Content-Type": "application/json",
                "Accept": "application/json, text/event-stream",
            }
            connection.request("POST", parts.path, body.encode(), headers)
            found = connection.getresponse()
            text = found.read()
            return kind, (found.status, _tool_fault(text) if found.status == 200 else _told(found, text))

        yield Server("kb mcp", process, parts.port, ask)


def _told(found: http.client.HTTPResponse, text: bytes) -> str:
    again = found.headers.get("Retry-After")
    return f"{found.status}{f' (again in {again} s)' if again else ''}: {text[:80].decode(errors='replace')}"


def _tool_fault(text: bytes) -> str:
    answer = json.loads(text)
    if "error" in answer:
        return str(answer["error"])[:120]
    result = answer["result"]
    return str(result["content"][0]["text"]).partition("\n")[0][:120] if result.get("isError") else ""


def load(server: Server, seconds: float, clients: int = CLIENTS) -> Record:
    """Ask with so many clients for so long; a connection that breaks counts as a bad answer and is made anew."""
    record, lock = Record(), threading.Lock()
    end = time.monotonic() + seconds

    def client(first: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        at = first
        while time.monotonic() < end:
            before = time.monotonic()
            try:
                kind, (_, wrong) = server.ask(connection, at)
            except (OSError, http.client.HTTPException) as fault:
                kind, wrong = "connection", repr(fault)
                connection.close()
            took = time.monotonic() - before
            with lock:
                if wrong:
                    record.bad[wrong] += 1
                else:
                    record.took[kind].append(took)
            at += 1
        connection.close()

    begun = time.monotonic()
    threads = [threading.Thread(target=client, args=(at * 7,)) for at in range(clients)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        record.memory.append(server.memory_mib())
        time.sleep(min(1.0, seconds / 20))
    for thread in threads:
        thread.join()
    record.seconds = time.monotonic() - begun
    return record


def burst(server: Server, at_once: int = BURST) -> Counter[str]:
    """So many new clients ask one thing each at the same moment: how many got an answer, and what the others were told."""
    met: Counter[str] = Counter()
    lock, go = threading.Lock(), threading.Barrier(at_once)

    def client(at: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
        try:
            connection.connect()
            go.wait(60)
            _, (status, wrong) = server.ask(connection, at)
            told = wrong or str(status)
        except (OSError, http.client.HTTPException) as fault:
            told = repr(fault)
        finally:
            connection.close()
        with lock:
            met[told] += 1

    threads = [threading.Thread(target=client, args=(at,)) for at in range(at_once)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return met


def ended(server: Server, clients: int = CLIENTS) -> tuple[int, Counter[str]]:
    """Ask it to end while clients ask: its exit status, and how requests ended that it had taken.

    A request counts as taken when a byte of an answer came; a connection that was closed or refused instead is told
    as such, and whoever asks again reaches the next server.
    """
    met: Counter[str] = Counter()
    lock = threading.Lock()

    def client(at: int) -> None:
        told = ""
        while not told:
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
            try:
                _, (status, wrong) = server.ask(connection, at)
                with lock:
                    met[wrong or str(status)] += 1
            except http.client.IncompleteRead as fault:
                told = f"cut off: {fault!r}"
            except (OSError, http.client.HTTPException):
                told = "not taken"
            finally:
                connection.close()
            at += 1
        with lock:
            met[told] += 1

    threads = [threading.Thread(target=client, args=(at,)) for at in range(clients)]
    for thread in threads:
        thread.start()
    time.sleep(0.5)
    server.process.send_signal(signal.SIGTERM)
    status = server.process.wait(60)
    for thread in threads:
        thread.join()
    return status, met


def _print(server: Server, record: Record) -> None:
    print(
        f"{server.name}: {record.answers} answers in {record.seconds:.0f} s ({record.answers / record.seconds:.0f} a second), "
        f"{record.bad.total()} bad"
    )
    for told, count in record.bad.most_common(5):
        print(f"  {count} x {told}")
    for kind, took in sorted(record.took.items()):
        cuts = statistics.quantiles(took, n=100) if len(took) > 1 else took * 99
        p50, p95, p99 = (1e3 * cuts[at] for at in (49, 94, 98))
        print(f"  {kind:8} {len(took):7}  p50 {p50:6.0f} ms  p95 {p95:6.0f} ms  p99 {p99:6.0f} ms")
    memory = record.memory
    print(
        f"  memory {memory[0]:.0f} MiB at first, {memory[len(memory) // 2]:.0f} half way, {memory[-1]:.0f} at the end; "
        f"last fifth over middle fifth: {record.growth:.3f}",
        flush=True,
    )


def main() -> int:
    """Load both servers, one after the other; 1 where an answer was bad or a server did not end as asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0, help="for each server")
    parser.add_argument("--clients", type=int, default=CLIENTS)
    given = parser.parse_args()
    print(f"{given.clients} clients, {os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f} at first")
    good = True
    with tempfile.TemporaryDirectory() as place:
        for start in (web, agents):
            home = Path(place) / start.__name__
            home.mkdir()
            with start(home) as server:
                load(server, 2.0, 1)  # the index, modules, caches
                record = load(server, given.seconds, given.clients)
                _print(server, record)
                print(f"  burst of {BURST}: {dict(burst(server))}")
                status, met = ended(server, given.clients)
                print(f"  asked to end: exit status {status}, {dict(met)}", flush=True)
                cut = any(told.startswith("cut off") for told in met)
                good &= not record.bad and status == 128 + signal.SIGTERM and not cut
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
