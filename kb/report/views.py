"""The views of a `Report`, one module each beside this one: a format is a file and its line in `MODULES`.

They are named, not looked for, so that only the one that is asked for is loaded. Installed packages add more by entry points in the group `kb.views`; they are looked for only where a format is asked for
that is not ours. A view module declares `NAME`, `EXTENSION`, `BINARY` and `render(report, *, lang, width, color) -> str`; it
may add `render_many` where several reports do not simply follow one another.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

from kb import plugins
from kb.errors import UsageError
from kb.model import Report


class View(Protocol):
    """What a view module offers."""

    NAME: str
    EXTENSION: str
    BINARY: bool

    def render(self, report: Report, *, lang: str, width: int, color: bool) -> str:
        """The report as text."""
        ...


MODULES = {"html": "html", "json": "json", "jsonl": "jsonl", "markdown": "markdown", "text": "terminal"}


def views() -> dict[str, View]:
    """The views of `kb` itself by name, in the order of the names."""
    return {name: _ours(name) for name in MODULES}


def _ours(name: str) -> View:
    return cast(View, import_module(f"kb.report.{MODULES[name]}"))


def view(name: str) -> View | None:
    """The view of that name, ours before one of a plugin; None where there is none."""
    return _ours(name) if name in MODULES else further().get(name)


def further() -> dict[str, View]:
    """The views of plugins by name; one that is not whole, or takes a name of ours, is left out with a warning."""
    return _further(plugins.loaded("kb.views"))


@lru_cache(maxsize=4)
def _further(found: tuple[plugins.Plugin, ...]) -> dict[str, View]:
    out: dict[str, View] = {}
    for plugin in found:
        fault = _fault(plugin.thing, out)
        if fault:
            plugins.warn(plugin, f"was left out: {fault}")
        else:
            out[plugin.thing.NAME] = plugin.thing
    return out


def _fault(thing: Any, taken: dict[str, View]) -> str:
    """Why this cannot be used as a view; empty where it can."""
    for name, kind in (("NAME", str), ("EXTENSION", str), ("BINARY", bool)):
        if not isinstance(getattr(thing, name, None), kind):
            return f"it has no {name}"
    if not callable(getattr(thing, "render", None)):
        return "it has no render"
    if thing.NAME in MODULES or thing.NAME in taken:
        return f"the format {thing.NAME!r} is there already"
    return ""


def view_for(path: Path) -> View:
    """The view whose extension the file name has.

    Raises:
        UsageError: no view has it; the message lists the extensions.
    """
    for known_views in (views, further):
        for found in known_views().values():
            if path.suffix.lower() == found.EXTENSION:
                return found
    known = ", ".join(found.EXTENSION for found in (*views().values(), *further().values()))
    raise UsageError(
        f"no format goes with the file name {path.name!r}", now=f"End it in one of {known}, or give --format."
    )


def render(
    name: str, reports: Sequence[Report], *, lang: str, width: int, color: bool, many: bool = False
) -> str:
    """Reports in one format; `many` keeps the form of a list even for one report.

    Raises:
        UsageError: no view has that name, or the view of a plugin failed.
    """
    chosen = view(name)
    if chosen is None:
        known = ", ".join((*MODULES, *further()))
        raise UsageError(f"no format {name!r} here", where="--format", now=f"Choose one of {known}.")
    try:
        return _rendered(chosen, reports, lang=lang, width=width, color=color, many=many)
    except Exception as fault:
        if name in MODULES:
            raise
        raise UsageError(
            f"the view {name!r} of a plugin failed: {plugins.told(fault)}", now="Choose another --format."
        ) from fault


def _rendered(
    chosen: View, reports: Sequence[Report], *, lang: str, width: int, color: bool, many: bool
) -> str:
    together = getattr(chosen, "render_many", None)
    if together is not None and (many or len(reports) != 1):
        return cast(str, together(reports, lang=lang, width=width, color=color))
    gap = "\n" if chosen.NAME == "jsonl" else "\n\n"
    return gap.join(
        chosen.render(report, lang=lang, width=width, color=color).rstrip("\n") for report in reports
    )
