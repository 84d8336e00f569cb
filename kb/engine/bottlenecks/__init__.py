"""The bottlenecks: one module each, found by name, judged over the features of a run.

Installed packages add more by entry points in the group `kb.bottlenecks`, each a `Bottleneck` or a module with one. A bottleneck is dropped where a better
explanation of the same symptom holds (`yields_to`) or where its parent does not.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import replace
from functools import lru_cache

from kb import plugins
from kb.engine.bottlenecks.judging import Bottleneck
from kb.vocabulary.metrics import BY_ID

_FRAMEWORK = {"asking", "copies", "diagnose", "gate", "judging", "trial"}


def registry() -> dict[str, Bottleneck]:
    """All bottlenecks by id, those of plugins last."""
    return _with(plugins.loaded("kb.bottlenecks"))


@lru_cache(maxsize=4)
def _with(found: tuple[plugins.Plugin, ...]) -> dict[str, Bottleneck]:
    out = dict(own())
    for plugin in found:
        thing = getattr(plugin.thing, "BOTTLENECK", plugin.thing)
        if not isinstance(thing, Bottleneck) or (thing.judge is None) == (thing.judge_run is None):
            plugins.warn(plugin, "was left out: it is no Bottleneck that judges operators or the run")
        elif unknown := _unknown(thing):
            plugins.warn(plugin, f"was left out: it needs {', '.join(unknown)}, which is no metric")
        elif thing.id in out:
            plugins.warn(plugin, f"was left out: the bottleneck {thing.id!r} is there already")
        else:
            out[thing.id] = _guarded(plugin, thing)
    return out


def _unknown(thing: Bottleneck) -> list[str]:
    """The metrics that it needs and that do not exist."""
    return [name for need in thing.needs for name in need.split("|") if name not in BY_ID]


def _guarded(plugin: plugins.Plugin, thing: Bottleneck) -> Bottleneck:
    """The bottleneck of a plugin; where it fails nothing is found."""
    judge, run, what = thing.judge, thing.judge_run, f"judge {thing.id}"
    return replace(
        thing,
        judge=plugins.guarded(plugin, what, judge, None) if judge else None,
        judge_run=plugins.guarded(plugin, what, run, None) if run else None,
        applies=plugins.guarded(plugin, what, thing.applies, False),
    )


@lru_cache(maxsize=1)
def own() -> dict[str, Bottleneck]:
    """The bottlenecks of `kb` itself by id."""
    found: dict[str, Bottleneck] = {}
    for module in pkgutil.iter_modules(__path__):
        if module.name in _FRAMEWORK:
            continue
        bottleneck: Bottleneck = importlib.import_module(f"{__name__}.{module.name}").BOTTLENECK
        found[bottleneck.id] = bottleneck
    return found
