"""Run all cases through the engine and count: the figures of `kb eval advice`.

Every case takes the way of a user's input: files are written and read, typed counters go through `--metrics`. Nothing
here knows how an answer was reached.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from kb.benchmark import healthy, planted, real, selftest
from kb.benchmark.scores import Failure, Scores, Section, part, ranking
from kb.engine import stated
from kb.engine.pipeline import Knowledge, Request, advise, advise_profile, open_knowledge
from kb.engine.readers.metrics_json import read_metrics
from kb.errors import NothingToJudge
from kb.model import Entry, Profile, Recommendation, Report

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
    out = []
    for name, hide in (("recipes", selftest.hidden), ("recipes-source-hidden", selftest.source_hidden)):
        asked = [
            (case, _advice(profile, replace(knowledge, entries=hide(knowledge.entries, case))))
            for case, profile in zip(cases, profiles, strict=True)
        ]
        out.append(_recipe_section(name, asked, knowledge.entries, left_out if name == "recipes" else []))
    return out


def _recipe_section(
    name: str,
    asked: Sequence[tuple[selftest.Case, Sequence[Recommendation]]],
    entries: Mapping[str, Entry],
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
    bad = [entries[advice[0].id].facts.get("role") in selftest.NO_REMEDY for _, advice in asked if advice]
    failures = [
        Failure(name, case.entry, "in the first three", _first(advice, place))
        for (case, advice), place in zip(asked, strict, strict=True)
        if place is None or place > 3
    ]
    figures = {
        **ranking(strict),
        **{f"linked_{key}": value for key, value in ranking(linked).items()},
        "calibrated": part(covered),
        "known_bad_first": float(sum(bad)),
    }
    why = "all it observed is one absolute time"
    return Section(name, len(asked), figures, tuple(failures), tuple(f"{item}: {why}" for item in left_out))


def real_section(knowledge: Knowledge, cases: Sequence[real.Case]) -> Section:
    """Real captures with a known remedy."""
    found: list[bool] = []
    places: list[int | None] = []
    covered: list[bool] = []
    bad = noisy = 0
    failures: list[Failure] = []
    skipped = [f"{case.id}: {case.missing}" for case in cases if case.missing]
    ready = [case for case in cases if not case.missing]
    for case in ready:
        report = _report(
            lambda case=case: advise(case.paths, Request(case.soc, case.shape, top=DEEP), knowledge)
        )  # type: ignore[misc]
        advice = report.recommendations if report else ()
        if case.findings:
            found.append(bool(report) and any(f.pattern in case.findings for f in report.findings))  # type: ignore[union-attr]
            if not found[-1]:
                got = ", ".join(f.pattern for f in report.findings[:4]) if report else "nothing to judge"
                failures.append(Failure("real", case.id, "a finding of " + "/".join(case.findings), got))
        if case.remedies:
            places.append(selftest.place([item.id for item in advice], case.remedies))
            if places[-1] is None or places[-1] > 3:
                failures.append(
                    Failure("real", case.id, "a remedy in the first three", _first(advice, places[-1]))
                )
            right = [item for item in advice if item.id in case.remedies]
            if case.gain is not None and right:
                spans = [(item.gain.low, item.gain.high) for item in right if item.gain.of == case.gain_of]
                covered.append(any(_covers(span, (case.gain, case.gain)) for span in spans[:1]))
        if advice and advice[0].id in case.not_first:
            bad += 1
            failures.append(Failure("real", case.id, "a known non-remedy not first", advice[0].id))
        loud = [item.id for item in advice if _speaks_of(item, report, case.quiet_on)]
        if loud:
            noisy += 1
            failures.append(
                Failure("real", case.id, "no advice on " + "/".join(case.quiet_on), ", ".join(loud[:3]))
            )
    figures = {
        "found": part(found),
        **ranking(places),
        "calibrated": part(covered),
        "known_bad_first": bad,
        "noisy": noisy,
    }
    return Section("real", len(ready), figures, tuple(failures), tuple(skipped))


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


def _speaks_of(item: Recommendation, report: Report | None, words: Sequence[str]) -> bool:
    finding = next((f for f in report.findings if f.id == item.finding), None) if report else None
    names = [name for ref in finding.operators for name in (ref.name, ref.type or "")] if finding else []
    return any(word in name for name in names for word in words)


def _first(advice: Sequence[Recommendation], place: int | None) -> str:
    where = f"place {place}; " if place else "not at all; "
    return where + (", ".join(item.id for item in advice[:3]) or "no advice")
