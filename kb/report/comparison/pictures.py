"""Before and after as pictures: the steps between the totals, the operators, the readings that moved inside them.

Bars are HTML, as those of a report. Colour never says it alone: what grew has a plus, what fell a minus, and before
stands above after.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kb import units
from kb.comparison import Change, Comparison, Moved
from kb.report.catalogue import say
from kb.report.chart.figure import bar, figure
from kb.report.comparison import words
from kb.report.comparison.pages import by_weight, waterfall
from kb.report.page import Bar, Bars
from kb.report.sheet import esc
from kb.report.text import shorten

SHOWN = 10  # operators of the picture
NAME = 60  # columns of an operator's name
SMALL = 0.001  # of the larger total: an operator that changed less is not drawn


def draw(found: Comparison, lang: str) -> Iterator[str]:
    """The pictures as lines of HTML; none of what the runs do not have."""
    if found.total is not None and found.waterfall:
        bars = waterfall(found, found.total, lang)
        note = say("compare.scale", lang, time=units.us(bars.origin)) if bars.origin else ""
        rows = (_step(item, bars) for item in bars.bars)
        yield from figure("waterfall", ['<div class="bars">', *rows, "</div>"], lang, note=note)
    yield from _operators(found, lang)
    yield from _readings(found, lang)


def _step(item: Bar, of: Bars) -> str:
    start, length = item.part(of.origin, of.scale)
    tone = item.tone if item.tone in ("worse", "better") else "fill"
    return _line(item.label, bar([(tone, max(length, 0.003), start)]), item.value)


def _line(name: str, drawn: str, value: str) -> str:
    return f"<div><span>{esc(name)}</span>{drawn}<span>{esc(value)}</span></div>"


def _operators(found: Comparison, lang: str) -> Iterator[str]:
    """Each operator that changed the total most, before above after, all on one scale."""
    moving = sorted(found.changes, key=lambda item: (-abs(item.delta_us), item.name))
    total = found.total
    least = SMALL * max(total.before_us, total.after_us) if total is not None else 0.0
    shown = [item for item in moving if abs(item.delta_us) > least][:SHOWN]
    longest = max((time for item in shown for time in _times(item) if time is not None), default=0.0)
    if not longest:
        return
    lines = ['<div class="bars pairs">']
    for item in shown:
        before, after = _times(item)
        change = words.signed(item.change) if item.change is not None else ""
        said = (words.verdict_text(item, found, lang), change)
        lines += _pair(
            (shorten(words.operator_text(item, found), NAME), " · ".join(filter(None, said))),
            [(None if time is None else time / longest, _time(time)) for time in (before, after)],
            lang,
        )
    yield from figure("changes", [*lines, "</div>"], lang)


def _times(item: Change) -> tuple[float | None, float | None]:
    return (
        item.before.time_us if item.before else None,
        item.after.time_us if item.after else None,
    )


def _time(time: float | None) -> str:
    return "-" if time is None else units.us(time)


def _pair(told: tuple[str, str], sides: Sequence[tuple[float | None, str]], lang: str) -> Iterator[str]:
    """A name with its verdict over two bars; a side that is not there has an empty track."""
    name, verdict = told
    yield f'<p><strong>{esc(name)}</strong> <span class="quiet">{esc(verdict)}</span></p>'
    for kind, (part, value) in zip(("before", "after"), sides, strict=True):
        yield _line(say(f"compare.{kind}", lang), bar([] if part is None else [(kind, part)]), value)


def _readings(found: Comparison, lang: str) -> Iterator[str]:
    """Shares of pipes and other readings before and after; each pair has its own scale but for shares, whose end is 1."""
    moved = [(item, reading) for item in by_weight(found) for reading in item.moved]
    drawn = [(item, reading) for item, reading in moved if max(reading.before, reading.after) > 0]
    if not drawn:
        return
    several = len({item.name for item, _ in drawn}) > 1
    lines = ['<div class="bars pairs">']
    for item, reading in drawn:
        name = f"{item.type or item.name} · {reading.metric}" if several else reading.metric
        lines += _pair((shorten(name, NAME), ""), list(_reading(reading)), lang)
    yield from figure("moved", [*lines, "</div>"], lang)


def _reading(moved: Moved) -> Iterator[tuple[float, str]]:
    largest = max(moved.before, moved.after)
    end = 1.0 if moved.unit == "1" and largest <= 1.0 else largest
    for value in (moved.before, moved.after):
        yield max(value, 0.0) / end, units.number(value, moved.unit)
