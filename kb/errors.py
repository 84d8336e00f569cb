"""Everything `kb` raises on purpose.

KbError                 exit status
├── UsageError          2   the command or its options; an unknown id
├── SourceError         3   a file or folder of the user's could not be read
├── CollectError        4   the profiler run gave nothing usable
├── NothingToJudge      5   readable, but the counters needed are not there
└── KnowledgeError      1   an entry of the knowledge base is at fault

Each says what is wrong, where (file, line, column) and what to do now. `kb.cli` is the only place that prints
them and turns them into an exit status.
"""

from __future__ import annotations


class KbError(Exception):
    """Base of all errors that `kb` raises on purpose.

    Args:
        what: the fault, one sentence without a final full stop.
        where: file with line and column, option or id; empty when there is no place.
        now: what the user can do about it.
    """

    exit_status = 1

    def __init__(self, what: str, *, where: str = "", now: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.now = now

    def __str__(self) -> str:
        head = f"{self.where}: {self.what}" if self.where else self.what
        return f"{head}\n  {self.now}" if self.now else head


class UsageError(KbError):
    """The command line, an option value or an id that does not exist."""

    exit_status = 2


class SourceError(KbError):
    """A file or folder that was given could not be read."""

    exit_status = 3


class CollectError(KbError):
    """Running the profiler gave nothing usable."""

    exit_status = 4


class NothingToJudge(KbError):
    """The input is readable but holds none of the counters that a judgement needs."""

    exit_status = 5


class OutputError(Exception):
    """The answer could not be written to stdout (a full disk); no fault of input, command or knowledge."""


class PipeClosed(OutputError):
    """The reader of stdout went away, as `head` does when it has enough."""


class KnowledgeError(KbError):
    """An entry, a target or another file of the knowledge base is at fault."""

    exit_status = 1
