"""Words from outside: names and texts of a file, made harmless before they reach a terminal or a page."""

from __future__ import annotations

import re

LONGEST = 512
_ESCAPE = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)?")


def clean(text: str, longest: int = LONGEST) -> str:
    """The text on one line, without terminal escapes and other control characters, cut to `longest` characters."""
    if text.isprintable() and len(text) <= longest:
        return text.strip()
    plain = _ESCAPE.sub("", text[: 4 * longest])
    return "".join(c if c.isprintable() else " " for c in plain).strip()[:longest]
