"""Speed as ratios against named baselines, in one run: `python tools/bench.py [NAME ...]`.

CPU seconds of whole processes (user and system, children included), so that a busy machine changes little. A ratio is
the median over interleaved pairs; the pairs stand beside it.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KB = (sys.executable, "-c", "import sys; from kb.cli import main; sys.exit(main())")


def cpu_seconds(command: Sequence[str]) -> float:
    """CPU time of one process from start to end.

    Raises:
        SystemExit: the command failed, which would make its time worthless.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, check=False, cwd=ROOT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise SystemExit(
            f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr.decode(errors='replace')}"
        )
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def interleaved(measured: Sequence[str], baseline: Sequence[str], pairs: int) -> list[tuple[float, float]]:
    """CPU seconds of both commands, turn by turn, after one run of each that only warms the file cache."""
    for command in (measured, baseline):
        cpu_seconds(command)
    return [(cpu_seconds(measured), cpu_seconds(baseline)) for _ in range(pairs)]


def cold_search(pairs: int = 9) -> None:
    """A whole `kb search` against `import typer`, the smallest command line one could have."""
    found = interleaved((*KB, "search", "NMS CPU fallback"), (sys.executable, "-c", "import typer"), pairs)
    ratios = [ours / base for ours, base in found]
    print('cold-search: kb search "NMS CPU fallback" / python -c "import typer", CPU of the whole process')
    print(
        f"  ratio {statistics.median(ratios):.2f} (median of {pairs} pairs; {min(ratios):.2f} to {max(ratios):.2f})"
    )
    ours, base = (statistics.median(times) * 1000 for times in zip(*found, strict=True))
    print(f"  medians {ours:.0f} ms / {base:.0f} ms; Python {sys.version.split()[0]}, {os.cpu_count()} cores")


BENCHMARKS = {"cold-search": cold_search}


def main(names: Sequence[str]) -> int:
    unknown = sorted(set(names) - set(BENCHMARKS))
    if unknown:
        print(f"no benchmark {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as place:
        os.environ.setdefault("KB_DB", str(Path(place) / "runs.db"))
        for name in names or BENCHMARKS:
            BENCHMARKS[name]()
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
