"""What slows an Ascend operator or model down, and what to change first.

The public face for programs. Names are loaded when first used, so that `import kb` costs next to nothing:

    report = kb.advise([Path("OPPROF_20260101120000_ABCDEF")])
    answer = kb.search("NMS CPU fallback", k=3)
    verdict = kb.compare(Path("before"), Path("after")).verdict
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing's, without importing it: this runs first in every `kb` command
if TYPE_CHECKING:
    from typing import Any

    from kb.comparison import Comparison
    from kb.engine.pipeline import Request, advise, advise_metrics, compare
    from kb.errors import KbError
    from kb.knowledge.search import search
    from kb.model import Report, to_dict

__all__ = [
    "Comparison", "KbError", "Report", "Request", "advise", "advise_metrics", "compare", "search", "to_dict",
]  # fmt: skip

_HOMES = {
    "Comparison": "kb.comparison",
    "KbError": "kb.errors",
    "Report": "kb.model",
    "Request": "kb.engine.pipeline",
    "advise": "kb.engine.pipeline",
    "advise_metrics": "kb.engine.pipeline",
    "compare": "kb.engine.pipeline",
    "search": "kb.knowledge.search",
    "to_dict": "kb.model",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'kb' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
