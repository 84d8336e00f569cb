"""Options that say who reads the ranks of a job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from kb.engine.job.spread import Spread

PANEL = "A job of many ranks"

Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        min=0,
        metavar="N",
        rich_help_panel=PANEL,
        show_default=False,
        help="Worker processes that read ranks; 0 reads here (default: one a core for a large job). Needs the extra cluster.",
    ),
]
Scheduler = Annotated[
    str,
    typer.Option(
        "--scheduler",
        metavar="ADDRESS",
        rich_help_panel=PANEL,
        show_default=False,
        help="Dask scheduler whose workers read the ranks, such as tcp://host:8786; they must see the same folder.",
    ),
]
WorkerMemory = Annotated[
    int | None,
    typer.Option(
        "--worker-memory",
        metavar="MIB",
        rich_help_panel=PANEL,
        show_default=False,
        help="MiB that a worker process may take before it is ended (default: 1024).",
    ),
]
RankTimeout = Annotated[
    float | None,
    typer.Option(
        "--rank-timeout",
        metavar="SECONDS",
        rich_help_panel=PANEL,
        show_default=False,
        help="Time a worker may take for one rank before that rank is given up (default: 1800).",
    ),
]


def spread(workers: int | None, scheduler: str, memory: int | None, timeout: float | None) -> Spread:
    """What the options ask for.

    Raises:
        UsageError: a value makes no sense.
    """
    from kb.engine.job.spread import MIB, Spread

    plain = Spread()
    return Spread(
        workers,
        scheduler or None,
        plain.memory if memory is None else memory * MIB,
        plain.timeout if timeout is None else timeout,
    )
