"""JSON as a stream: the values at one depth of a file, one at a time, in memory that does not grow with it.

Containers above the depth are walked, what lies at it is decoded whole. A file that ends early or is damaged
gives everything before the fault; where the reading stopped is in `Stopped`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from kb.engine.readers.rows import unreadable

CHUNK = 1 << 18
LARGEST_VALUE = 4 << 20  # characters of one value at the depth; an event or a collective has a few thousand
_BLANK = " \t\r\n"
_EDGE = 16  # a fault this near to the end of the window may come from the cut: half a word, half an escape
_INNER = frozenset(
    "+-.0123456789eE" + "abcdefghijklmnopqrstuvwxyzINT"
)  # what numbers and bare words consist of

Keys = tuple[str, ...]


@dataclass
class Stopped:
    """Why and where the reading ended before the end of the document; `why` is empty when it did not."""

    why: str = ""
    at: int = 0  # characters read

    def __bool__(self) -> bool:
        return bool(self.why)


class _Fault(Exception):
    """The text is no JSON from here on."""


def values(path: Path, depth: int, stopped: Stopped) -> Iterator[tuple[Keys, Any]]:
    """(keys, value) for every value `depth` containers deep, and for scalars less deep.

    `keys` are the members that lead to the value; an array adds "" to them. `stopped` is filled in at the end.

    Raises:
        SourceError: when the file cannot be opened.
    """
    try:
        with path.open(encoding="utf-8-sig", errors="replace") as file:
            text = _Text(file)
            try:
                yield from _walk(text, (), depth)
                if text.peek():
                    raise _Fault("something follows the document")
            except (_Fault, RecursionError) as fault:
                stopped.why = str(fault) if isinstance(fault, _Fault) else "nested too deeply"
                stopped.at = text.before + text.place
    except OSError as fault:
        raise unreadable(path, fault) from fault


class _Text:
    """A window of the file that slides forward."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._decode = json.JSONDecoder().raw_decode
        self.window = ""
        self.place = 0
        self.before = 0  # characters that the window has passed
        self.ended = False

    def _more(self) -> bool:
        chunk = "" if self.ended else self._file.read(CHUNK)
        self.ended = not chunk
        if chunk:
            self.window, self.before = self.window[self.place :] + chunk, self.before + self.place
            self.place = 0
        return bool(chunk)

    def peek(self) -> str:
        """The next character that is no blank, empty at the end of the file."""
        while True:
            window, place = self.window, self.place
            while place < len(window) and window[place] in _BLANK:
                place += 1
            self.place = place
            if place < len(window):
                return window[place]
            if not self._more():
                return ""

    def take(self, wanted: str) -> str:
        """The next character that is no blank, which must be one of `wanted`."""
        found = self.peek()
        if not found:
            raise _Fault("the file ends inside the document")
        if found not in wanted:
            raise _Fault("damaged")
        self.place += 1
        return found

    def value(self) -> Any:
        """The next value, decoded whole."""
        if not self.peek():
            raise _Fault("the file ends inside the document")
        while True:
            try:
                value, end = self._decode(self.window, self.place)
            except ValueError as fault:
                self._enlarge(fault)
                continue
            if self.window[end - 1] in _INNER and self._cut_at(end) and self._more():
                continue
            self.place = end
            return value

    def _cut_at(self, end: int) -> bool:
        """Whether a number that ends here may go on behind the window: 1e is a 1 before it is a 1e5."""
        return len(self.window) - end < _EDGE and _INNER.issuperset(self.window[end:])

    def _enlarge(self, fault: ValueError) -> None:
        """A value that could not be decoded may only be cut by the window; doubling it keeps this linear."""
        size = len(self.window) - self.place
        if not isinstance(fault, json.JSONDecodeError):  # a number of thousands of digits
            raise _Fault("damaged") from fault
        if not fault.msg.startswith("Unterminated") and fault.pos < len(self.window) - _EDGE:
            raise _Fault("damaged") from fault
        if size > LARGEST_VALUE:
            raise _Fault("damaged, or a value of more than four million characters") from fault
        grown = False
        while len(self.window) - self.place < max(2 * size, CHUNK) and self._more():
            grown = True
        if not grown:
            ends = fault.msg.startswith("Unterminated") or fault.pos >= len(self.window) - 1
            raise _Fault("the file ends inside the document" if ends else "damaged") from fault


def _walk(text: _Text, keys: Keys, depth: int) -> Iterator[tuple[Keys, Any]]:
    kind = text.peek()
    if depth == 0 or kind not in ("[", "{"):
        yield keys, text.value()
        return
    closing = "]" if text.take("[{") == "[" else "}"
    if text.peek() == closing:
        text.place += 1
        return
    while True:
        name = ""
        if closing == "}":
            if text.peek() != '"':
                raise _Fault("damaged")
            name = str(text.value())
            text.take(":")
        yield from _walk(text, (*keys, name), depth - 1)
        if text.take("," + closing) == closing:
            return
