"""`kb advise`: from a profile that exists to ranked advice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from kb.commands import _options, _spread
from kb.commands._console import Common
from kb.commands._files import existing_path
from kb.commands._kept import kept
from kb.commands._progress import working
from kb.commands._reports import FORMATS, file_format, give_reports, request_for, stated_soc
from kb.errors import UsageError
from kb.textfile import STDIN

__all__ = ["FORMATS", "ORDER", "PANEL", "run"]

PANEL, ORDER = "Main job", 2


def run(
    common: Common,
    *,
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATH...",
            show_default=False,
            help="A profile: a folder, CSV, SQLite or .bin file, or an archive of these. Several paths are one run.",
        ),
    ] = None,
    metrics: Annotated[
        Path | None,
        typer.Option(
            "--metrics",
            metavar="FILE.json",
            show_default=False,
            help="Counters typed by hand or by a tool, one object or a list, instead of a profile; - is standard input.",
        ),
    ] = None,
    soc: Annotated[str, _options.soc(help="Chip it ran on, such as Ascend910B2.")] = "",
    shape: _options.Shape = "",
    audience: _options.For = None,
    top: _options.Top = None,
    output: _options.ReportFile = None,
    workers: _spread.Workers = None,
    scheduler: _spread.Scheduler = "",
    worker_memory: _spread.WorkerMemory = None,
    rank_timeout: _spread.RankTimeout = None,
) -> int:
    """Say what bounds a profile, and what to change first.

    Reads what msopprof, msprof or the PyTorch profiler wrote. The answer names what bounds the run, how much
    time is at stake, and ranked changes with expected gain, evidence, sources and how to check them. The run
    is kept, so that `kb report` can show it again in another format. A job folder of many ranks is read rank by
    rank, by worker processes where there are any, and the ranks are held against one another.

    Exit status: 0 judged, 3 the input cannot be read, 5 it lacks the counters that a judgement needs.

    Examples:
      kb advise ./OPPROF_20260101120000_ABCDEF
      kb advise op_summary.csv --soc Ascend310P3 --top 3
      kb advise rank0/ rank1/ rank2/ -o report.html
      kb advise ./job_of_256_ranks --workers 8
      kb advise --metrics counters.json --format jsonl
      my_tool | kb advise --metrics - --format json
    """
    given = [existing_path(path) for path in paths or []]
    if metrics is not None and given:
        raise UsageError("both a profile and --metrics", now="Give one of the two.")
    if metrics is None and not given:
        raise UsageError(
            "no profile", now="Give a path, or counters with --metrics FILE.json; see `kb advise --help`."
        )
    if output is not None and output != STDIN:
        file_format(common, output)  # a name that no format goes with is said before the work, not after
    from kb.engine import pipeline

    read_by = _spread.spread(workers, scheduler, worker_memory, rank_timeout)
    request = request_for(common, soc=stated_soc(soc), shape=shape, audience=audience, top=top)
    request = replace(request, spread=read_by)
    counters: Any = metrics
    if metrics == STDIN:
        from kb.engine.readers.metrics_json import load

        counters = load(STDIN)
    with working(common, f"reading {metrics or ', '.join(map(str, given))}") as progress:
        full = request.in_full()
        if metrics is not None:
            reports = pipeline.advise_metrics(counters, full)
        else:
            looking = progress.looking if progress else None
            reports = [pipeline.advise(given, full, progress=progress, looking=looking)]
    shown = [pipeline.narrow(kept(common, report), request) for report in reports]
    many = _is_list(counters) if isinstance(counters, Path) else isinstance(counters, list)
    give_reports(common, shown, output, many=many)
    return 0


def _is_list(path: Path) -> bool:
    """Whether a JSON file holds a list, so that a list of one is answered by a list of one."""
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        return file.read(4096).lstrip().startswith("[")
