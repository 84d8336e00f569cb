"""A sign of life on stderr for work that takes longer than a second."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from kb.commands._console import Common, remark
from kb.report.text import clean
from kb.units import nbytes

if TYPE_CHECKING:
    from kb.engine.collect import Event

PATIENCE = 1.0  # seconds before anything is shown


@contextmanager
def working(given: Common, what: str) -> Iterator[Callable[[int, float], None] | None]:
    """Show `what` with a spinner while the block runs, on a terminal only, after a second, never with -q.

    What is yielded takes rows done and the part of the work that they are (0 to 1), to be shown with the time left;
    None where nobody watches.
    """
    remark(given, what)
    if given.quiet or given.verbose or not sys.stderr.isatty():
        yield None
        return
    shown: list[Any] = []
    began = time.monotonic()

    def start() -> None:
        from rich.console import Console
        from rich.text import Text

        status = Console(stderr=True).status(Text(clean(what)))
        shown.append(status)
        status.start()

    def update(rows: int, part: float) -> None:
        from rich.text import Text

        for status in shown:
            status.update(Text(f"{clean(what)}: {so_far(rows, part, time.monotonic() - began)}"))

    timer = threading.Timer(PATIENCE, start)
    timer.daemon = True
    timer.start()
    try:
        yield update
    finally:
        timer.cancel()
        timer.join()
        for status in shown:
            status.stop()


@contextmanager
def counted(given: Common, what: str) -> Iterator[Callable[[int, float], None] | None]:
    """As `working`, for work that also runs where stderr is no terminal: there a line a tenth; None with -q."""
    if given.quiet or sys.stderr.isatty():
        with working(given, what) as update:
            yield update
        return
    told = 0

    def line(rows: int, part: float) -> None:
        nonlocal told
        if int(part * 10) > told:
            told = int(part * 10)
            print(f"kb: {clean(what)}: {rows}, {part:.0%}", file=sys.stderr, flush=True)

    yield line


def so_far(rows: int, part: float, elapsed_s: float) -> str:
    """Rows, percent and the seconds left if the rest goes as fast."""
    left = f", about {elapsed_s * (1 - part) / part:.0f} s left" if part > 0 else ""
    return f"{rows:,} rows".replace(",", " ") + f", {part:.0%}{left}"


@contextmanager
def counting(given: Common) -> Iterator[Callable[[Event], None] | None]:
    """The progress of a collection as one line that is written over; None where nobody watches."""
    if given.quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text("starting the profiler")) as status:

        def show(event: Event) -> None:
            parts = [f"{event.elapsed_s:.0f} s", f"{event.launches} of {event.asked} launches"]
            parts += [clean(event.kernel, limit=40)] if event.kernel else []
            parts += [nbytes(event.disk_bytes)] if event.disk_bytes else []
            parts += ["stopping"] if event.stopping else []
            status.update(Text("profiling: " + ", ".join(parts)))

        yield show
