"""JSON that is given to `kb profile-and-advise`: a config of msopprof, or operators."""

from __future__ import annotations

from fuzz.sample import FEED, refused
from kb.engine.collect.environment import Environment
from kb.engine.collect.target import resolve_target
from kb.errors import KbError

PARSES = ("kb.engine.collect.target",)


def seeds() -> list[bytes]:
    """A config, operators, a list of operators."""
    return [
        b'{"kernel_path": "add.o", "mode": "ca", "testcases": []}', b'{"operators": [{"type": "Add"}]}', b'[{"operator": "Add"}]',
    ]  # fmt: skip


def one(data: bytes) -> None:
    """Find out what it is."""
    path = FEED.file("config.json", data)
    try:
        resolve_target((path.name,), Environment({}, path.parent))
    except KbError as fault:
        refused(fault)
