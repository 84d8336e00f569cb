"""The report as one JSON document, schema `kb.report/1` (changes within a version only add keys)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kb.model import Report, to_dict
from kb.report.dump import dumps
from kb.report.parts import bound_of_all
from kb.report.three import first_three

NAME = "json"
EXTENSION = ".json"
BINARY = False
SCHEMA = "kb.report/1"

# The promised keys in their promised order; everything else a report knows follows.
_PROMISED = ("target", "run", "findings", "not_judged", "recommendations", "similar_cases", "warnings")
_FURTHER = (
    "headline",
    "chip",
    "capture",
    "total_us",
    "elapsed_us",
    "ranks",
    "job",
    "steps",
    "operators",
    "forecast",
    "key_data",
    "files",
    "charts",
    "versions",
    "content",
)


def document(report: Report) -> dict[str, Any]:
    """The report as plain dicts and lists.

    An operator of unknown type has `type` null, because that key is promised; other absent facts have no key.
    """
    whole = to_dict(report)
    out = {"schema": SCHEMA} | {key: whole[key] for key in (*_PROMISED, *_FURTHER) if key in whole}
    together = first_three(report)
    if together is not None:
        out["first_three"] = to_dict(together)
    bound = bound_of_all(report)
    if bound is not None:
        out["most_to_win"] = to_dict(bound)
    out["operators"] = [_operator(item) for item in whole["operators"]]
    out["findings"] = [
        item | {"operators": [_operator(operator) for operator in item["operators"]]}
        for item in whole["findings"]
    ]
    return out


def kept(report: Report) -> dict[str, Any]:
    """The document of a run as it is kept: with the rows that a later comparison needs (`kb.measured`)."""
    rows = {"measured": to_dict(report.measured)} if report.measured else {}
    return document(report) | rows


def _operator(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": None} | item


def render(report: Report, *, lang: str = "en", width: int = 80, color: bool = False) -> str:  # noqa: ARG001
    """One indented document; the texts inside are already in the language the report was made in."""
    return dumps(document(report))


def render_many(reports: Sequence[Report], *, lang: str = "en", width: int = 80, color: bool = False) -> str:  # noqa: ARG001
    """Several reports as one array."""
    return dumps([document(report) for report in reports])
