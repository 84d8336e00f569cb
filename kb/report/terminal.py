"""The report for people at a terminal: the answer on the first screen, everything it rests on below.

Colour never carries meaning alone, so the same text reads well in a pipe. All text passes through `clean` and enters
rich as `Text`, which knows no markup.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from kb import units
from kb.model import Evidence, Finding, Recommendation, Report
from kb.report import answer
from kb.report.catalogue import say
from kb.report.text import clean, clean_lines, pad, shorten, width_of, wrap

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

NAME = "text"
EXTENSION = ".txt"
BINARY = False

LEAST, MOST = 40, 160  # columns that the layout is made for
PROSE = 100  # columns; longer lines are hard to read
IN_FULL = 5  # advice beyond this is listed by title
_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]*")  # what may stand in a command that people copy
SHOWN = 6  # readings and operators on the first screen


def render(report: Report, *, lang: str, width: int, color: bool) -> str:
    """The report as text at most `width` columns wide (taken as 40 to 160)."""
    from rich.console import Console

    out = io.StringIO()
    console = Console(
        file=out, width=max(LEAST, min(width, MOST)), force_terminal=color, no_color=not color, highlight=False,
        color_system="standard" if color else None, legacy_windows=False, markup=False, emoji=False,
    )  # fmt: skip
    screen = _Screen(console, lang)
    _head(screen, report)
    _answer(screen, report)
    _key_data(screen, report)
    _operators(screen, report)
    _findings(screen, report)
    _recommendations(screen, report)
    _cases(screen, report)
    _unjudged(screen, report)
    _warnings(screen, report)
    _next(screen, report)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


class _Screen:
    """A console with the few shapes this view is made of."""

    def __init__(self, console: Console, lang: str) -> None:
        self.console = console
        self.lang = lang
        self.width = console.width

    def line(self, text: str = "", style: str = "") -> None:
        from rich.text import Text

        self.console.print(Text(text, style=style), no_wrap=True, overflow="ignore", crop=False)

    def say(self, key: str, **values: object) -> str:
        return say(key, self.lang, **values)

    def heading(self, key: str) -> None:
        self.line()
        title = self.say(key)
        self.line(f"── {title} " + "─" * max(0, self.width - width_of(title) - 4), "bold cyan")

    def prose(self, text: str, *, indent: int = 0, style: str = "") -> None:
        for line in wrap(clean(text), min(self.width, PROSE) - indent):
            self.line(" " * indent + line, style)

    def field(self, label: str, text: str, *, indent: int = 0, edge: int = 12, hang: int = 0, style: str = "") -> None:
        """A label and its text, wrapped beside it; `hang` indents the further lines."""
        from rich.text import Text

        if not clean(text):
            return
        first, *rest = wrap(clean(text), max(min(self.width, PROSE) - indent - edge, 16), indent=" " * hang)
        blanks = " " * max(1, edge - width_of(label))
        self.console.print(
            Text.assemble(" " * indent, (label, "dim"), blanks, (first, style)), no_wrap=True, overflow="ignore", crop=False
        )
        for line in rest:
            self.line(" " * (indent + edge) + line, style)

    def table(self, *headers: tuple[str, str], indent: int = 2) -> Table:
        """An open table, its headers as (text, "left" or "right")."""
        from rich.table import Table

        grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim", show_header=any(h for h, _ in headers))
        for header, justify in headers:
            grid.add_column(header, justify="right" if justify == "right" else "left", overflow="fold")
        self.indent = indent
        return grid

    def put(self, table: Table) -> None:
        from rich.padding import Padding

        self.console.print(Padding(table, (0, 0, 0, self.indent)))


def _cell(text: object, style: str = "") -> Text:
    from rich.text import Text

    return Text(clean(text), style=style)


def _head(screen: _Screen, report: Report) -> None:
    screen.line(shorten(clean(report.target), screen.width), "bold")
    facts = [answer.chip_text(report, screen.lang), answer.capture_text(report, screen.lang)]
    if report.total_us is not None:
        facts.append(units.us(report.total_us))
    screen.prose(" · ".join(facts), style="dim")


def _answer(screen: _Screen, report: Report) -> None:
    screen.line()
    lines = answer.answer(report, screen.lang)
    edge = max(width_of(line.label) for line in lines) + 3
    for line in lines:
        screen.field(line.label, line.text, edge=edge, style="bold")
        screen.field("", line.note, edge=edge, style="dim")


def _key_data(screen: _Screen, report: Report) -> None:
    data = answer.key_data(report)[:SHOWN]
    if not data:
        return
    screen.heading("head.data")
    bars = screen.width >= 72 and any(answer.fraction(item) is not None for item in data)
    table = screen.table(("", "left"), ("", "right"), *([("", "left")] if bars else []), ("", "left"))
    for item in data:
        share = answer.fraction(item)
        bar = [_cell("")] if share is None else [_bar(share, 20)]
        table.add_row(_cell(item.metric), _cell(answer.reading(item), "bold"), *(bar if bars else []), _cell(item.limit, "dim"))
    screen.put(table)


def _bar(share: float, width: int) -> Text:
    """A bar of `width` columns in eighths, its empty part drawn too, so that it reads without colour."""
    from rich.text import Text

    eighths = round(share * width * 8)
    full, rest = divmod(eighths, 8)
    part = " ▏▎▍▌▋▊▉"[rest] if rest else ""
    return Text.assemble(("█" * full + part, "cyan"), ("·" * (width - full - len(part)), "dim"))


def _operators(screen: _Screen, report: Report) -> None:
    if len(report.operators) < 2:
        return
    screen.heading("head.operators")
    heads = ("label.type", "label.core", "label.count", "label.time")
    whole = report.total_us or 0.0
    table = screen.table(
        (screen.say(heads[0]), "left"), (screen.say(heads[1]), "left"), (screen.say(heads[2]), "right"),
        (screen.say(heads[3]), "right"), ("", "right"),
    )  # fmt: skip
    for item in sorted(report.operators, key=lambda operator: -operator.time_us)[:SHOWN]:
        share = units.percent(item.time_us / whole) if whole > 0 else ""
        name = answer.operator_name(item, screen.lang)
        table.add_row(_cell(name), _cell(item.core), _cell(item.count), _cell(units.us(item.time_us)), _cell(share))
    screen.put(table)
    if len(report.operators) > SHOWN:
        screen.prose(screen.say("count.more", count=len(report.operators) - SHOWN), indent=2, style="dim")


def _findings(screen: _Screen, report: Report) -> None:
    if not report.findings:
        return
    screen.heading("head.findings")
    for number, finding in enumerate(report.findings, 1):
        if number > 1:
            screen.line()
        _finding(screen, number, finding)


def _finding(screen: _Screen, number: int, finding: Finding) -> None:
    mark = f"{number:>2}  "
    for at, line in enumerate(wrap(clean(finding.summary or finding.pattern), min(screen.width, PROSE) - 4)):
        screen.line((mark if at == 0 else "    ") + line, "bold")
    share = screen.say("share.run", share=units.percent(finding.share))
    sure = f"{screen.say('label.sure')}: {answer.sure(finding.confidence, screen.lang)}"
    screen.prose(f"{finding.pattern} · {share} · {sure}", indent=4, style="dim")
    for operator in finding.operators[:3]:
        screen.prose(answer.operator_text(operator, screen.lang), indent=4)
    if len(finding.operators) > 3:
        screen.prose(screen.say("count.more", count=len(finding.operators) - 3), indent=4, style="dim")
    table = screen.table(("", "left"), ("", "right"), ("", "left"), ("", "left"), indent=4)
    for item in finding.evidence:
        table.add_row(_cell(item.metric), _cell(answer.reading(item), "bold"), _cell(item.limit), _cell(item.source, "dim"))
    if finding.evidence:
        screen.put(table)


def _recommendations(screen: _Screen, report: Report) -> None:
    if not report.recommendations:
        return
    screen.heading("head.recommendations")
    for at, advice in enumerate(report.recommendations[:IN_FULL]):
        if at:
            screen.line()
        _recommendation(screen, report, advice)
    rest = report.recommendations[IN_FULL:]
    if rest:
        screen.heading("head.more")
        table = screen.table(("", "right"), ("", "left"), ("", "right"), ("", "left"))
        for advice in rest:
            gain = units.percent(advice.gain.likely)
            table.add_row(_cell(advice.rank), _cell(advice.title), _cell(gain), _cell(advice.id, "dim"))
        screen.put(table)


def _recommendation(screen: _Screen, report: Report, advice: Recommendation) -> None:
    for at, line in enumerate(wrap(clean(advice.title), min(screen.width, PROSE) - 4)):
        screen.line((f"{advice.rank:>2}  " if at == 0 else "    ") + line, "bold")
    labels = ("gain", "basis", "finding", "evidence", "who", "steps", "check", "not_when", "sources")
    edge = max(width_of(screen.say(f"label.{label}")) for label in labels) + 2

    def field(label: str, texts: Iterable[str], style: str = "", hang: int = 0) -> None:
        for at, text in enumerate(item for item in texts if item):
            head = screen.say(f"label.{label}") if at == 0 else ""
            screen.field(head, text, indent=4, edge=edge, hang=hang, style=style)

    field("gain", [answer.gain_text(report, advice, screen.lang)], "green")
    field("basis", [advice.gain.basis])
    field("finding", [answer.finding_text(report, advice.finding)])
    field("evidence", advice.evidence)
    effort = f"{screen.say('label.effort')}: {advice.effort}" if advice.effort else ""
    field("who", [", ".join(part for part in (advice.who, effort) if part)])
    if len(advice.steps) > 1:
        field("steps", [f"{number}. {step}" for number, step in enumerate(advice.steps, 1)], hang=3)
    else:
        field("steps", advice.steps)
    for line in clean_lines(advice.snippet):
        screen.line(" " * (4 + edge) + line, "dim")
    field("check", [advice.check])
    field("not_when", [advice.when_not])
    field("sources", advice.sources, "dim")
    field("entry", [f"{advice.id} ({advice.kind})"], "dim")


def _cases(screen: _Screen, report: Report) -> None:
    if not report.similar_cases:
        return
    screen.heading("head.cases")
    for case in report.similar_cases:
        screen.prose(f"{case.title} ({case.id}, {case.score:.2f})", indent=2)
        screen.prose(case.why, indent=4, style="dim")


def _unjudged(screen: _Screen, report: Report) -> None:
    if not report.not_judged:
        return
    screen.heading("head.unjudged")
    for (reason, collect), ids in answer.unjudged_by_reason(report).items():
        screen.field("-", reason, indent=2, edge=2)
        screen.prose(", ".join(ids), indent=4, style="dim")
        if collect:
            screen.prose(f"{screen.say('label.collect')}: {collect}", indent=4)


def _warnings(screen: _Screen, report: Report) -> None:
    if not report.warnings:
        return
    screen.heading("head.warnings")
    for warning in report.warnings:
        screen.field("!", warning, indent=2, edge=2, style="yellow")


def _next(screen: _Screen, report: Report) -> None:
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
        if edge + width_of(why) + 4 <= screen.width:
            screen.line(f"  {pad(command, edge)}# {why}")
        else:
            screen.line(f"  {command}")
