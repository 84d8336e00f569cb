"""A sign of life on stderr for work that takes longer than a second."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kb.commands._common import Common, remark
from kb.report.text import clean

PATIENCE = 1.0  # seconds before anything is shown


@contextmanager
def working(given: Common, what: str) -> Iterator[None]:
    """Show `what` with a spinner while the block runs, on a terminal only, after a second, never with -q."""
    remark(given, what)
    if given.quiet or given.verbose or not sys.stderr.isatty():
        yield
        return
    shown: list[Any] = []

    def start() -> None:
        from rich.console import Console
        from rich.text import Text

        status = Console(stderr=True).status(Text(clean(what)))
        shown.append(status)
        status.start()

    timer = threading.Timer(PATIENCE, start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        for status in shown:
            status.stop()
