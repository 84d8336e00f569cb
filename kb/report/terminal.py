"""The report for people at a terminal: the answer on the first screen, everything it rests on below.

Colour never carries meaning alone, so the same text reads well in a pipe.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from kb import units
from kb.addition import plain_sum
from kb.model import Evidence, Finding, OperatorRef, PipeShare, Recommendation, Report, WorkPoint
from kb.report import answer, forecast, job, named, parts
from kb.report.sentences import tell
from kb.report.text import clean, clean_lines, code_of, pad, shorten, width_of
from kb.report.translated import told

if TYPE_CHECKING:
    from kb.report.screen import Cell, Screen

NAME = "text"
EXTENSION = ".txt"
BINARY = False

IN_FULL = 5  # findings and advice beyond this are listed in a line each
_COMMIT = re.compile(r"(@[0-9a-f]{10})[0-9a-f]{30}\b")  # `kb show` has all of it
SHOWN = 6  # readings and operators on the first screen
ROOM_FOR_BAR = 72  # columns
BESIDE_DATA = 38  # columns of a reading's figure, bar and gaps
ROOM_TO_CUT = 40  # a source is cut only where this much of it is left
_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]*")  # what may stand in a command that people copy


def render(report: Report, *, lang: str, width: int, color: bool) -> str:
    """The report as text at most `width` columns wide (taken as 40 to 160)."""
    from kb.report.screen import Screen  # noqa: PLC0415 - rich; the other views do without

    report = told(report, lang)
    screen = Screen(lang, width, color=color)
    for part in (
        _head,
        _answer,
        _key_data,
        _operators,
        _forecast,
        _job,
        _pipes,
        _roofline,
        _findings,
        _recommendations,
        _cases,
        _unjudged,
        _warnings,
        _next,
    ):
        part(screen, report)
    return screen.text()


def _head(screen: Screen, report: Report) -> None:
    screen.line(shorten(clean(report.target), screen.width), "bold")
    facts = [named.chip_text(report, screen.lang), named.capture_text(report, screen.lang)]
    facts.append(parts.time_whole(report, screen.lang))
    screen.prose(" · ".join(filter(None, facts)), style="dim")


def _answer(screen: Screen, report: Report) -> None:
    screen.line()
    lines = answer.answer(report, screen.lang)
    edge = max(width_of(line.label) for line in lines) + 3
    for line in lines:
        screen.field(line.label, line.text, edge=edge, style="bold")
        screen.field("", line.note, edge=edge, style="dim")


def _key_data(screen: Screen, report: Report) -> None:
    data = named.key_data(report)[:SHOWN]
    if not data:
        return
    screen.heading("head.data")
    bars = screen.width >= ROOM_FOR_BAR and any(named.fraction(item) is not None for item in data)
    room = screen.width - max(width_of(item.metric) for item in data) - BESIDE_DATA
    screen.table((_data_cells(item, bars, room, screen.lang) for item in data), right=frozenset({1}))


def _data_cells(item: Evidence, bars: bool, room: int, lang: str) -> list[Cell]:
    """A reading, its bar, its limit and what it is a share of; of what is no share how it was made, where there is room."""
    share = named.fraction(item)
    drawn: list[Cell] = ["" if share is None else share] if bars else []
    part = shorten(clean(named.part_of(item, lang)), named.MAX_NAME)
    note = " · ".join(filter(None, (item.limit, part))) or _made(item, room)
    return [item.metric, (named.reading(item), "bold"), *drawn, (note, "dim")]


def _made(item: Evidence, room: int) -> str:
    source = clean(item.source)
    return shorten(source, max(room, 0)) if width_of(source) <= room or room >= ROOM_TO_CUT else ""


def _operators(screen: Screen, report: Report) -> None:
    if len(report.operators) < 2 or report.forecast is not None:
        return
    spent = plain_sum(item.time_us or 0.0 for item in report.operators)
    overlap = report.total_us is not None and spent > report.total_us * 1.005
    screen.heading("head.operators", note=screen.say("operators.overlap") if overlap else "")
    heads = [screen.say(f"label.{key}") for key in ("type", "core", "count", "time")]
    heads += [screen.say("operators.share")] if report.total_us else []
    longest = named.by_time(report)
    rows = (_operator_cells(screen, report, item) for item in longest[:SHOWN])
    screen.table(rows, heads=heads, right=frozenset({2, 3, 4}))
    if len(longest) > SHOWN:
        screen.prose(screen.say("count.more", count=len(longest) - SHOWN), indent=2, style="dim")


def _forecast(screen: Screen, report: Report) -> None:
    if report.forecast is None:
        return
    from kb.report.page import Heading, text  # noqa: PLC0415

    for part in forecast.blocks(report.forecast, screen.lang, room=screen.width):
        if isinstance(part, Heading):
            screen.line()
        for line in text.block(part, screen.width, False):
            screen.line(line, "bold cyan" if isinstance(part, Heading) else "")


def _job(screen: Screen, report: Report) -> None:
    if report.job is None:
        return
    from kb.report.page import Heading, text  # noqa: PLC0415

    screen.heading("head.job")
    for part in job.blocks(report.job, screen.lang, room=screen.width - 2):
        for line in text.block(part, screen.width - 2, False):
            screen.line(f"  {line}".rstrip(), "bold" if isinstance(part, Heading) else "")


def _operator_cells(screen: Screen, report: Report, item: OperatorRef) -> list[Cell]:
    share = (
        units.percent(item.time_us / report.total_us) if report.total_us and item.time_us is not None else ""
    )
    name = named.operator_name(item, screen.lang)
    return [name, item.core, str(item.count), named.time_text(item), share]


def _pipes(screen: Screen, report: Report) -> None:
    """The pipes of the longest kernel, where cores differ or the key data does not show them all anyway."""
    if not report.charts.pipes or screen.width < ROOM_FOR_BAR:
        return
    lead = report.charts.pipes[0]
    name = named.operator_name(lead.operator, screen.lang)
    screen.heading("chart.pipes", note=screen.say("chart.pipes.of", name=name))
    screen.table((_pipe_cells(item, screen.lang) for item in lead.pipes), right=frozenset({1}))


def _pipe_cells(item: PipeShare, lang: str) -> list[Cell]:
    return [item.pipe, (units.percent(item.mean), "bold"), item.mean, (named.core_spread(item, lang), "dim")]


def _roofline(screen: Screen, report: Report) -> None:
    """Each operator against the ceiling above it."""
    drawn = [point for point in report.charts.points if point.reached is not None][:SHOWN]
    if not drawn or screen.width < ROOM_FOR_BAR:
        return
    several = report.chip.soc is None and len(report.chip.candidates) > 1
    screen.heading(
        "chart.roofline", note=screen.say("chart.roofline.part_chips" if several else "chart.roofline.part")
    )
    screen.table((_roofline_cells(screen, point) for point in drawn), right=frozenset({1}))


def _roofline_cells(screen: Screen, point: WorkPoint) -> list[Cell]:
    reached = min(point.reached or 0.0, 1.0)
    name = named.operator_name(point.operator, screen.lang)
    where = screen.say("chart.roofline.where", intensity=f"{point.intensity:.3g}", roof=point.roof)
    return [name, (units.percent(point.reached or 0.0), "bold"), reached, (where, "dim")]


def _findings(screen: Screen, report: Report) -> None:
    if not report.findings:
        return
    screen.heading("head.findings")
    for number, finding in enumerate(report.findings[:IN_FULL], 1):
        if number > 1:
            screen.line()
        _finding(screen, report, number, finding)
    rest = [(number, finding) for number, finding in enumerate(report.findings, 1) if number > IN_FULL]
    if rest:
        screen.heading("head.more_findings", note=parts.whole_concerned(report, screen.lang))
        screen.table((_more_finding(screen, report, *item) for item in rest), right=frozenset({0, 2}))


def _more_finding(screen: Screen, report: Report, number: int, finding: Finding) -> list[Cell]:
    names = dict.fromkeys(named.operator_name(operator, screen.lang) for operator in finding.operators)
    share = units.percent(parts.concerned(report, finding))
    return [str(number), finding.pattern, share, ", ".join(names)]


def _finding(screen: Screen, report: Report, number: int, finding: Finding) -> None:
    screen.prose(finding.summary or finding.pattern, indent=4, mark=f"{number:>2}", style="bold")
    share = parts.share_text(report, finding, screen.lang)
    sure = f"{screen.say('label.sure')}: {named.sure(finding.confidence, screen.lang)}"
    screen.prose(f"{finding.pattern} · {share} · {sure}", indent=4, style="dim")
    for operator in finding.operators[:3]:
        screen.prose(named.operator_text(operator, screen.lang), indent=4)
    if len(finding.operators) > 3:
        screen.prose(screen.say("count.more", count=len(finding.operators) - 3), indent=4, style="dim")
    rows: list[list[Cell]] = [
        [item.metric, (named.reading(item), "bold"), item.limit, (item.source, "dim")]
        for item in finding.evidence
    ]
    screen.table(rows, right=frozenset({1}), indent=4)


def _recommendations(screen: Screen, report: Report) -> None:
    if not report.recommendations:
        return
    several = len(report.recommendations) > 1
    screen.heading("head.recommendations", note=screen.say("note.order") if several else "")
    for at, advice in enumerate(report.recommendations[:IN_FULL]):
        if at:
            screen.line()
        _recommendation(screen, report, advice)
    _more_advice(screen, report, report.recommendations[IN_FULL:])


def _more_advice(screen: Screen, report: Report, rest: tuple[Recommendation, ...]) -> None:
    """A line each, those against one finding together."""
    if not rest:
        return
    screen.heading("head.more", note=parts.whole_saved(report, screen.lang))
    for finding in dict.fromkeys(advice.finding for advice in rest):
        screen.prose(named.against(report, finding, screen.lang), indent=2, style="dim")
        rows: list[list[Cell]] = [
            [str(advice.rank), advice.title, parts.gain_of_whole(report, advice), (advice.id, "dim")]
            for advice in rest
            if advice.finding == finding
        ]
        screen.table(rows, right=frozenset({0, 2}))


def _recommendation(screen: Screen, report: Report, advice: Recommendation) -> None:
    screen.prose(advice.title, indent=4, mark=f"{advice.rank:>2}", style="bold")
    labels = ("gain", "basis", "finding", "evidence", "who", "steps", "check", "not_when", "sources", "entry")
    edge = max(width_of(screen.say(f"label.{label}")) for label in labels) + 2

    def field(label: str, texts: Iterable[str], style: str = "", hang: int = 0) -> None:
        for at, text in enumerate(item for item in texts if item):
            head = screen.say(f"label.{label}") if at == 0 else ""
            screen.field(head, text, indent=4, edge=edge, hang=hang, style=style)

    field("gain", [parts.gain_text(report, advice, screen.lang)], "green")
    field("basis", [tell(advice.gain.basis, screen.lang)])
    field("finding", [named.finding_text(report, advice.finding)])
    field("evidence", advice.evidence)
    field("who", [named.who_text(advice.who, advice.effort, screen.lang)])
    if len(advice.steps) > 1:
        field("steps", [f"{number}. {step}" for number, step in enumerate(advice.steps, 1)], hang=3)
    else:
        field("steps", advice.steps)
    for line in clean_lines(code_of(advice.snippet)[1]):
        screen.line(" " * (4 + edge) + line, "dim")
    field("check", [advice.check])
    field("not_when", [advice.when_not])
    field("sources", [_COMMIT.sub(r"\1", source) for source in advice.sources], "dim")
    field("entry", [f"{advice.id} ({advice.kind})"], "dim")


def _cases(screen: Screen, report: Report) -> None:
    if not report.similar_cases:
        return
    screen.heading("head.cases")
    for case in report.similar_cases:
        screen.prose(
            f"{case.title} ({case.id}, {screen.say('case.score', score=f'{case.score:.2f}')})", indent=2
        )
        screen.prose(case.why, indent=4, style="dim")


def _unjudged(screen: Screen, report: Report) -> None:
    if not report.not_judged:
        return
    screen.heading("head.unjudged")
    for (reason, collect), ids in named.unjudged_by_reason(report).items():
        screen.field("-", reason, indent=2, edge=2)
        screen.prose(", ".join(ids), indent=4, style="dim")
        if collect:
            screen.prose(f"{screen.say('label.collect')}: {collect}", indent=4)


def _warnings(screen: Screen, report: Report) -> None:
    if not report.warnings:
        return
    screen.heading("head.warnings")
    for warning in report.warnings:
        screen.field("!", warning, indent=2, edge=2, style="yellow")


def _next(screen: Screen, report: Report) -> None:
    steps = []
    if report.recommendations and _ID.fullmatch(report.recommendations[0].id):
        steps.append((f"kb show {report.recommendations[0].id}", screen.say("next.show")))
    if _ID.fullmatch(report.run):
        steps.append((f"kb report {report.run} -o report.html", screen.say("next.html")))
    if not steps:
        return
    screen.heading("head.next")
    edge = max(width_of(command) for command, _ in steps) + 3
    for command, why in steps:
        room = edge + width_of(why) + 4 <= screen.width
        screen.line(f"  {pad(command, edge)}# {why}" if room else f"  {command}")
