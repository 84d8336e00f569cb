"""Text of unknown origin inside Markdown."""

from __future__ import annotations

import re

from kb.report.text import clean, clean_lines

# Only what would start markup, so that shapes such as [1,2] and limits such as > 0.5 stay readable in the source.
_SPECIAL = re.compile(r"[\\`*|]|\](?=[\[(:])|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])|~~")
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_ENTITY = re.compile(r"&(?=#?[0-9A-Za-z]+;)")
_BLOCK_START = re.compile(r"^(#{1,6}(?=\s|$)|[-+>]|\d+[.)](?=\s|$)|=+$)")


def md(text: object, *, starts_line: bool = False) -> str:
    """`text` as one line of Markdown (also inside a table cell) that shows exactly these characters.

    `starts_line`: nothing stands before it, so that it must not turn into a heading, list item or quotation.
    """
    flat = _TAG.sub("&lt;", _ENTITY.sub("&amp;", clean(text)))
    flat = _SPECIAL.sub(lambda found: "\\" + found.group(), flat)
    if not starts_line:
        return flat
    return _BLOCK_START.sub(lambda found: found.group()[:-1] + "\\" + found.group()[-1:], flat)


def md_code(text: object) -> str:
    """`text` in code type, or as plain text where it holds what could break out of it."""
    flat = clean(text)
    if not flat:
        return ""
    return md(flat) if any(char in flat for char in "`|<>&\\") else f"`{flat}`"


def md_prose(text: object) -> str:
    """A sentence of an entry as Markdown: spans between single backticks become code, the rest is escaped."""
    parts = clean(text).split("`")
    if len(parts) % 2 == 0:  # an odd number of backticks marks no code
        return md(text)
    return "".join(md_code(part) if index % 2 else _padded(part) for index, part in enumerate(parts))


def _padded(part: str) -> str:
    """`part` escaped, with the blanks at its ends kept."""
    before, after = part[: len(part) - len(part.lstrip())], part[len(part.rstrip()) :]
    return f"{before}{md(part)}{after}" if part.strip() else part


def md_fence(text: object, language: str = "") -> list[str]:
    """A fenced block that the text cannot close."""
    lines = clean_lines(text)
    longest = max((len(run) for line in lines for run in re.findall(r"`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}{re.sub(r'[^0-9A-Za-z+#-]', '', language)}", *lines, fence]
