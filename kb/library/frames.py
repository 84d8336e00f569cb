"""Results as pandas tables: the same columns whatever is known, missing values where nothing is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kb.errors import UsageError
from kb.model import Finding, OperatorRef, Recommendation, Report

if TYPE_CHECKING:
    from pandas import DataFrame

    from kb.comparison import Comparison
    from kb.engine.check.result import CheckResult
    from kb.knowledge.search import SearchResult

_OPERATORS = {
    "type": "str", "name": "str", "core": "str", "shapes": "str", "count": "Int64", "time_us": "Float64",
}  # fmt: skip
_FINDINGS = {
    "id": "str", "pattern": "str", "scope": "str", "base": "str", "share": "Float64", "headroom": "Float64",
    "confidence": "Float64", "operator": "str", "operators": "Int64", "summary": "str",
}  # fmt: skip
_RECOMMENDATIONS = {
    "rank": "Int64", "id": "str", "kind": "str", "title": "str", "finding": "str", "gain_low": "Float64",
    "gain_likely": "Float64", "gain_high": "Float64", "gain_of": "str", "gain_basis": "str", "who": "str", "effort": "str",
}  # fmt: skip
_HITS = {
    "rank": "Int64", "id": "str", "kind": "str", "title": "str", "score": "Float64", "why": "str", "summary": "str",
}  # fmt: skip
_CHECKED = {
    "type": "str", "domain": "str", "count": "Int64", "engine": "str", "falls_back": "boolean", "restriction": "str",
    "remedies": "str", "opsets": "str",
}  # fmt: skip
_CHANGES = {
    "type": "str", "name": "str", "core": "str", "shapes": "str", "dtypes": "str", "verdict": "str",
    "before_us": "Float64", "after_us": "Float64", "delta_us": "Float64", "change": "Float64", "noise": "Float64",
    "share": "Float64", "differs": "str",
}  # fmt: skip


def of_report(report: Report, of: str) -> DataFrame:
    """Operators, findings or recommendations of a report.

    Raises:
        UsageError: another word in `of`.
    """
    if of == "operators":
        return _frame(map(_operator, report.operators), _OPERATORS)
    if of == "findings":
        return _frame(map(_finding, report.findings), _FINDINGS)
    if of == "recommendations":
        return _frame(map(_recommendation, report.recommendations), _RECOMMENDATIONS)
    raise UsageError(
        f"no table of {of!r}", where="to_frame", now="Choose operators, findings or recommendations."
    )


def of_search(found: SearchResult) -> DataFrame:
    """The entries found."""
    return _frame((hit._asdict() for hit in found.results), _HITS)


def of_comparison(found: Comparison) -> DataFrame:
    """The operators of either run: one that is gone has no time after, a new one none before."""
    rows = (
        {name: getattr(item, name, None) for name in _CHANGES}
        | {
            "name": item.name,
            "differs": " ".join(item.differs),
            "noise": item.band.value if item.band else None,
        }
        | {"before_us": item.before.time_us if item.before else None}
        | {"after_us": item.after.time_us if item.after else None}
        for item in found.changes
    )
    return _frame(rows, _CHANGES)


def of_check(found: CheckResult) -> DataFrame:
    """The operator types, one row an engine."""
    rows = (
        {name: getattr(item, name) for name in _CHECKED} | {"remedies": " ".join(item.remedies)}
        for item in found.operators
    )
    return _frame(rows, _CHECKED)


def _operator(item: OperatorRef) -> dict[str, Any]:
    return {name: getattr(item, name) for name in _OPERATORS}


def _finding(item: Finding) -> dict[str, Any]:
    own = {name: getattr(item, name, None) for name in _FINDINGS}
    first = item.operators[0] if item.operators else None
    return own | {"operator": (first.type or first.name) if first else None, "operators": len(item.operators)}


def _recommendation(item: Recommendation) -> dict[str, Any]:
    own = {name: getattr(item, name, None) for name in _RECOMMENDATIONS}
    return own | {
        f"gain_{part}": getattr(item.gain, part) for part in ("low", "likely", "high", "of", "basis")
    }


def _frame(rows: Iterable[Mapping[str, Any]], columns: Mapping[str, str]) -> DataFrame:
    """A table of these columns, each of its type: pandas' types with missing values, object columns for texts."""
    import pandas as pd

    listed: Sequence[Mapping[str, Any]] = list(rows)
    kinds = {"str": "object"}
    return pd.DataFrame(
        {
            name: pd.Series([row.get(name) for row in listed], dtype=kinds.get(kind, kind))
            for name, kind in columns.items()
        }
    )
