"""A sign of life on stderr for work that takes longer than a second."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

from kb.commands._console import Common, in_words, remark, say
from kb.report.catalogue import say as told
from kb.report.text import clean, shorten
from kb.units import nbytes

if TYPE_CHECKING:
    from kb.engine.collect import Event, Stopping

PATIENCE = 1.0  # seconds before anything is shown
REFRESH = 0.1  # seconds between two counts of files
_WHY = {
    "timeout": "collect.why.timeout",
    "interrupted": "collect.why.interrupted",
    "aborted": "collect.why.aborted",
}


class Standing:
    """How far the work is, shown beside what it is: rows done and the part that they are (0 to 1), or files."""

    def __init__(self, what: str, lang: str) -> None:
        self._what = what
        self._lang = lang
        self._began = time.monotonic()
        self._told = 0.0
        self._status: Any = None

    def __call__(self, rows: int, part: float) -> None:
        """So many rows are done, which is that part, with the time left."""
        self._show(so_far(rows, part, time.monotonic() - self._began, self._lang))

    def looking(self, how: Literal["found", "opened"], files: int) -> None:
        """So many files were found or opened; there are too many calls to show each."""
        if time.monotonic() - self._told >= REFRESH:
            self._told = time.monotonic()
            self._show(told(f"progress.{how}", self._lang, files=grouped(files)))

    def begin(self) -> None:
        """Show it from now on."""
        from rich.console import Console
        from rich.text import Text

        status = Console(stderr=True).status(Text(clean(self._what)))
        self._status = status
        status.start()

    def end(self) -> None:
        """Take it away again."""
        if self._status is not None:
            self._status.stop()

    def _show(self, text: str) -> None:
        from rich.text import Text

        if self._status is not None:
            self._status.update(Text(f"{clean(self._what)}: {text}"))


@contextmanager
def working(given: Common, what: str) -> Iterator[Standing | None]:
    """Show `what` with a spinner while the block runs, on a terminal only, after a second, never with -q.

    What is yielded takes how far the work is; None where nobody watches.
    """
    remark(given, what)
    if given.quiet or given.verbose or not sys.stderr.isatty():
        yield None
        return
    standing = Standing(in_words(given, what), given.lang)
    timer = threading.Timer(PATIENCE, standing.begin)
    timer.daemon = True
    timer.start()
    try:
        yield standing
    finally:
        timer.cancel()
        timer.join()
        standing.end()


@contextmanager
def counted(given: Common, what: str) -> Iterator[Callable[[int, float], None] | None]:
    """As `working`, for work that also runs where stderr is no terminal: there a line a tenth; None with -q."""
    if given.quiet or sys.stderr.isatty():
        with working(given, what) as update:
            yield update
        return
    done = 0
    what = in_words(given, what)

    def line(rows: int, part: float) -> None:
        nonlocal done
        if int(part * 10) > done:
            done = int(part * 10)
            print(f"kb: {clean(what)}: {rows}, {part:.0%}", file=sys.stderr, flush=True)

    yield line


def so_far(rows: int, part: float, elapsed_s: float, lang: str = "en") -> str:
    """Rows, percent and the seconds left if the rest goes as fast."""
    text = f"{told('progress.rows', lang, rows=grouped(rows))}, {part:.0%}"
    if part <= 0:
        return text
    return f"{text}, {told('progress.left', lang, seconds=f'{elapsed_s * (1 - part) / part:.0f}')}"


def grouped(count: int) -> str:
    """A count with its digits in threes."""
    return f"{count:,}".replace(",", " ")


@contextmanager
def counting(given: Common) -> Iterator[Callable[[Event], None] | None]:
    """A collection as it runs, on a terminal: how it stands and its last line, written over. In a pipe only
    that it was asked to stop and what is waited for; nothing with -q.
    """
    if given.quiet:
        yield None
        return
    if not sys.stderr.isatty():
        yield _Turns(given)
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True)
    with console.status(Text(told("collect.starting", given.lang))) as status:

        def show(event: Event) -> None:
            width = max(20, console.width - 3)  # the spinner stands before it
            lines = (standing(event, given.lang), clean(event.line))
            status.update(Text("\n".join(shorten(line, width) for line in lines if line)))

        yield show


def standing(event: Event, lang: str) -> str:
    """How a collection stands, in one line."""
    parts = [
        told("collect.elapsed", lang, seconds=f"{event.elapsed_s:.0f}"),
        told("collect.launches", lang, done=event.launches, asked=event.asked),
    ]
    parts += [clean(event.kernel, limit=40)] if event.kernel else []
    parts += [nbytes(event.disk_bytes)] if event.disk_bytes else []
    if event.stopping is None:
        return ", ".join(parts)
    return f"{waiting(event.stopping, lang)} ({', '.join(parts)})"


def waiting(stopping: Stopping, lang: str) -> str:
    """Why a collection is being stopped, and what is waited for."""
    why = told(_WHY[stopping.cause], lang)
    if stopping.left_s is None:
        return f"{why}; {told('collect.wait.killed', lang)}"
    parses = stopping.sent == signal.SIGINT and stopping.cause != "aborted"
    step = "collect.wait.parsing" if parses else "collect.wait.ending"
    return f"{why}; {told(step, lang, seconds=f'{stopping.left_s:.0f}')}"


class _Turns:
    """Says each turn of a stopping run once."""

    def __init__(self, given: Common) -> None:
        self._given = given
        self._said: set[tuple[str, int]] = set()

    def __call__(self, event: Event) -> None:
        """Take the next event."""
        if event.stopping and (turn := (event.stopping.cause, event.stopping.sent)) not in self._said:
            self._said.add(turn)
            say(self._given, waiting(event.stopping, self._given.lang))
