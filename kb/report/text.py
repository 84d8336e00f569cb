"""Text of unknown origin made safe to print, measured and wrapped; standard library only."""

from __future__ import annotations

import re
import unicodedata

from kb.harmless import MAX_CHARS, harmless

_DIVIDERS = "/_:.,-;|"  # a word too long for a line is cut behind one of these
_NO_LINE_START = frozenset("、。，．・：；？！）］｝〉》」』】〕ー々…,.:;?!)]}%")
_FENCED = re.compile(r"```([0-9A-Za-z+#-]*)\n(.*)\n```", re.DOTALL)


def clean(text: object, *, limit: int = MAX_CHARS) -> str:
    """`text` on one line without terminal sequences, control and direction characters; cut at `limit`."""
    flat = " ".join(harmless(text, limit=limit).split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def clean_lines(text: object, *, limit: int = MAX_CHARS) -> list[str]:
    """Like `clean` but with line breaks and indentation kept, for code."""
    safe = harmless(text, limit=limit)
    if len(safe) > limit:
        safe = safe[: limit - 1] + "…"
    return [line.rstrip() for line in safe.expandtabs(4).strip("\n").splitlines()]


def code_of(snippet: str) -> tuple[str, str]:
    """Language and code of a fenced block; what is no fenced block is code of no language."""
    found = _FENCED.fullmatch(snippet.strip())
    return (found[1], found[2]) if found else ("", snippet)


def width_of(text: str) -> int:
    """Columns that `text` takes on a terminal: two for wide characters, none for combining marks."""
    if text.isascii():
        return len(text)
    return sum(_char_width(char) for char in text)


def _char_width(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def pad(text: str, width: int, *, right: bool = False) -> str:
    """`text` filled with blanks to `width` columns; longer text is returned as it is."""
    blanks = " " * (width - width_of(text))
    return blanks + text if right else text + blanks


def shorten(text: str, width: int) -> str:
    """`text` cut to `width` columns, the cut shown by an ellipsis."""
    if width_of(text) <= width:
        return text
    out, used = [], 0
    for char in text:
        used += _char_width(char)
        if used > width - 1:
            break
        out.append(char)
    return "".join(out).rstrip() + "…" if width > 0 else ""


def wrap(text: str, width: int, *, indent: str = "") -> list[str]:
    """`text` in lines of at most `width` columns, further lines behind `indent`; always at least one line.

    Breaks at blanks and between wide characters (never before closing punctuation); a word longer than a line
    is cut.
    """
    lines: list[str] = []
    line, start = (
        "",
        0,
    )  # `start` is where text begins on the line: 0 on the first, behind the indent on the others
    for piece, glue in _pieces(text):
        for at, part in enumerate(_fit(piece, max(width - len(indent), 1))):
            used = width_of(line)
            joint = glue if at == 0 and used > start else ""
            if used > start and used + len(joint) + width_of(part) > width:
                lines.append(line)
                line, start, joint = indent, len(indent), ""
            line += joint + part
    return [*lines, line]


def _pieces(text: str) -> list[tuple[str, str]]:
    """Unbreakable pieces, each with the blank (or nothing) that joins it to the one before."""
    out: list[tuple[str, str]] = []
    for word in _words(text):
        glue = " "
        run = ""
        for char in word:
            if run and (_char_width(char) == 2 or _char_width(run[-1]) == 2) and char not in _NO_LINE_START:
                out.append((run, glue))
                run, glue = "", ""
            run += char
        out.append((run, glue))
    return out


def _words(text: str) -> list[str]:
    """Words between blanks; a figure and its per cent sign are one."""
    out: list[str] = []
    for word in text.split():
        if out and word[0] == "%" and out[-1][-1].isdigit():
            out[-1] += f" {word}"
        else:
            out.append(word)
    return out


def _fit(piece: str, width: int) -> list[str]:
    """A piece cut into parts no wider than `width` columns, behind a divider such as / or _ where one is near."""
    parts = []
    while width_of(piece) > width:
        cut = used = 0
        while used + (step := _char_width(piece[cut])) <= width or cut == 0:
            used += step
            cut += 1
        divider = max((piece.rfind(mark, width // 2, cut) for mark in _DIVIDERS), default=-1)
        if divider >= 0:
            cut = divider + 1
        parts.append(piece[:cut])
        piece = piece[cut:]
    return [*parts, piece]
