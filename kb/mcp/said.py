"""Faults as an agent can act on them: arguments and tools by the names that it calls, not options and commands."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from pydantic import ValidationError

from kb.errors import KbError, parameter

_COMMANDS = (
    ("`kb search` or `kb list`", "the tool `search`"),
    ("`kb runs list`", "the tool `runs`"),
    ("A folder or CSV of a profile does too.", "A path below a root does too."),
)
_COMMAND = re.compile(r"`kb (advise|search|show|explain|compare|ask)`")
_OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]*)")


def fault(found: KbError) -> str:
    """What is wrong, where, and what to do now, in the words of the tools."""
    now = found.now
    for command, tool in _COMMANDS:
        now = now.replace(command, tool)
    now = _OPTION.sub(lambda option: parameter(option[0]), _COMMAND.sub(r"the tool `\1`", now))
    where = parameter(found.where)
    head = f"{where}: {found.what}" if where else found.what
    return f"{head}\n  {now}" if now else head


def unknown(given: Mapping[str, Any], known: Collection[str]) -> str:
    """The fault of arguments that a tool does not have, empty where it has them all."""
    wrong = [name[:80] for name in given if name not in known]
    return f"{wrong[0]}: no such argument\n  It takes {', '.join(known)}." if wrong else ""


def mistyped(found: ValidationError) -> str:
    """The first argument that is missing or of another type, in a sentence."""
    first = found.errors(include_url=False, include_context=False)[0]
    place = ".".join(map(str, first["loc"]))
    if first["type"] == "missing":
        return f"{place}: this argument is missing\n  Give it as the description of the tool says."
    return f"{place}: {str(first['input'])[:80]!r} does not fit\n  {first['msg'].replace('Input', 'It')}."
