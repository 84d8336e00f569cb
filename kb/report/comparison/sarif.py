"""The comparison as SARIF 2.1.0: regressions, new findings, and runs that cannot be compared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kb.comparison import Comparison
from kb.report.comparison import words
from kb.report.comparison.junit import failed_names
from kb.report.dump import dumps
from kb.report.text import clean

NAME = "sarif"
EXTENSION = ".sarif"
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_RULES = {
    "regression": "Slower than before, beyond noise",
    "not-comparable": "The runs were not measured alike",
    "new-finding": "A bottleneck that was not there before",
}


def render(found: Comparison, *, lang: str, width: int, color: bool) -> str:  # noqa: ARG001
    """One run of the tool `kb compare` with a result for each fault."""
    rules = [{"id": name, "shortDescription": {"text": text}} for name, text in _RULES.items()]
    run = {
        "tool": {"driver": {"name": "kb compare", "rules": rules}},
        "results": list(_results(found, lang)),
    }
    return dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _results(found: Comparison, lang: str) -> Iterator[dict[str, Any]]:
    headline = words.headline(found, lang)
    if found.verdict == "not-comparable":
        told = "; ".join(words.check_text(check, lang) for check in found.reasons)
        yield _result("not-comparable", "error", f"{headline}. {told}", found.after.target)
        return
    failed = failed_names(found)
    if "" in failed:
        yield _result("regression", "error", headline, found.after.target)
    for item in found.changes:
        if item.verdict == "slower" and item.change is not None and item.band is not None:
            text = f"{words.operator_text(item, found)}: {words.signed(item.change)}, {words.band_text(item.band, lang)}"
            yield _result("regression", "error" if item.name in failed else "note", text, item.name)
    for trouble in found.findings:
        if trouble.state == "new":
            text = f"{words.trouble_text(trouble, lang)}. {trouble.summary}"
            yield _result("new-finding", "note", text, trouble.operator or found.after.target)


def _result(rule: str, level: str, text: str, where: str) -> dict[str, Any]:
    place = {"logicalLocations": [{"fullyQualifiedName": clean(where), "kind": "function"}]}
    return {"ruleId": rule, "level": level, "message": {"text": clean(text)}, "locations": [place]}
