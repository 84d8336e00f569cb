"""A job of many ranks, read by one worker process and by two: whole commands, wall time and peak memory of each process."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tools.samples import trace

ROOT = Path(__file__).resolve().parent.parent
INFO = '{"config": {"common_config": {}, "experimental_config": {}}, "rank_id": %d}'
POLL_S = 0.2


@dataclass
class Run:
    """One command: seconds of the clock, CPU of all its processes, peaks in MiB, and what it printed."""

    wall_s: float
    cpu_s: float
    peak_mib: float
    output: bytes
    workers_mib: dict[int, float] = field(default_factory=dict)


def write(place: Path, ranks: int, rows: int) -> int:
    """A job folder; all ranks have the same table (one file, linked), which costs reading nothing. Bytes of the job."""
    table = place.parent / "kernel_details.csv"
    trace.write(table, rows)
    for rank in range(ranks):
        folder = place / f"host_{rank}_ascend_pt" / "ASCEND_PROFILER_OUTPUT"
        folder.mkdir(parents=True)
        (folder.parent / f"profiler_info_{rank}.json").write_text(INFO % rank)
        os.link(table, folder / "kernel_details.csv")
    return ranks * table.stat().st_size


def run(command: Sequence[str], environment: dict[str, str]) -> Run:
    """One command with its workers watched; its CPU contains theirs, which it waits for.

    Raises:
        SystemExit: it failed.
    """
    import psutil

    with tempfile.TemporaryFile() as output:
        begin = time.perf_counter()
        process = subprocess.Popen(
            command, stdout=output, stderr=subprocess.DEVNULL, cwd=ROOT, env=environment
        )
        watched = psutil.Process(process.pid)
        peaks: dict[int, float] = {}
        while True:
            done, status, usage = os.wait4(process.pid, os.WNOHANG)
            if done:
                break
            for child in watched.children(recursive=True):
                peaks[child.pid] = max(peaks.get(child.pid, 0.0), _peak(child.pid))
            time.sleep(POLL_S)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{' '.join(command)}: exit status {process.returncode}")
        output.seek(0)
        took = time.perf_counter() - begin
        return Run(took, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output.read(), peaks)


def _peak(process: int) -> float:
    """Peak memory of a running process in MiB, as the kernel counted it; 0 when it is gone."""
    try:
        text = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0.0
    line = next((line for line in text.splitlines() if line.startswith("VmHWM:")), "VmHWM: 0 kB")
    return int(line.split()[1]) / 1024


def compare(kb: Sequence[str], ranks: int, rows: int, pairs: int) -> None:
    """Print speed-up and peaks; every run must print the same bytes."""
    try:
        import distributed  # noqa: F401
    except ImportError:
        print("job: not measured, needs the extra `cluster` (pip install -e '.[cluster]')")
        return
    with tempfile.TemporaryDirectory() as folder:
        job = Path(folder) / "job"
        size = write(job, ranks, rows)
        environment = {**os.environ, "KB_DB": str(Path(folder) / "runs.db"), "PYTHONPATH": str(ROOT)}
        command = (*kb, "advise", str(job), "--format", "json", "--workers")
        print(
            f"job: kb advise of {ranks} ranks x {rows} rows ({size / 1e6:.0f} MB), wall time of the whole command"
        )
        here = run((*command, "0"), environment)
        print(
            f"  in one process: {here.wall_s:.1f} s, {here.cpu_s:.1f} s CPU, peak {here.peak_mib:.0f} MiB",
            flush=True,
        )
        found = [(run((*command, "1"), environment), run((*command, "2"), environment)) for _ in range(pairs)]
    same = all(item.output == here.output for pair in found for item in pair)
    print(f"  the report: {'the same bytes in every run' if same else 'NOT THE SAME'}")
    ratios = [one.wall_s / two.wall_s for one, two in found]
    walls = [statistics.median(item.wall_s for item in side) for side in zip(*found, strict=True)]
    print(
        f"  1 worker / 2 workers: {statistics.median(ratios):.2f} times ({min(ratios):.2f} to {max(ratios):.2f}, {pairs} pairs)"
    )
    print(
        f"  medians {walls[0]:.1f} s / {walls[1]:.1f} s; Python {sys.version.split()[0]}, {os.cpu_count()} cores"
    )
    workers = [peak for pair in found for item in pair for peak in item.workers_mib.values()]
    merging = max(item.peak_mib for pair in found for item in pair)
    print(
        f"  peak memory: worker {max(workers):.0f} MiB, largest process of the command {merging:.0f} MiB",
        flush=True,
    )
    if not same:
        raise SystemExit(1)
