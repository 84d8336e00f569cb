"""Packages of others that add readers, bottlenecks, views or knowledge, found by their entry points.

Loading `importlib.metadata` costs more than a search does, so first a look at the installed distributions tells in about
a millisecond whether any of them declares one of our groups at all. A package that cannot be loaded is named in a warning
and costs nothing else.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from typing import Any, Literal, NamedTuple, ParamSpec, TypeVar

from kb import settings
from kb.errors import UsageError

Group = Literal["kb.readers", "kb.bottlenecks", "kb.views", "kb.knowledge"]
_OFF = frozenset(("off", "0", "no", "false"))
_ON = frozenset(("on", "1", "yes", "true"))
_Given = ParamSpec("_Given")
_Answer = TypeVar("_Answer")


class PluginWarning(UserWarning):
    """A package of somebody else could not be used, or only in part."""


class Plugin(NamedTuple):
    """What one entry point gave: `name` is the entry point's, `package` the distribution that declares it."""

    group: Group
    name: str
    package: str
    thing: Any

    def __str__(self) -> str:
        return f"{self.package} ({self.group}: {self.name})"


def loaded(group: Group) -> tuple[Plugin, ...]:
    """The usable plugins of a group, by distribution and name; none where KB_PLUGINS is off.

    Raises:
        UsageError: the setting is neither on nor off.
    """
    if _off():
        return ()
    return _loaded(group, tuple(sys.path))


def _off() -> bool:
    """Whether plugins are left out; a word that is neither yes nor no is refused, for code would run against a wish."""
    found = settings.setting("plugins")
    if found.value.lower() in _OFF:
        return True
    if found.value.lower() not in _ON:
        raise UsageError(f"no plugins {found.value!r}", where=found.where, now="Choose one of on, off.")
    return False


@cache
def _loaded(group: Group, places: tuple[str, ...]) -> tuple[Plugin, ...]:
    if not _declared(places):
        return ()
    from importlib.metadata import entry_points

    found = []
    for point in sorted(
        entry_points(group=group), key=lambda point: (point.dist.name if point.dist else "", point.name)
    ):
        package = point.dist.name if point.dist else "a package without a name"
        try:
            found.append(Plugin(group, point.name, package, point.load()))
        except (Exception, SystemExit) as fault:
            warn(Plugin(group, point.name, package, None), f"cannot be loaded: {told(fault)}")
    return tuple(found)


def _declared(places: tuple[str, ...]) -> bool:
    """Whether any installed distribution may declare a group of ours."""
    for place in places:
        try:
            with os.scandir(place or ".") as items:
                names = [item.path for item in items if item.name.endswith((".dist-info", ".egg-info"))]
        except OSError:  # a zip, or a folder that is not there
            continue
        for name in names:
            try:
                if b"[kb." in Path(name, "entry_points.txt").read_bytes():
                    return True
            except OSError:
                continue
    return False


def warn(plugin: Plugin, what: str) -> None:
    """Name a plugin at fault; a caller that wants to stop on it turns `PluginWarning` into an error."""
    warnings.warn(f"{plugin} {what}", PluginWarning, stacklevel=3)


def told(fault: BaseException) -> str:
    """An exception in one line."""
    return f"{type(fault).__name__}: {' '.join(str(fault).split())[:300]}".removesuffix(": ")


def guarded(
    plugin: Plugin, what: str, answer: Callable[_Given, _Answer], otherwise: _Answer
) -> Callable[_Given, _Answer]:
    """The function of a plugin; when it fails a warning says so and `otherwise` stands for its answer."""

    @wraps(answer)
    def wrapped(*args: _Given.args, **given: _Given.kwargs) -> _Answer:
        try:
            return answer(*args, **given)
        except Exception as fault:
            warn(plugin, f"failed to {what}: {told(fault)}")
            return otherwise

    return wrapped
