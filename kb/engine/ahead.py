"""Advice ahead of the device: a model, or operators with shapes, foretold and judged like a profile.

model -> check, network -> times -> forecast -> profile -> pipeline -> report with the forecast in it
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kb import operators, targets
from kb.engine import network, pipeline
from kb.engine.check import CheckResult, check, check_types
from kb.engine.estimate import Estimate, NotEstimated
from kb.engine.estimate.scales import Scales
from kb.engine.family import recognise_profile
from kb.errors import NothingToJudge, UsageError
from kb.forecast import Forecast, ForecastOperator
from kb.graph import read
from kb.model import Report
from kb.units import us

MOST_SURE = 0.5  # confidence of a finding that rests on estimated times: own judgement
HOST = "host"  # family of entries about launching from the host, of which an estimate knows nothing
MOST_ADVICE = 3  # entries named beside one operator


ScalesOf = Callable[[str], "Scales | None"]  # the user's calibration of a chip, if there is one


def _none(_soc: str) -> Scales | None:
    return None


@dataclass(frozen=True, slots=True)
class Ahead:
    """The report, its forecast inside, and the coverage check it goes with."""

    report: Report
    check: CheckResult


def of_model(
    path: Path,
    request: pipeline.Request,
    input_shapes: Sequence[str] = (),
    scales: ScalesOf = _none,
    knowledge: pipeline.Knowledge | None = None,
) -> Ahead:
    """The report for an ONNX model on the chip of the request.

    Raises:
        UsageError: no chip, an unknown one, or an input shape that does not fit. SourceError: not a readable model.
        NothingToJudge: no operator of it can be estimated.
    """
    soc = _chip(request.soc)
    given = network.parse_shapes(input_shapes)
    found = network.convert(read(path), soc, given)
    knowledge = knowledge or pipeline.open_knowledge()
    result = check(found.model, soc, knowledge.entries.values())
    return _ahead(found.network, soc, path, "onnx", result, request, scales, knowledge)


def of_operators(
    path: Path,
    request: pipeline.Request,
    scales: ScalesOf = _none,
    knowledge: pipeline.Knowledge | None = None,
) -> Ahead:
    """The report for an operator JSON; the chip is that of the request, else the one the file names.

    Raises:
        UsageError: no chip, or an unknown one. SourceError: the file cannot be understood.
        NothingToJudge: no operator of it can be estimated.
    """
    listed, soc = network.read_operators(path, request.soc or "")
    soc = _chip(soc)
    listed = network.with_engines(listed, soc)
    knowledge = knowledge or pipeline.open_knowledge()
    counts: dict[str, int] = {}
    for call in listed.calls:
        counts[call.type] = counts.get(call.type, 0) + call.times
    times = network.timed(listed, soc)
    family = recognise_profile(network.to_profile(listed, times, soc, path, "operators").operators)
    result = check_types(counts, soc, knowledge.entries.values(), listed.name, family)
    return _ahead(listed, soc, path, "operators", result, request, scales, knowledge)


def _chip(soc: str | None) -> str:
    if not soc:
        raise UsageError("which chip?", where="--soc", now="For example --soc Ascend910B3.")
    return targets.typical(soc).id


def _ahead(
    found: network.Network,
    soc: str,
    path: Path,
    kind: str,
    result: CheckResult,
    request: pipeline.Request,
    scales: ScalesOf,
    knowledge: pipeline.Knowledge,
) -> Ahead:
    times = network.timed(found, soc, scales(soc))
    reasons = [one.answer.reason for one in times if isinstance(one.answer, NotEstimated)]
    if not any(isinstance(one.answer, Estimate) for one in times):
        raise NothingToJudge(
            f"no operator can be estimated: {reasons[0] if reasons else 'the graph has no kernels'}",
            where=str(path),
            now="for a model with open sizes give --input-shape; kb check says where its operators run",
        )
    forecast = network.foretell(found, soc, times, result.family.name if result.family else "")
    profile = network.to_profile(found, times, soc, path, kind)
    entries = {name: entry for name, entry in knowledge.entries.items() if entry.family != HOST}
    asked = replace(request, who=None, top=pipeline.KEPT, most_sure=MOST_SURE)
    report = pipeline.advise_profile(profile, asked, replace(knowledge, entries=entries), result.family)
    forecast = _with_advice(forecast, report, result)
    warnings = (*report.warnings, *forecast.doubts, *result.warnings, *_fallbacks(result))
    report = replace(
        report,
        forecast=forecast,
        measured=(),  # nothing was: an estimate is never compared with a run
        headline=_headline(forecast, report),
        similar_cases=result.similar_cases or report.similar_cases,
        warnings=tuple(dict.fromkeys(warnings)),
    )
    return Ahead(pipeline.narrow(report, request), result)


def _headline(forecast: Forecast, report: Report) -> str:
    low, mid, high = (us(value) for value in (forecast.low_us, forecast.mid_us, forecast.high_us))
    text = f"Estimate, nothing measured: about {mid} ({low} to {high})"
    if forecast.samples:
        text += f" for a batch of {forecast.samples}"
    missing = forecast.not_estimated
    text += (
        f", without {missing} {'call' if missing == 1 else 'calls'} that cannot be estimated"
        if missing
        else ""
    )
    return f"{text}. {report.headline}"


def _fallbacks(result: CheckResult) -> list[str]:
    out = []
    for operator in result.operators:
        if operator.falls_back or operator.engine == "no_importer":
            way = f"; way out: {', '.join(operator.remedies)}" if operator.remedies else ""
            why = "; ".join(operator.broken) or operator.restriction or operator.engine
            out.append(f"{operator.type} x{operator.count}: {why}{way}")
    return out


def _with_advice(forecast: Forecast, report: Report, result: CheckResult) -> Forecast:
    """The forecast with the ids of entries that speak of each operator: remedies of a fallback, then ranked advice."""
    fallbacks = {operator.type: operator.remedies for operator in result.operators if operator.remedies}
    by_finding = {finding.id: finding for finding in report.findings}

    def advice(row: ForecastOperator) -> tuple[str, ...]:
        names: dict[str, None] = {}
        for kind in (row.type, *row.layers):
            names.update(dict.fromkeys(fallbacks.get(kind, ())))
        for item in report.recommendations:
            finding = by_finding.get(item.finding)
            if finding and any(_same(operator.name, operator.type, row) for operator in finding.operators):
                names[item.id] = None
        return tuple(names)[:MOST_ADVICE]

    return replace(forecast, operators=tuple(replace(row, advice=advice(row)) for row in forecast.operators))


def _same(name: str, kind: str | None, row: ForecastOperator) -> bool:
    return name == row.name or (
        kind is not None and operators.canonical(kind) == operators.canonical(row.type)
    )
