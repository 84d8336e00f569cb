"""The views of a `Report`, one module each beside this one: adding a file adds a format.

A view module declares `NAME`, `EXTENSION`, `BINARY` and `render(report, *, lang, width, color) -> str`; it
may add `render_many` where several reports do not simply follow one another.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Protocol, cast

import kb.report
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


@lru_cache(maxsize=1)
def views() -> dict[str, View]:
    """All views by name, in the order of the names."""
    modules = (import_module(f"kb.report.{found.name}") for found in iter_modules(kb.report.__path__))
    found = [
        cast(View, module) for module in modules if hasattr(module, "NAME") and hasattr(module, "render")
    ]
    return {view.NAME: view for view in sorted(found, key=lambda view: view.NAME)}


def view_for(path: Path) -> View:
    """The view whose extension the file name has.

    Raises:
        UsageError: no view has it; the message lists the extensions.
    """
    for found in views().values():
        if path.suffix.lower() == found.EXTENSION:
            return found
    known = ", ".join(found.EXTENSION for found in views().values())
    raise UsageError(
        f"no format goes with the file name {path.name!r}", now=f"End it in one of {known}, or give --format."
    )


def render(
    name: str, reports: Sequence[Report], *, lang: str, width: int, color: bool, many: bool = False
) -> str:
    """Reports in one format; `many` keeps the form of a list even for one report."""
    chosen = views()[name]
    together = getattr(chosen, "render_many", None)
    if together is not None and (many or len(reports) != 1):
        return cast(str, together(reports, lang=lang, width=width, color=color))
    gap = "\n" if name == "jsonl" else "\n\n"
    return gap.join(
        chosen.render(report, lang=lang, width=width, color=color).rstrip("\n") for report in reports
    )
