"""Run all cases through the engine and count: the figures of `kb eval advice`.

Every case takes the way of a user's input: files are written and read, typed counters go through `--metrics`. Nothing
here knows how an answer was reached.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from kb import targets
from kb.benchmark import healthy, planted, real, selftest
from kb.benchmark.scores import Failure, Scores, Section, part, ranking
from kb.engine import stated
from kb.engine.bottlenecks.gate import near_floor
from kb.engine.metrics import measure_profile
from kb.engine.pipeline import Knowledge, advise, advise_profile, open_knowledge
from kb.engine.rank import NO_REMEDY
from kb.engine.readers.metrics_json import read_metrics
from kb.engine.request import Request
from kb.errors import NothingToJudge
from kb.model import Entry, Finding, Profile, Recommendation, Report

DEEP = 60  # recommendations looked through for MRR; users see ten
GRAIN = 0.005  # a promise is printed in whole percents


def run(
    knowledge: Knowledge | None = None,
    table: Path | None = None,
    profiles: Path | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Scores:
    """All sections; real captures only where a table of cases and the folder of profiles are given.

    Raises:
        SourceError: the table is unreadable.
    """
    knowledge = knowledge or open_knowledge()
    sections: list[Section] = []
    with tempfile.TemporaryDirectory(prefix="kb-eval-") as name:
        progress("recipes' own profiles")
        sections += recipe_sections(knowledge, Path(name))
        if table is not None and profiles is not None:
            progress("real captures")
            sections.append(real_section(knowledge, real.load(table, profiles)))
        progress("planted problems and their clean twins")
        sections.append(planted_section(knowledge, Path(name)))
        progress("healthy kernels")
        sections.append(healthy_section(knowledge))
    return Scores(tuple(sections))


def recipe_sections(knowledge: Knowledge, folder: Path) -> list[Section]:
    """Self-tests of the recipes: own observations hidden, and figures of the whole source hidden."""
    cases, left_out = selftest.cases(knowledge.entries)
    path = folder / "recipes.json"
    path.write_text(json.dumps([case.document for case in cases]), encoding="utf-8")
    profiles = [stated.with_chip(profile) for profile in read_metrics(path)]
    limit = {case.entry for case, profile in zip(cases, profiles, strict=True) if _at_limit(profile)}
    out = []
    for name, hide in (("recipes", selftest.hidden), ("recipes-source-hidden", selftest.source_hidden)):
        asked = [
            (case, _advice(profile, replace(knowledge, entries=hide(knowledge.entries, case))))
            for case, profile in zip(cases, profiles, strict=True)
        ]
        out.append(
            _recipe_section(name, asked, knowledge.entries, limit, left_out if name == "recipes" else [])
        )
    return out


def _at_limit(profile: Profile) -> bool:
    """The profile's only kernel is as near to its floor as good kernels get: nothing should be advised."""
    profile = stated.apply(profile, None)
    found = measure_profile(profile, targets.candidates(profile.chip)).operators
    return len(found) == 1 and near_floor(found[0])


def _recipe_section(
    name: str,
    asked: Sequence[tuple[selftest.Case, Sequence[Recommendation]]],
    entries: Mapping[str, Entry],
    limit: Collection[str],
    left_out: Sequence[str],
) -> Section:
    strict = [selftest.place([item.id for item in advice], [case.entry]) for case, advice in asked]
    linked = [
        selftest.place([item.id for item in advice], [case.entry, *case.equals]) for case, advice in asked
    ]
    covered = [
        _covers((item.gain.low, item.gain.high), case.gain)
        for case, advice in asked
        for item in advice
        if item.id == case.entry and case.gain is not None
    ]
    bad = [entries[advice[0].id].facts.get("role") in NO_REMEDY for _, advice in asked if advice]
    failures = [
        Failure(name, case.entry, "in the first three", _first(advice, place))
        for (case, advice), place in zip(asked, strict, strict=True)
        if place is None or place > 3
    ]
    room = [place for (case, _), place in zip(asked, strict, strict=True) if case.entry not in limit]
    figures = {
        **ranking(strict),
        **{f"open_{key}": value for key, value in ranking(room).items()},
        "at_limit": float(len(limit)),
        **{f"linked_{key}": value for key, value in ranking(linked).items()},
        "calibrated": part(covered),
        "known_bad_first": float(sum(bad)),
    }
    why = "all it observed is one absolute time, of a size that is not told"
    return Section(name, len(asked), figures, tuple(failures), tuple(f"{item}: {why}" for item in left_out))


def real_section(knowledge: Knowledge, cases: Sequence[real.Case]) -> Section:
    """Real captures with a known remedy."""
    ready = [case for case in cases if not case.missing]
    answers = [_real_answer(knowledge, case) for case in ready]
    places = [answer.place for case, answer in zip(ready, answers, strict=True) if case.remedies]
    figures = {
        "found": part(answer.found for case, answer in zip(ready, answers, strict=True) if case.findings),
        **ranking(places),
        "calibrated": part(answer.covered for answer in answers if answer.covered is not None),
        "known_bad_first": float(sum(bool(answer.bad) for answer in answers)),
        "noisy": float(sum(bool(answer.loud) for answer in answers)),
    }
    failures = [
        item for case, answer in zip(ready, answers, strict=True) for item in _real_failures(case, answer)
    ]
    skipped = tuple(f"{case.id}: {case.missing}" for case in cases if case.missing)
    return Section("real", len(ready), figures, tuple(failures), skipped)


class _Answer(NamedTuple):
    """What came back for a real case; `covered` None where no gain is known or nothing right was advised."""

    report: Report | None
    found: bool
    place: int | None
    covered: bool | None
    bad: str  # a known non-remedy in the first place
    loud: tuple[str, ...]  # advice on operators that have nothing to win


def _real_answer(knowledge: Knowledge, case: real.Case) -> _Answer:
    report = _report(lambda: advise(case.paths, Request(case.soc, case.shape, top=DEEP), knowledge))
    findings = report.findings if report else ()
    advice = report.recommendations if report else ()
    first = next((item for item in advice if item.id in case.remedies and item.gain.of == case.gain_of), None)
    covered = None
    if case.gain is not None and first is not None:
        covered = _covers((first.gain.low, first.gain.high), (case.gain, case.gain))
    return _Answer(
        report,
        any(finding.pattern in case.findings for finding in findings),
        selftest.place([item.id for item in advice], case.remedies),
        covered,
        advice[0].id if advice and advice[0].id in case.not_first else "",
        tuple(item.id for item in advice if _speaks_of(item, findings, case.quiet_on)),
    )


def _real_failures(case: real.Case, answer: _Answer) -> Iterator[Failure]:
    advice = answer.report.recommendations if answer.report else ()
    if case.findings and not answer.found:
        got = (
            ", ".join(f.pattern for f in answer.report.findings[:4]) if answer.report else "nothing to judge"
        )
        yield Failure("real", case.id, "a finding of " + "/".join(case.findings), got)
    if case.remedies and (answer.place is None or answer.place > 3):
        yield Failure("real", case.id, "a remedy in the first three", _first(advice, answer.place))
    if answer.covered is False:
        yield Failure("real", case.id, f"a range that holds {case.gain:.1%}", "another range")
    if answer.bad:
        yield Failure("real", case.id, "a known non-remedy not first", answer.bad)
    if answer.loud:
        yield Failure("real", case.id, "no advice on " + "/".join(case.quiet_on), ", ".join(answer.loud[:3]))


def planted_section(knowledge: Knowledge, folder: Path) -> Section:
    """Planted problems: causes, remedies and gains found, and what is said of the clean twins."""
    verdicts: list[tuple[planted.Scenario, planted.Verdict]] = []
    failures: list[Failure] = []
    clean_findings = clean_advised = 0
    for scenario in planted.scenarios():
        bad, clean, truths = planted.write(folder, scenario)
        request = Request(scenario.soc)
        report = advise([bad], request, knowledge)
        for verdict in planted.judge(report, truths):
            verdicts.append((scenario, verdict))
            failures += _planted_failures(scenario, verdict, report)
        twin = advise([clean], request, knowledge)
        alarms = [f.id for f in twin.findings if healthy.is_false_alarm(f)]
        clean_findings += len(alarms)
        clean_advised += bool(twin.recommendations)
        if alarms:
            failures.append(
                Failure("planted", scenario.name, "a clean twin without findings", ", ".join(alarms))
            )
    alone = [verdict for scenario, verdict in verdicts if len(scenario.causes) == 1]
    figures = {
        "causes": part(v.found for _, v in verdicts),
        "remedies": part(v.remedy_place is not None for _, v in verdicts),
        "gains": part(v.covered for _, v in verdicts),
        **{f"alone_{key}": value for key, value in ranking([v.remedy_place for v in alone]).items()},
        "clean_findings": float(clean_findings),
        "clean_advised": float(clean_advised),
    }
    return Section("planted", len(verdicts), figures, tuple(failures))


def _planted_failures(scenario: planted.Scenario, verdict: planted.Verdict, report: Report) -> list[Failure]:
    case = f"{scenario.name}: {verdict.cause}"
    if not verdict.found:
        return [Failure("planted", case, "the cause", ", ".join(f.pattern for f in report.findings[:4]))]
    if verdict.remedy_place is None:
        return [Failure("planted", case, "a remedy", _first(report.recommendations, None))]
    if not verdict.covered:
        return [Failure("planted", case, f"a range that holds {verdict.gain:.1%}", str(verdict.promised))]
    return []


def healthy_section(knowledge: Knowledge) -> Section:
    """Kernels with nothing to win: findings are false alarms, and so is any advice."""
    alarms = advised = cases = 0
    failures: list[Failure] = []
    for profile in healthy.corpus():
        cases += 1
        report = advise_profile(profile, Request(), knowledge)
        loud = [finding.id for finding in report.findings if healthy.is_false_alarm(finding)]
        alarms += len(loud)
        advised += bool(report.recommendations)
        if loud:
            failures.append(Failure("healthy", profile.target, "no finding", ", ".join(loud)))
    figures = {"false_alarms": float(alarms), "advised": float(advised)}
    return Section("healthy", cases, figures, tuple(failures))


def _advice(profile: Profile, knowledge: Knowledge) -> tuple[Recommendation, ...]:
    report = _report(lambda: advise_profile(profile, Request(top=DEEP), knowledge))
    return report.recommendations if report else ()


def _report(make: Callable[[], Report]) -> Report | None:
    """The report, None when there was nothing to judge (a miss, not an error)."""
    try:
        return make()
    except NothingToJudge:
        return None


def _covers(promised: tuple[float, float], measured: tuple[float, float] | None) -> bool:
    """The middle of what was measured lies in the promised range."""
    if measured is None:
        return False
    middle = sum(measured) / 2
    return promised[0] - GRAIN <= middle <= promised[1] + GRAIN


def _speaks_of(item: Recommendation, findings: Sequence[Finding], words: Sequence[str]) -> bool:
    finding = next((f for f in findings if f.id == item.finding), None)
    names = [name for ref in finding.operators for name in (ref.name, ref.type or "")] if finding else []
    return any(word in name for name in names for word in words)


def _first(advice: Sequence[Recommendation], place: int | None) -> str:
    where = f"place {place}; " if place else "not at all; "
    return where + (", ".join(item.id for item in advice[:3]) or "no advice")
