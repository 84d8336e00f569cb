"""The bottlenecks: one module each, found by name, judged over the features of a run.

`judge_all` returns findings by falling share and what was not judged. A bottleneck is dropped where a better
explanation of the same symptom holds (`yields_to`) or where its parent does not.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import lru_cache

from kb.engine.bottlenecks.judging import Bottleneck

_FRAMEWORK = {"copies", "diagnose", "gate", "judging"}


@lru_cache(maxsize=1)
def registry() -> dict[str, Bottleneck]:
    """All bottlenecks by id."""
    found: dict[str, Bottleneck] = {}
    for module in pkgutil.iter_modules(__path__):
        if module.name in _FRAMEWORK:
            continue
        bottleneck: Bottleneck = importlib.import_module(f"{__name__}.{module.name}").BOTTLENECK
        found[bottleneck.id] = bottleneck
    return found
