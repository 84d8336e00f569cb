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

from kb.harmless import harmless

# Words that begin a command to be copied.
_COMMANDS = frozenset(
    ("chmod", "kb", "make", "msopprof", "msprof", "npu-smi", "pip", "pipx", "python", "python3", "source")
)


class KbError(Exception):
    """Base of all errors that `kb` raises on purpose.

    All three may quote what came from outside: what a terminal would obey is taken out, and each is bounded.

    Args:
        what: the fault, one sentence without a final full stop.
        where: file with line and column, option or id; empty when there is no place.
        now: what the user can do about it; one that is a sentence begins with a capital and ends with a full stop,
            however it was written (`sentence`).
    """

    exit_status = 1

    def __init__(self, what: str, *, where: str = "", now: str = "") -> None:
        self.what, self.where, self.now = harmless(what), harmless(where), sentence(harmless(now))
        super().__init__(self.what)

    def __str__(self) -> str:
        head = f"{self.where}: {self.what}" if self.where else self.what
        return f"{head}\n  {self.now}" if self.now else head


def sentence(now: str) -> str:
    """What to do as every message says it: `Check the path.`, not `check the path`.

    What is to be copied stays as it is: text that begins with a command, and the end of one that names a path, an option
    or what follows a colon.
    """
    first, last = now.partition(" ")[0].rstrip(","), now.rpartition(" ")[2]
    if not now or first in _COMMANDS or not first[0].isalnum():
        return now
    if first.isascii() and first.isalpha() and first.islower():
        now = now[0].upper() + now[1:]
    whole = (last[-1:].isalnum() or last[-1:] in ")`\"'") and last.isascii() and not last.startswith("-")
    listed = ": " in now or "\n" in now or "/" in last or "=" in last
    return f"{now}." if whole and not listed else now


def parameter(where: str) -> str:
    """An option as programs name it: `soc` for `--soc`, `input_shape` for `--input-shape`; other places as they are."""
    return where.lstrip("-").replace("-", "_") if where.startswith("-") else where


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
