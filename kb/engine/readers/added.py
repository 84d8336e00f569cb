"""Readers of installed packages, by entry points in the group `kb.readers`.

Each is a module or object with what a reader of ours has. It is asked only about files that none of ours knows, and makes
the profile only where no file belongs to one of ours; where it fails it costs its own files and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

from kb import plugins
from kb.engine.readers.source import Bundle, Source
from kb.errors import KbError, SourceError
from kb.model import Profile

_FAMILIES = ("kernel", "job")


@dataclass(slots=True)
class Added:
    """A reader of a plugin, with its faults kept in."""

    plugin: plugins.Plugin
    NAME: str
    TITLE: str
    FAMILY: str
    RANK: int

    def recognise(self, source: Source) -> int:
        """How sure the plugin is of the file; 0 where it fails or answers with no number."""
        sure = plugins.guarded(self.plugin, f"look at {source.path}", self.plugin.thing.recognise, 0)(source)
        return sure if isinstance(sure, int) else 0

    def read(self, bundle: Bundle, soc: str | None = None) -> Profile:
        """The profile that the plugin makes.

        Raises:
            SourceError: the plugin's own, or what else went wrong in it.
        """
        where = str(bundle.of(self.NAME)[0].path)
        try:
            profile = self.plugin.thing.read(bundle, soc)
        except KbError:
            raise
        except Exception as fault:
            what = f"the reader of {self.plugin} failed: {plugins.told(fault)}"
            raise SourceError(what, where=where, now="report it to its authors") from fault
        if not isinstance(profile, Profile):
            raise SourceError(
                f"the reader of {self.plugin} gave no profile", where=where, now="Report it to its authors."
            )
        return profile


def readers() -> tuple[Added, ...]:
    """The usable readers of plugins."""
    return _usable(plugins.loaded("kb.readers"))


@lru_cache(maxsize=4)
def _usable(found: tuple[plugins.Plugin, ...]) -> tuple[Added, ...]:
    out: dict[str, Added] = {}
    for plugin in found:
        fault = _fault(plugin.thing, out)
        if fault:
            plugins.warn(plugin, f"was left out: {fault}")
        else:
            thing = plugin.thing
            out[thing.NAME] = Added(plugin, thing.NAME, thing.TITLE, thing.FAMILY, thing.RANK)
    return tuple(out.values())


def _fault(thing: Any, taken: dict[str, Added]) -> str:
    """Why this cannot be used as a reader; empty where it can."""
    for name, kind in (("NAME", str), ("TITLE", str), ("FAMILY", str), ("RANK", int)):
        if not isinstance(getattr(thing, name, None), kind):
            return f"it has no {name}"
    for name in ("recognise", "read"):
        if not callable(getattr(thing, name, None)):
            return f"it has no {name}"
    if thing.FAMILY not in _FAMILIES:
        return f"its FAMILY is none of {', '.join(_FAMILIES)}"
    if thing.NAME in taken or _is_ours(thing.NAME):
        return f"the reader {thing.NAME!r} is there already"
    return ""


def _is_ours(name: str) -> bool:
    """Whether a module of this package has that name; ours are named after their files."""
    return name.isidentifier() and find_spec(f"{__package__}.{name}") is not None
