"""What ran when: a lane a stream under the pauses of its device, the longest of them by name.

A part of the time line is filled as high as work ran in it, so that many launches are seen as one grey and a few as blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kb import units
from kb.model import Lane, Pause, Report, Strip
from kb.report.catalogue import say
from kb.report.chart.figure import figure
from kb.report.page.html import table
from kb.report.sheet import esc

NAME = "timeline"
_NO_STREAM = ("", "N/A")  # collectives that the export puts on none
HIGH = 20  # units of a lane's picture


def draw(report: Report, lang: str) -> Iterator[str]:
    """A block for each device, with a table of its longest pauses."""
    strips = [strip for strip in report.charts.strips if strip.span_us > 0 and strip.part_us > 0]
    several = len({strip.rank for strip in strips}) > 1
    lines = [line for strip in strips for line in _strip(strip, lang, several)]
    if lines:
        key = (
            f'<p class="quiet"><span class="key compute"></span> {esc(say("chart.wall.compute", lang))} '
            f'<span class="key talk"></span> {esc(say("chart.timeline.communication", lang))} '
            f'<span class="key pause"></span> {esc(say("chart.timeline.pause", lang))}</p>'
        )
        yield from figure(NAME, [key, *lines], lang)


def _strip(strip: Strip, lang: str, several: bool) -> Iterator[str]:
    device = say("chart.timeline.device", lang, device=strip.device) if strip.device else ""
    name = " · ".join(filter(None, (strip.rank if several else "", device)))
    facts = [units.us(strip.span_us)]
    if strip.pause_count:
        facts.append(_told(strip, lang))
    if strip.more_lanes:
        facts.append(say("chart.timeline.more", lang, count=strip.more_lanes))
    yield f'<div class="strip"><p><strong>{esc(name)}</strong> <span class="quiet">{esc(" · ".join(facts))}</span></p>'
    for lane in strip.lanes:
        yield _lane(lane, strip, lang)
    if strip.pauses:
        marks = "".join(_mark(at, pause, strip, lang) for at, pause in enumerate(strip.pauses, 1))
        yield f'<div class="lane"><span>{esc(say("chart.timeline.pauses", lang))}</span><span class="pauses">{marks}</span></div>'
    middle, end = units.us(strip.span_us / 2), units.us(strip.span_us)
    yield f'<div class="lane ends" aria-hidden="true"><span></span><span><i>0</i><i>{esc(middle)}</i><i>{esc(end)}</i></span></div>'
    yield from _pauses(strip, lang)
    yield "</div>"


def _told(strip: Strip, lang: str) -> str:
    return say(
        "chart.timeline.paused", lang, count=strip.pause_count, time=units.us(strip.paused_us),
        share=units.percent(strip.paused_us / strip.span_us),
    )  # fmt: skip


def _lane(lane: Lane, strip: Strip, lang: str) -> str:
    name = say("chart.timeline.stream", lang, stream=lane.stream) if lane.stream not in _NO_STREAM else ""
    shares = (
        (kind, _share(parts, strip))
        for kind, parts in (("compute", lane.compute), ("communication", lane.communication))
    )
    words = {"compute": "chart.wall.compute", "communication": "chart.timeline.communication"}
    told = ", ".join(f"{say(words[kind], lang)} {units.percent(share)}" for kind, share in shares if share)
    label = esc(": ".join(filter(None, (name, told))))
    paths = "".join(
        f'<path class="{kind}" d="{_path(parts)}"/>'
        for kind, parts in (("compute", lane.compute), ("talk", lane.communication))
        if parts
    )
    count = strip.span_us / strip.part_us
    return (
        f'<div class="lane"><span>{esc(name or _kind(lane, lang))}</span><svg viewBox="0 0 {count:.4g} {HIGH}" preserveAspectRatio="none" '
        f'role="img" tabindex="0" aria-label="{label}"><title>{label}</title>{paths}</svg></div>'
    )


def _kind(lane: Lane, lang: str) -> str:
    return say("chart.wall.compute" if lane.compute else "chart.timeline.communication", lang)


def _share(parts: Sequence[int], strip: Strip) -> float:
    """The part of the whole time line in which a lane works; its last part may be shorter than the others."""
    if not parts:
        return 0.0
    last = strip.span_us - (len(parts) - 1) * strip.part_us
    return (sum(parts[:-1]) * strip.part_us + parts[-1] * last) / 100 / strip.span_us


def _path(parts: Sequence[int]) -> str:
    """Blocks as high as the percent says, on the floor of the lane; equal neighbours are one."""
    out: list[str] = []
    at = 0
    while at < len(parts):
        until = at + 1
        while until < len(parts) and parts[until] == parts[at]:
            until += 1
        if parts[at]:
            out.append(f"M{at} {HIGH}v-{parts[at] * HIGH / 100:.3g}h{until - at}V{HIGH}z")
        at = until
    return "".join(out)


def _mark(number: int, pause: Pause, strip: Strip, lang: str) -> str:
    start = min(pause.start_us / strip.span_us, 1.0)
    length = min(pause.time_us / strip.span_us, 1.0 - start)
    told = esc(
        say(
            "chart.timeline.pause.told",
            lang,
            time=units.us(pause.time_us),
            start=units.us(pause.start_us),
            after=pause.after,
            before=pause.before,
        )
    )
    return (
        f'<b tabindex="0" role="img" aria-label="{number}: {told}" title="{told}" '
        f'style="left:{start * 100:.2f}%;width:{length * 100:.2f}%"></b>'
    )


def _pauses(strip: Strip, lang: str) -> Iterator[str]:
    if not strip.pauses:
        return
    heads = ["", *(say(f"chart.timeline.{key}", lang) for key in ("start", "length", "after", "before"))]
    rows = tuple(
        (str(at), esc(units.us(pause.start_us)), esc(units.us(pause.time_us)), esc(pause.after), esc(pause.before))
        for at, pause in enumerate(strip.pauses, 1)
    )  # fmt: skip
    yield f"<details><summary>{esc(say('chart.timeline.longest', lang, count=len(rows)))}</summary>"
    yield from table(tuple(heads), rows, frozenset({1, 2}), row="<tr data-f>")
    yield "</details>"
