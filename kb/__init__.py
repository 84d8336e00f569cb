"""What slows an Ascend operator or model down, and what to change first.

The public face for programs (docs/library.md). Names are loaded when first used, so that `import kb` costs next to
nothing:

    report = kb.advise("OPPROF_20260101120000_ABCDEF")
    answer = kb.search("NMS CPU fallback", k=3)
    verdict = kb.compare(Path("before"), Path("after")).verdict
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing's, without importing it: this runs first in every `kb` command
if TYPE_CHECKING:
    from typing import Any

    from kb.engine.request import Request
    from kb.errors import KbError
    from kb.library import (
        CheckResult,
        Comparison,
        Report,
        SearchResult,
        advise,
        advise_metrics,
        check_model,
        compare,
        search,
    )
    from kb.model import to_dict
    from kb.plugins import PluginWarning

__all__ = [
    "CheckResult", "Comparison", "KbError", "PluginWarning", "Report", "Request", "SearchResult", "advise",
    "advise_metrics", "check_model", "compare", "search", "to_dict",
]  # fmt: skip

_HOMES = {
    "CheckResult": "kb.library",
    "Comparison": "kb.library",
    "KbError": "kb.errors",
    "PluginWarning": "kb.plugins",
    "Report": "kb.library",
    "Request": "kb.engine.request",
    "SearchResult": "kb.library",
    "advise": "kb.library",
    "advise_metrics": "kb.library",
    "check_model": "kb.library",
    "compare": "kb.library",
    "search": "kb.library",
    "to_dict": "kb.model",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'kb' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
