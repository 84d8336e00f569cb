"""Reading what msopprof prints: three forms of lines over the releases, mixed with the program's own
output.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Literal

from kb.engine.collect.log_texts import BY_WEIGHT, TEXTS, Kind, Text, recognise

Form = Literal["dated", "plain", "debug"]
LONGEST_LINE = 1000  # characters; msopprof cuts there itself
_MOST_LINES = 500
_MOST_NAMES = 200
_MOST_ADVICE = 200

_LEVEL = r"\[(?P<level>DEBUG|INFO|WARN|WARNING|ERROR)\]"
_FORMS: tuple[tuple[Form, re.Pattern[str]], ...] = (
    ("dated", re.compile(r"(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) " + _LEVEL + r"\s*(?P<text>.*)")),
    (
        "debug",
        re.compile(_LEVEL + r" \[(?P<time>\d{4}-[^\]]*)\] \[Thread-[^\]]*\] \[[^\]]*:\d+\]\s*(?P<text>.*)"),
    ),
    ("plain", re.compile(_LEVEL + r"\s+(?P<text>.*)")),
)
# A fast look over a block of bytes: without one of these it holds no line of the tool.
MARK = re.compile(rb"\[(?:DEBUG|INFO|WARN|WARNING|ERROR)\]")
_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])|[\x00-\x08\x0b-\x1f\x7f-\x9f]"
    r"|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"  # marks that turn the direction of text
)
_REPORT = re.compile(r"(?:Performance|Occupancy|RoofLine) Summary Report:")
_OP_NAME = re.compile(r"Op Name:\s*(?P<name>[^\s,]{1,512})")
_NUMBERED = re.compile(r"\s*\d+\)\s")


@dataclass(frozen=True, slots=True)
class ToolLine:
    """One line of the tool; `known` and `groups` when the text stands in the table of messages."""

    level: str
    text: str
    form: Form
    known: Text | None = None
    groups: dict[str, str] = field(default_factory=dict)

    @property
    def known_kind(self) -> Kind | None:
        """Kind of the message, None when it is not in the table."""
        return self.known.kind if self.known else None


@dataclass(frozen=True, slots=True)
class LogSummary:
    """What the tool said: lines that are in the table of messages (bounded), counts, names, its own advice.

    `troubles` are the last lines of level WARN or ERROR that are not harmless. `succeeded` and `failed` are
    kernels, None where the tool did not say.
    """

    lines: tuple[ToolLine, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    troubles: tuple[str, ...] = ()
    kernels: tuple[str, ...] = ()
    saved_in: tuple[str, ...] = ()
    succeeded: int | None = None
    failed: int | None = None
    advice: tuple[str, ...] = ()
    last: str = ""

    def worst(self) -> ToolLine | None:
        """The line that explains a failure best: by weight of its kind, then by order in the table.

        A warning about the set-up explains nothing: newer releases warn of what older ones refuse.
        """
        return min((line for line in self.lines if _explains(line)), key=_weight, default=None)

    def of_kind(self, kind: Kind) -> tuple[ToolLine, ...]:
        """The known lines of one kind, in order."""
        return tuple(line for line in self.lines if line.known_kind == kind)


def clean(text: str) -> str:
    """A line fit for a terminal: escape sequences and control characters gone, cut at 1000 characters."""
    last = text.rstrip("\r\n").rsplit("\r", 1)[-1]
    if not last.isascii():  # bytes that were no text, kept by surrogateescape, cannot be printed
        last = last.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return _ESCAPES.sub("", last)[:LONGEST_LINE]


def parse_line(line: str) -> tuple[str, ToolLine] | None:
    """A line of the tool, with what the program printed before it on the same line; None for the program's
    own.

    Programs use `[INFO]` too (the vendor's samples do, with the same two blanks). A line without time is
    therefore the tool's only when its text is in the table of messages; dated and debug forms are always
    the tool's.
    """
    for form, pattern in _FORMS:
        found = pattern.search(line)
        if found is None:
            continue
        text = clean(found["text"]).strip()
        known = recognise(text)
        is_start_of_report = bool(_REPORT.search(text)) or "Operator Basic Information:" in text
        if form == "plain" and known is None and not is_start_of_report:
            return None
        message, groups = known if known else (None, {})
        return line[: found.start()], ToolLine(found["level"], text, form, message, groups)
    return None


class LogReader:
    """Takes the lines of the tool one by one and keeps a bounded summary."""

    def __init__(self) -> None:
        self._lines: list[ToolLine] = []
        self._counts: Counter[str] = Counter()
        self._troubles: deque[str] = deque(maxlen=20)
        self._kernels: dict[str, None] = {}
        self._saved: dict[str, None] = {}
        self._results: tuple[int, int] | None = None
        self._advice: list[str] = []
        self._in_report = False
        self._last = ""

    def add(self, line: ToolLine) -> None:
        """Take one line of the tool."""
        self._last = line.text
        self._in_report = bool(_REPORT.search(line.text))
        self._names(line.text)
        if line.level in ("WARN", "WARNING", "ERROR") and line.known_kind != "harmless":
            self._troubles.append(line.text)
        if line.known is None:
            return
        kind = line.known.kind
        self._counts[kind] += 1
        if len(self._lines) < _MOST_LINES:
            self._lines.append(line)
        if kind == "summary":
            self._results = (int(line.groups["good"]), int(line.groups["bad"]))
        if "folder" in line.groups and len(self._saved) < _MOST_NAMES:
            self._saved[line.groups["folder"].strip().rstrip(".")] = None

    def trouble(self, text: str) -> None:
        """Keep a WARN or ERROR line that cannot be told from the program's own."""
        self._troubles.append(clean(text).strip())

    def continues(self, line: str) -> bool:
        """Take a line without mark that belongs to a report of the tool; False when it does not."""
        if not (line.startswith("\t") or (self._in_report and _NUMBERED.match(line))):
            return False
        text = clean(line).strip()
        self._names(text)
        if self._in_report and text and len(self._advice) < _MOST_ADVICE:
            self._advice.append(text)
        return True

    def summary(self) -> LogSummary:
        """What was seen so far."""
        good, bad = self._results or (None, None)
        return LogSummary(
            lines=tuple(self._lines),
            counts=dict(self._counts),
            troubles=tuple(self._troubles),
            kernels=tuple(self._kernels),
            saved_in=tuple(self._saved),
            succeeded=good,
            failed=bad,
            advice=tuple(self._advice),
            last=self._last,
        )

    def _names(self, text: str) -> None:
        found = _OP_NAME.search(text)
        if found and len(self._kernels) < _MOST_NAMES:
            self._kernels[found["name"]] = None


def _explains(line: ToolLine) -> bool:
    if line.known_kind not in BY_WEIGHT:
        return False
    return not (line.known_kind == "setup" and line.level in ("WARN", "WARNING"))


def _weight(line: ToolLine) -> tuple[int, int]:
    assert line.known is not None  # noqa: S101 - only known lines are weighed
    return BY_WEIGHT.index(line.known.kind), TEXTS.index(line.known)
