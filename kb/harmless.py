"""Text of unknown origin without what a terminal would obey: the lowest layer, so that errors can use it too."""

from __future__ import annotations

import re

MAX_CHARS = 4000  # of one text; a longer one is cut, so that a hostile name cannot flood the screen

_SEQUENCES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # OSC and other strings: titles, links
    r"|\x1b[ -/]*[0-~]?"  # two-character escapes
)
# Control characters, direction marks and overrides, invisible joiners, lone surrogates (undecodable file names).
_CONTROLS = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    r"\ud800-\udfff\U000e0000-\U000e007f]"
)


def harmless(text: object, *, limit: int = MAX_CHARS) -> str:
    """`text` without terminal sequences, control and direction characters, its lines kept; of a long one the beginning."""
    return _CONTROLS.sub(
        "", _SEQUENCES.sub("", str(text)[: limit * 4].replace("\r\n", "\n").replace("\r", "\n"))
    )
