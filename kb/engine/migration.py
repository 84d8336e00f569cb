"""The plan of a migration: what stands in the way, what to change in which order, and what to measure first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from kb.engine.ahead import Ahead
from kb.engine.check import CheckedOperator, document
from kb.forecast import Forecast, ForecastOperator
from kb.model import Entry, Recommendation, to_dict

SCHEMA = "kb.migration/1"
_ABSENT = "weights are missing"  # how the check says it
MOST_ADVICE, MOST_SUSPECTS = 5, 5
StepKind = Literal["import", "limit", "fallback", "unknown", "advice", "measure"]


@dataclass(frozen=True, slots=True)
class Step:
    """One step: what it is about, why, and the entries that say how. `saves` is the fraction of the run.

    `finding` is the one that advice works against; `mind` what speaks against trusting it here: a chip it was never
    measured on, a condition that was not seen.
    """

    kind: StepKind
    subject: str
    why: str
    entries: tuple[str, ...] = ()
    saves_low: float | None = None
    saves_high: float | None = None
    saves_likely: float | None = None
    finding: str | None = None
    mind: tuple[str, ...] = ()


def plan(found: Ahead) -> list[Step]:
    """The steps in order: what stops the conversion, what it may stop at, what leaves the AI Core, advice, measuring.

    Advice that is known to fit goes by what it likely saves, the largest first.
    """
    operators = found.check.operators
    out = [
        *(
            _operator("import", op)
            for op in operators
            if op.engine == "no_importer" or (op.engine == "no_kernel" and op.runs)
        ),
        *(Step("limit", node.type, f"{'; '.join(node.reasons)} [{node.name}]") for node in _limited(found)),
        *(_operator("fallback", op) for op in operators if op.engine in ("ai_cpu", "host")),
        *(_operator("unknown", op) for op in operators if op.engine == "unknown"),
    ]
    if not found.check.importable and not any(step.kind == "import" for step in out):
        out.insert(
            0,
            Step(
                "import",
                f"opset {found.check.opset}",
                found.check.warnings[0] if found.check.warnings else "",
            ),
        )
    out[:0] = [Step("import", "weights", text) for text in found.check.warnings if text.startswith(_ABSENT)]
    told = {entry for step in out for entry in step.entries}
    out += _advice(found, told, fallback=any(step.kind == "fallback" for step in out))
    out.append(Step("measure", found.report.target, ""))
    return out


def _advice(found: Ahead, told: set[str], *, fallback: bool) -> list[Step]:
    """Advice that the steps before do not give already: where each operator that falls back is named with its way out."""
    findings = {one.id: one for one in found.report.findings}
    steps = []
    for item in found.report.recommendations:
        finding = findings.get(item.finding)
        if item.id in told or (fallback and finding is not None and finding.pattern == "aicpu-fallback"):
            continue
        share = 1.0 if item.gain.of == "run" or finding is None else finding.share
        low, likely, high = (
            round(part * share, 4) for part in (item.gain.low, item.gain.likely, item.gain.high)
        )
        why = "; ".join(text for text in (finding.summary if finding else "", item.only_if or "") if text)
        step = Step(
            "advice", item.title, why, (item.id,), low, high, likely, item.finding, tuple(_doubts(item))
        )
        steps.append((item.only_if is not None, step))
    first = steps[:MOST_ADVICE]
    return [step for _, step in sorted(first, key=lambda each: (each[0], -(each[1].saves_likely or 0.0)))]


def _doubts(item: Recommendation) -> Iterator[str]:
    """Of the evidence what a plan must not leave out: measured elsewhere alone, or a condition that was not seen."""
    yield from (
        text for text in item.evidence if text.startswith("measured on ") or text.endswith(": not seen here")
    )


def _operator(kind: StepKind, op: CheckedOperator) -> Step:
    why = "; ".join(op.broken) or op.restriction or op.engine
    return Step(kind, f"{op.type} x{op.count}", why, op.remedies)


def _limited(found: Ahead) -> Iterator[Any]:
    """One node of each type and reason that breaks a stated limit but stays on the AI Core."""
    seen: set[tuple[str, tuple[str, ...]]] = set()
    if not found.check.breaks_limits:
        return
    for node in found.check.nodes:
        if node.engine == "ai_core" and node.reasons and (node.type, node.reasons) not in seen:
            seen.add((node.type, node.reasons))
            yield node


def suspects(forecast: Forecast) -> list[ForecastOperator]:
    """The calls whose time is unknown or most uncertain, one a type: what a first profile should answer."""
    unknown = [
        row
        for row in forecast.operators
        if row.not_estimated is not None and row.engine in ("ai_core", "unknown")
    ]
    widest: dict[str, ForecastOperator] = {}
    for row in sorted(forecast.operators, key=lambda row: (-_spread(row), row.name)):
        if row.mid_us is not None:
            widest.setdefault(row.type, row)
    return [*unknown[:2], *widest.values()][:MOST_SUSPECTS]


def _spread(row: ForecastOperator) -> float:
    return (row.high_us or 0.0) - (row.low_us or 0.0)


def migration_document(found: Ahead, entries: Mapping[str, Entry]) -> dict[str, Any]:
    """The JSON of `kb migrate-report` (docs/json.md)."""
    forecast = found.report.forecast
    assert forecast is not None  # noqa: S101 - what `ahead` returns has one
    return {
        "schema": SCHEMA,
        "model": found.check.model,
        "soc": forecast.soc,
        "run": found.report.run,
        "coverage": document(found.check),
        "forecast": to_dict(forecast),
        "plan": [to_dict(step) for step in plan(found)],
        "profile_first": [to_dict(row) for row in suspects(forecast)],
        "cases": [_case(case.id, case.title, case.why, entries) for case in found.check.similar_cases],
        "warnings": list(found.report.warnings),
    }


def _case(id_: str, title: str, why: str, entries: Mapping[str, Entry]) -> dict[str, Any]:
    entry = entries.get(id_)
    gains = (
        [] if entry is None else [gain for gain in entry.gains if gain.before or gain.saved_low is not None]
    )
    return {"id": id_, "title": title, "why": why, "results": [to_dict(gain) for gain in gains]}
