"""Read, measure, judge, match, rank: the only place that knows the order.

files -> readers -> Profile -> metrics -> Features -> bottlenecks -> Diagnosis -> match, rank -> Report
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from kb.comparison import Comparison
from kb.engine import recollect, stated, summary
from kb.engine.bottlenecks.diagnose import diagnose, operator_ref
from kb.engine.charts import charts
from kb.engine.compare.extract import measured
from kb.engine.content import content as content_of
from kb.engine.family import FamilyGuess
from kb.engine.match import Match, match
from kb.engine.metrics import RunFeatures, measure_profile
from kb.engine.rank import rank
from kb.engine.request import KEPT, Request
from kb.errors import NothingToJudge, SourceError
from kb.model import Chip, Diagnosis, Entry, Features, Finding, OperatorRef, Profile, Report, SimilarCase
from kb.targets import FEW, Target, in_short
from kb.targets import candidates as possible_chips
from kb.vocabulary.losses import DAMAGE

Nearness = Callable[[str, tuple[str, ...], int], Mapping[str, float]]


LEADS = 5  # operators of a run-level finding that entries are matched with
NEAR_CASE = 0.5  # nearness from which a case that shares nothing measured is named, as found by text only
RUN_ID = 12  # digits of the hash of the content that name a run


_FIGURE = re.compile(r"\b\d[\d.,]*\s*(%|us\b|ms\b|s\b|[KMG]?i?B\b)?")


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What the pipeline needs of the knowledge base: entries by id, and nearness of a text to entries of some kinds."""

    entries: Mapping[str, Entry]
    nearness: Nearness
    version: str = ""


def advise(
    paths: Sequence[Path],
    request: Request = Request(),
    knowledge: Knowledge | None = None,
    progress: Callable[[int, float], None] | None = None,
    looking: Callable[[Literal["found", "opened"], int], None] | None = None,
) -> Report:
    """The report for a profile; several paths are one run.

    `progress` is told of rows read and the part they are, `looking` before that of files found and opened.

    Raises:
        SourceError: a file could not be read. UsageError: an option makes no sense.
        NothingToJudge: readable, but without the counters that any judgement needs.
    """
    from kb.engine import readers
    from kb.engine.job.compared import remarks
    from kb.engine.job.read import read_job

    found = read_job([Path(path) for path in paths], request.soc, request.spread, progress, looking)
    if found is not None:
        report = advise_profile(found.profile, request, knowledge, remarks=remarks(found.job))
        return replace(report, job=found.job)
    return advise_profile(
        readers.read(paths, soc=request.soc, progress=progress, looking=looking), request, knowledge
    )


def advise_metrics(
    source: Path | Mapping[str, Any] | Sequence[Any],
    request: Request = Request(),
    knowledge: Knowledge | None = None,
) -> list[Report]:
    """One report for each object of a `--metrics` file, or of what it would hold (its form: docs/json.md)."""
    from kb.engine.readers.metrics_json import read_metrics

    knowledge = knowledge or open_knowledge()
    return [advise_profile(stated.with_chip(profile), request, knowledge) for profile in read_metrics(source)]


def compare(
    before: Report | str | Path | Sequence[Path],
    after: Report | str | Path | Sequence[Path],
    request: Request = Request(),
    *,
    noise: float | None = None,
    knowledge: Knowledge | None = None,
) -> Comparison:
    """The verdict on two runs, each a report or the path of a profile (several paths are one run).

    Args:
        request: how profiles are read (its `soc` and `shape`); reports stand as they are.
        noise: noise band as a fraction, instead of what launches and cores show.

    Raises:
        SourceError, UsageError, NothingToJudge: as `advise`; NothingToJudge also where a run has no times.
    """
    from kb.engine.compare import compare as compare_reports

    knowledge = knowledge or open_knowledge()
    one, two = (
        side
        if isinstance(side, Report)
        else advise([Path(side)] if isinstance(side, (str, Path)) else list(side), request, knowledge)
        for side in (before, after)
    )
    return compare_reports(one, two, noise)


def advise_profile(
    profile: Profile,
    request: Request = Request(),
    knowledge: Knowledge | None = None,
    family: FamilyGuess | None = None,
    remarks: Sequence[str] = (),
) -> Report:
    """The report for a profile already read; `family` is that of its network, where a graph told it.

    `remarks` are to be kept in mind before what the profile itself tells, though not before what was lost of it.
    """
    if not profile.operators and not profile.ranks:
        if profile.times.compute is not None:
            raise NothingToJudge(
                "only the times of one rank's steps, and no operator",
                where=profile.target,
                now="add the other ranks, which are then compared, or give a profile with kernels",
            )
        raise _no_operator(profile)
    knowledge = knowledge or open_knowledge()
    content = content_of(profile)
    profile = stated.apply(profile, request.shape)
    targets = possible_chips(profile.chip)
    features = measure_profile(profile, targets)
    apart = any(item.code == "tables-apart" for item in profile.notices)
    most_sure = min(request.most_sure, TABLES_APART) if apart else request.most_sure
    diagnosis = diagnose(features.run, features.operators, profile.scope, most_sure)
    _require_counters(profile, diagnosis, features)
    not_judged = recollect.with_commands(diagnosis.not_judged, profile.capture.tool, features)
    matches = _matches(diagnosis, features, targets, knowledge, family)
    recommendations = rank(matches, run_scope=profile.scope == "run", limit=KEPT, outcomes=request.outcomes)
    report = Report(
        target=profile.target,
        run=content[:RUN_ID],
        chip=_with_series(profile.chip),
        capture=profile.capture,
        total_us=summary.total_us(profile, features),
        headline=summary.headline(profile, features, diagnosis, recommendations),
        operators=tuple(operator_ref(f) for f in sorted(features.operators, key=_by_time)[:20]),
        findings=diagnosis.findings,
        not_judged=not_judged,
        recommendations=recommendations,
        similar_cases=_similar_cases(profile, features, diagnosis, knowledge),
        warnings=(*summary.warnings(profile, features, diagnosis, remarks), *summary.sunk(recommendations)),
        key_data=summary.key_data(profile, features, diagnosis),
        files=profile.files,
        versions={"knowledge": knowledge.version} if knowledge.version else {},
        elapsed_us=summary.elapsed_us(profile),
        ranks=summary.ranks(profile),
        charts=charts(profile, features, targets),
        steps=profile.times.steps,
        content=content,
        measured=measured(features.operators),
    )
    return narrow(report, request)


def _with_series(chip: Chip) -> Chip:
    """The chip with the product lines of its candidates, where they are too many to be read."""
    many = chip.soc is None and len(chip.candidates) > FEW
    return replace(chip, series=in_short(chip.candidates)) if many else chip


def _matches(
    diagnosis: Diagnosis,
    features: RunFeatures,
    targets: tuple[Target, ...],
    knowledge: Knowledge,
    family: FamilyGuess | None = None,
) -> list[Match]:
    """The entries that may answer the findings, unordered."""
    leads = _leads(diagnosis.findings, features.operators)
    near = {
        finding.id: knowledge.nearness(_words(finding, leads[finding.id]), ("recipe", "tip"), 40)
        for finding in diagnosis.findings
    }
    order = {entry.id: entry.links for entry in knowledge.entries.values() if entry.kind == "pattern"}
    entries = knowledge.entries.values()
    return match(diagnosis.findings, leads, entries, targets, order, near, features, family)


def candidates(profile: Profile, knowledge: Knowledge) -> list[Match]:
    """What a profile's recommendations are chosen from, for the fit of the weights and for a look at the ranking."""
    profile = stated.apply(profile, None)
    targets = possible_chips(profile.chip)
    features = measure_profile(profile, targets)
    diagnosis = diagnose(features.run, features.operators, profile.scope)
    return _matches(diagnosis, features, targets, knowledge)


def narrow(report: Report, request: Request) -> Report:
    """The report with only the recommendations that `request` asks for, ranked anew; the headline names their first."""
    wanted = [item for item in report.recommendations if request.who is None or item.who in ("", request.who)]
    ranked = tuple(replace(item, rank=place) for place, item in enumerate(wanted[: request.top], 1))
    before, after = (
        summary.first_words(report.findings, advice, report.total_us, report.elapsed_us)
        for advice in (report.recommendations, ranked)
    )
    text = report.headline
    if before and text.endswith(before):
        text = text.removesuffix(before) + after
    return replace(report, recommendations=ranked, headline=text)


def open_knowledge() -> Knowledge:
    """The shipped knowledge base (and a team's own folder where one is set up)."""
    from kb.knowledge import search, store

    def nearness(text: str, kinds: tuple[str, ...], count: int) -> Mapping[str, float]:
        return search.nearness(text, kinds=kinds, k=count)

    return Knowledge(store.load_entries(), nearness, store.version())


def _by_time(f: Features) -> tuple[float, str]:
    return (-round(f.operator.total_us, 3) if f.operator else 0.0, f.operator.name if f.operator else "")


def _leads(findings: Sequence[Finding], operators: Sequence[Features]) -> dict[str, tuple[Features, ...]]:
    """The features of the operators that each finding names, one a type and core: that with the most time."""
    by_type: dict[tuple[str, str], Features] = {}
    exact: dict[OperatorRef, Features] = {}
    for f in sorted(operators, key=_by_time):
        if f.operator is not None:
            ref = operator_ref(f)
            exact.setdefault(ref, f)
            by_type.setdefault((ref.type or ref.name, ref.core), f)
    out = {}
    for finding in findings:
        refs = finding.operators if finding.scope == "run" else finding.operators[:1]
        found = [exact.get(ref) or by_type.get((ref.type or ref.name, ref.core)) for ref in refs[:LEADS]]
        out[finding.id] = tuple(f for f in found if f is not None)
    return out


def _words(finding: Finding, leads: Sequence[Features]) -> str:
    """A finding as the sentence a person would search with; its figures mean nothing to a search."""
    parts = [finding.pattern.replace("-", " "), _FIGURE.sub(" ", finding.summary)]
    for lead in leads[:1]:
        parts += [lead.labels.get("op_type", ""), lead.labels.get("op_pattern", "")]
    return " ".join(part for part in parts if part)


TABLES_APART = 0.4  # the most that anything is sure where the tables of a capture are not of one kernel
_EMPTY = "no-rows"


def _no_operator(profile: Profile) -> SourceError | NothingToJudge:
    """Why there is no operator: the file is damaged, or readable and without kernels."""
    lost = next((item for item in profile.notices if item.code in DAMAGE), None)
    empty = next((item for item in profile.notices if item.code == _EMPTY), None)
    told = lost or empty
    if told is None:
        return NothingToJudge(
            "no operator in the input",
            where=profile.target,
            now="give a profile with kernels; `kb formats` lists what is read",
        )
    where = profile.target
    if told.file and not where.endswith(told.file):
        where = f"{where}/{told.file}"
    if told.line is not None:
        where = f"{where}:{told.line}"
    if lost is not None:
        return SourceError(
            f"no operator is left to judge: {lost.text}",
            where=where,
            now="export it again and copy it whole: what is wrong is in the file",
        )
    return NothingToJudge(
        f"no operator in the input: {told.text}",
        where=where,
        now="give a profile with kernels; `kb formats` lists what is read",
    )


def _require_counters(profile: Profile, diagnosis: Diagnosis, features: RunFeatures) -> None:
    """Exit 5 when the input has times at most and nothing at all could be judged from them, or not even times."""
    counted = any("max_pipe_ratio" in f.values for f in features.operators)
    timed = any(op.total_us > 0 for op in profile.operators)
    if profile.operators and profile.scope == "run" and not (timed or profile.ranks):
        raise NothingToJudge(
            "every kernel takes 0 us here: the times were not recorded",
            where=profile.target,
            now=f"collect with: {recollect.anything(profile.capture.tool)}",
        )
    if (
        diagnosis.findings
        or counted
        or profile.scope == "run"
        or profile.capture.simulated  # pipe times and hot lines tell something without a share
    ):
        return
    if any(item.id == "operator" for item in diagnosis.not_judged):
        return
    averages = next((item.text for item in profile.notices if item.code == "averages-per-shape"), None)
    if averages is not None:
        raise NothingToJudge(
            averages,
            where=profile.target,
            now="give op_summary or kernel_details of the run itself: they have each launch with its counters",
        )
    raise NothingToJudge(
        "the input holds no counter that a judgement needs",
        where=profile.target,
        now=f"collect with: {recollect.anything(profile.capture.tool)}",
    )


def _similar_cases(
    profile: Profile, features: RunFeatures, diagnosis: Diagnosis, knowledge: Knowledge
) -> tuple[SimilarCase, ...]:
    """Cases near to the run in words: its task, operators and troubles; those that share an operator or trouble first, else the nearest by text."""
    types = list(
        dict.fromkeys(f.labels.get("op_type", "") for f in sorted(features.operators, key=_by_time))
    )[:8]
    patterns = {finding.pattern for finding in diagnosis.findings}
    text = " ".join(
        [*profile.stated.values(), *types, *(pattern.replace("-", " ") for pattern in sorted(patterns))]
    )
    out, by_text = [], []
    for name, score in knowledge.nearness(text, ("case",), 8).items():
        entry = knowledge.entries.get(name)
        if entry is None:
            continue
        shared = [
            kind for kind in types if kind and any(kind.lower() == own.lower() for own in entry.operators)
        ]
        troubles = sorted(patterns & set(entry.bottlenecks))
        if shared or troubles:
            out.append(
                SimilarCase(
                    name, entry.title.en, round(score, 4), "shares " + ", ".join([*shared[:3], *troubles[:2]])
                )
            )
        elif score >= NEAR_CASE:
            why = "by text only: it shares no operator and no bottleneck"
            by_text.append(SimilarCase(name, entry.title.en, round(score, 4), why))
    return tuple(out[:3] or by_text[:1])
