"""Speed as ratios against named baselines, in one run: `python tools/bench.py [NAME ...]`.

CPU seconds of whole processes (user and system, children included), so that a busy machine changes little. A ratio is
the median over interleaved pairs; the pairs stand beside it.
"""

from __future__ import annotations

import compileall
import http.client
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools import bench_job, bench_team_search  # noqa: E402 - run as a script, the folder above is not on the path
from tools.samples import trace  # noqa: E402 - run as a script, the folder above is not on the path

KB = (sys.executable, "-c", "import sys; from kb.__main__ import main; sys.exit(main())")


PASS = "import csv, sys; n = 0; f = open(sys.argv[1], newline='')\nfor r in csv.reader(f): n += len(r)"


WARM_UP = 5  # questions that are not counted


@dataclass(frozen=True)
class Cost:
    """What one process took from start to end."""

    cpu_s: float
    peak_mib: float


def cost(command: Sequence[str]) -> Cost:
    """CPU time and peak memory of one process.

    Raises:
        SystemExit: the command failed, which would make its time worthless.
    """
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors, cwd=ROOT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            errors.seek(0)
            text = errors.read().decode(errors="replace")
            raise SystemExit(f"{' '.join(command)}: exit status {process.returncode}\n{text}")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def interleaved(measured: Sequence[str], baseline: Sequence[str], pairs: int) -> list[tuple[Cost, Cost]]:
    """Costs of both commands, turn by turn, after one run of each that only warms the file cache."""
    for command in (measured, baseline):
        cost(command)
    return [(cost(measured), cost(baseline)) for _ in range(pairs)]


def print_ratio(found: Sequence[tuple[Cost, Cost]]) -> None:
    """The median ratio with its range, and the median seconds that it comes from."""
    ratios = [ours.cpu_s / base.cpu_s for ours, base in found]
    middle, low, high = statistics.median(ratios), min(ratios), max(ratios)
    print(f"  ratio {middle:.2f} (median of {len(found)} pairs; {low:.2f} to {high:.2f})")
    ours, base = (statistics.median(item.cpu_s for item in side) for side in zip(*found, strict=True))
    python = f"Python {sys.version.split()[0]}, {os.cpu_count()} cores"
    print(f"  medians {ours:.3f} s / {base:.3f} s CPU; {python}", flush=True)


def cold_search(pairs: int = 9) -> None:
    """A whole `kb search` against `import typer`, the smallest command line one could have."""
    found = interleaved((*KB, "search", "NMS CPU fallback"), (sys.executable, "-c", "import typer"), pairs)
    print('cold-search: kb search "NMS CPU fallback" / python -c "import typer", CPU of the whole process')
    print_ratio(found)


_ONE = """import sys
from pathlib import Path
from kb.knowledge import embed, search, store
use = store.opened(Path(sys.argv[1]), embed.Embedder(embed.shipped_model()))
print(search.search("NMS CPU fallback", use=use).results[0].id)"""

_MANY = """import sys, time
if sys.argv[2] == "without":
    sys.modules["numpy"] = None
from pathlib import Path
from kb.knowledge import embed, evaluate, search, store
use = store.opened(Path(sys.argv[1]), embed.Embedder(embed.shipped_model()))
asked = [q.text for q in evaluate.benchmark(Path("tests/benchmarks/retrieval"))]
took = []
for n, text in enumerate([*asked[:5], *asked]):
    before = time.process_time()
    search.search(text, use=use)
    if n >= 5:
        took.append(time.process_time() - before)
took.sort()
middle, high = took[len(took) // 2], took[len(took) * 95 // 100]
print(f"  warm, {sys.argv[2]} numpy: {middle * 1e3:.1f} ms CPU, p95 {high * 1e3:.1f} ms, {len(took)} queries")"""


def large_search(count: int, pairs: int = 9) -> None:
    """An index of that many made entries: building it, building it again, one cold search, warm searches."""
    from kb import shipped
    from kb.knowledge import embed, index
    from kb.knowledge.entry import load_entries
    from tools.samples import entries

    print(f"search in {count} made entries")
    known = load_entries([shipped.root()])
    model = embed.Embedder(embed.shipped_model())
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "index.db"
        for what, old in (("built", None), ("built again, nothing changed", path)):
            before = time.process_time()
            embedded = index.build(entries.many(known, count), path, model, old=old)
            took = time.process_time() - before
            print(
                f"  {what}: {took:.1f} s CPU, {embedded} texts embedded, {path.stat().st_size / 1e6:.0f} MB",
                flush=True,
            )
        found = interleaved(
            (sys.executable, "-c", _ONE, str(path)), (sys.executable, "-c", "import typer"), pairs
        )
        print('  cold: one search / python -c "import typer", CPU of the whole process')
        print_ratio(found)
        for way in ("without", "with"):
            subprocess.run([sys.executable, "-c", _MANY, str(path), way], cwd=ROOT, check=True)


def served_search(count: int) -> None:
    """`kb serve` over that many made entries, one question after another, against the same search without a server."""
    from kb import shipped
    from kb.knowledge import embed, evaluate, freshness, index, search, store
    from kb.knowledge.entry import load_entries
    from tools.samples import entries

    asked = [query.text for query in evaluate.benchmark(ROOT / "tests/benchmarks/retrieval")]
    print(f"kb serve, {count} made entries, {len(asked)} questions")
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "index.db"
        model = embed.Embedder(embed.shipped_model())
        made = entries.many(load_entries([shipped.root()]), count)
        index.build(made, path, model, fingerprint=freshness.mark(shipped.root()))
        use = store.opened(path, model)
        plain = []
        for text in [*asked[:WARM_UP], *asked]:
            before = time.process_time()
            search.search(text, use=use)
            plain.append(time.process_time() - before)
        _print_times("CPU without a server", plain[WARM_UP:])
        server = subprocess.Popen(
            (*KB, "serve", "--port", "0", "-q", "--db", str(Path(place) / "runs.db")),
            cwd=ROOT, env=os.environ | {"KB_INDEX": str(path)}, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            assert server.stdout is not None
            address = urlsplit(server.stdout.readline())
            for what, where in (("document", "api/search"), ("page", "search")):
                spent, waited = _answers(server.pid, address.port or 0, f"{address.path}{where}", asked)
                _print_times(f"CPU of the server, answer as a {what}", spent)
                _print_times("  from question to last byte", waited)
        finally:
            server.terminate()
            server.wait()


def _print_times(what: str, seconds: Sequence[float]) -> None:
    ordered = sorted(seconds)
    middle, high = ordered[len(ordered) // 2], ordered[len(ordered) * 95 // 100]
    print(f"  {what}: {middle * 1e3:.1f} ms, p95 {high * 1e3:.1f} ms", flush=True)


def _answers(server: int, port: int, path: str, asked: Sequence[str]) -> tuple[list[float], list[float]]:
    """CPU seconds of the server and seconds until the last byte, of each question."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    spent, waited = [], []
    for text in [*asked[:WARM_UP], *asked]:
        cpu, before = _cpu_of(server), time.perf_counter()
        connection.request("GET", f"{path}?q={quote(text)}")
        answer = connection.getresponse()
        answer.read()
        waited.append(time.perf_counter() - before)
        spent.append(_cpu_of(server) - cpu)
        if answer.status != 200:
            raise SystemExit(f"kb serve answered {answer.status} to {text!r}")
    connection.close()
    return spent[WARM_UP:], waited[WARM_UP:]


def _cpu_of(process: int) -> float:
    """CPU seconds of all threads of another process, to the nanosecond (Linux)."""
    threads = Path(f"/proc/{process}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9


def advise_table(rows: int, lengths: int = 8, pairs: int = 3) -> None:
    """A whole `kb advise` of a kernel table against one pass of the csv module over the same file."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "kernel_details.csv"
        trace.write(path, rows, lengths=lengths)
        size = path.stat().st_size
        found = interleaved((*KB, "advise", str(path)), (sys.executable, "-c", PASS, str(path)), pairs)
    what = f"{rows} rows, {size / 1e6:.0f} MB, {lengths} sequence lengths"
    print(f"kb advise kernel_details.csv ({what}) / a pass of csv.reader, CPU of the whole process")
    print_ratio(found)
    print(f"  peak memory {max(ours.peak_mib for ours, _ in found):.0f} MiB", flush=True)


def team_vectors(count: int) -> None:
    """The nearest vectors alone: HNSW of pgvector by how it is built and asked, beside the bit codes of an index file."""
    try:
        from tools import bench_team
    except ImportError as fault:
        print(f"team-vectors: not measured, needs the extra `test` and numpy ({fault})")
        return
    bench_team.measure(count)


BENCHMARKS = {
    "cold-search": cold_search,
    "search-shipped": lambda: large_search(520),
    "search-20k": lambda: large_search(20_000),
    "search-100k": lambda: large_search(100_000),
    "serve-100k": lambda: served_search(100_000),
    "advise-100k": lambda: advise_table(100_000),
    "advise-1m": lambda: advise_table(1_000_000),
    "advise-shapes": lambda: advise_table(300_000, lengths=1024),
    "job": lambda: bench_job.compare(KB, ranks=64, rows=100_000, pairs=2),
    "job-small": lambda: bench_job.compare(KB, ranks=16, rows=100_000, pairs=1),
    "team": lambda: bench_team_search.compare(KB, 100_000),
    "team-vectors": lambda: team_vectors(100_000),
}


def main(names: Sequence[str]) -> int:
    unknown = sorted(set(names) - set(BENCHMARKS))
    if unknown:
        print(f"no benchmark {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}", file=sys.stderr)
        return 2
    compileall.compile_dir(ROOT / "kb", quiet=1)  # as an installed package is; a fresh clone is not
    with tempfile.TemporaryDirectory() as place:
        os.environ.setdefault("KB_DB", str(Path(place) / "runs.db"))
        for name in names or BENCHMARKS:
            BENCHMARKS[name]()
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
