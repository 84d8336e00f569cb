"""docs/profiler-messages.md: what msopprof says, what it means and what to do, from the table that `kb` reads its output by."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.engine.collect.log_texts import BY_WEIGHT, TEXTS, Text

HEAD = """\
# What the profiler says

Printed by `make docs` from the table by which `kb profile-and-advise` reads the output of msopprof. The texts are those of its
source (26.0 and 26.1), its guides and captures of CANN 8.3 and 8.5; other releases may word them otherwise.

msopprof ends with status 0 also where nothing was collected: only refused arguments give another one. `kb` therefore looks at
the output folder and at these lines, and ends with status 4 where there is no usable result. A failed run is explained by the
first kind below that was seen.
"""
KINDS = {
    "args": "Refused arguments",
    "setup": "Machine, libraries, permissions",
    "timeout": "Out of time",
    "app": "The program or a launch failed",
    "nothing": "Nothing was collected",
    "parse": "Collected, but not turned into tables",
    "partial": "Some of it is missing",
}
# Where a pattern allows several wordings, the one to show.
SHOWN = {
    r"(?i)\bsoft ?link": "soft link",
    r"(?:[Uu]nrecogni[sz]ed|[Uu]nknown|[Ii]nvalid) (?:option|argument)s? ?(?P<option>\S*)": "unrecognized option <option>",
    r"Unexpected argument (?:in )?--aic-metrics(?:=(?P<metrics>[^,\s]*))?": "Unexpected argument in --aic-metrics",
    r"Access profiling data file \[(?P<file>[^\]]*)\].*failed": "Access profiling data file [<file>] failed",
    r"\$?ASCEND_HOME_PATH not found": "$ASCEND_HOME_PATH not found",
    r"No profiling data matched --kernel-name=?(?P<name>\S*)": "No profiling data matched --kernel-name=<name>",
}


def shown(text: Text) -> str:
    """A message as msopprof writes it, with `<name>` for what changes."""
    pattern = text.pattern.pattern
    if pattern in SHOWN:
        return SHOWN[pattern]
    if "permission" in pattern:
        return "permission denied"
    plain = re.sub(r"\(\?P<(\w+)>(?:[^()\\]|\\.)*\)", r"<\1>", pattern)
    return re.sub(r"\\(.)", r"\1", plain.replace(r"\. ?", ". "))


def messages_page() -> str:
    """docs/profiler-messages.md."""
    return "\n".join([HEAD, *_sections()]) + "\n"


def _sections() -> Iterator[str]:
    for kind in BY_WEIGHT:
        yield from (f"## {KINDS[kind]}", "", "| msopprof says | it means | what to do |", "|---|---|---|")
        for text in TEXTS:
            if text.kind == kind:
                yield f"| `{shown(text)}` | {_said(text.means)} | {_said(_remedy(text))} |"
        yield ""


def _remedy(text: Text) -> str:
    return f"{text.now} In the simulator: {text.now_simulator}" if text.now_simulator else text.now


def _said(text: str) -> str:
    filled = re.sub(r"\{(\w+)\}", r"<\1>", text).replace(", see below", "")
    return filled.replace("<", "&lt;").replace("|", r"\|").replace("*", r"\*") or "see the message"
