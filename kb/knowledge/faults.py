"""Faults of knowledge files: found all at once, each with its place and the mend."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

SCHEMA = "kb.validate/1"


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """One thing that is wrong in a file: `code` is stable, `what` and `mend` are for people.

    Lines and columns count from 1. A "warning" does not make the knowledge invalid.
    """

    file: str
    line: int
    column: int
    id: str
    code: str
    what: str
    mend: str
    severity: str = "error"


@dataclass(frozen=True, slots=True)
class Found:
    """What a rule has to say of one entry: code, key of the value concerned, what, mend."""

    code: str
    at: str
    what: str
    mend: str
    severity: str = "error"


def errors(faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """Those that make the knowledge invalid."""
    return tuple(fault for fault in faults if fault.severity == "error")


def render_text(faults: Iterable[Fault]) -> str:
    """One line a fault, `file:line:column: severity code: what; mend`, and a closing count."""
    listed = list(faults)
    lines = [
        f"{f.file}:{f.line}:{f.column}: {f.severity}: {f.id or '?'}: {f.what}; {f.mend} [{f.code}]"
        for f in listed
    ]
    wrong = len(errors(listed))
    lines.append(f"{wrong} error{'' if wrong == 1 else 's'}, {len(listed) - wrong} warnings")
    return "\n".join(lines)


def to_dict(faults: Iterable[Fault]) -> dict[str, Any]:
    """The faults as one JSON document."""
    listed = list(faults)
    keys = ("file", "line", "column", "id", "code", "severity", "what", "mend")
    return {
        "schema": SCHEMA,
        "valid": not errors(listed),
        "faults": [{key: getattr(fault, key) for key in keys} for fault in listed],
    }
