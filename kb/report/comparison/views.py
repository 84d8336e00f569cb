"""The registry of the views of a comparison: every module beside this one with `NAME` and `render`."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Protocol, cast

import kb.report.comparison
from kb.comparison import Comparison


class View(Protocol):
    """What a view module offers."""

    NAME: str
    EXTENSION: str

    def render(self, found: Comparison, *, lang: str, width: int, color: bool) -> str:
        """The comparison as text."""
        ...


@lru_cache(maxsize=1)
def views() -> dict[str, View]:
    """All views by name, in the order of the names."""
    names = [found.name for found in iter_modules(kb.report.comparison.__path__) if found.name != "views"]
    modules = (import_module(f"kb.report.comparison.{name}") for name in names)
    found = [
        cast(View, module) for module in modules if hasattr(module, "NAME") and hasattr(module, "render")
    ]
    return {view.NAME: view for view in sorted(found, key=lambda view: view.NAME)}


def render(name: str, found: Comparison, *, lang: str, width: int, color: bool) -> str:
    """A comparison in one format."""
    return views()[name].render(found, lang=lang, width=width, color=color)
