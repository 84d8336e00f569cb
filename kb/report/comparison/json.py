"""The comparison as one JSON document, schema `kb.compare/1` (changes within a version only add keys)."""

from __future__ import annotations

from typing import Any

from kb.comparison import Comparison
from kb.model import to_dict
from kb.report.dump import dumps

NAME = "json"
EXTENSION = ".json"
SCHEMA = "kb.compare/1"


def document(found: Comparison) -> dict[str, Any]:
    """The comparison as plain dicts and lists; absent facts have no key."""
    whole: dict[str, Any] = to_dict(found)
    whole["comparable"] = found.verdict != "not-comparable"
    first = ("verdict", "comparable", "total")
    return {"schema": SCHEMA} | {key: whole[key] for key in first if key in whole} | whole


def render(found: Comparison, *, lang: str, width: int, color: bool) -> str:  # noqa: ARG001
    """One indented document."""
    return dumps(document(found))
