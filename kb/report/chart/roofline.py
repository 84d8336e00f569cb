"""The roofline: what each operator reaches under the ceilings of the chip, both axes logarithmic."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kb import units
from kb.model import Charts, Report, Roof, WorkPoint
from kb.report.catalogue import say
from kb.report.chart.figure import figure, name_of
from kb.report.sentences import tell
from kb.report.sheet import esc

NAME = "roofline"
WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 64, 24, 18, 46
LABELLED = 5  # points with their name beside them
SMALLEST, LARGEST = 4.0, 15.0  # radius of a point


@dataclass(frozen=True, slots=True)
class _Scale:
    """Logarithmic axes over whole powers of ten (as exponents)."""

    left: int
    right: int
    low: int
    high: int

    def x(self, intensity: float) -> float:
        part = (math.log10(intensity) - self.left) / (self.right - self.left)
        return LEFT + part * (WIDTH - LEFT - RIGHT)

    def y(self, gflops: float) -> float:
        part = (math.log10(gflops) - self.low) / (self.high - self.low)
        return HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM)


def draw(report: Report, lang: str) -> Iterator[str]:
    """Roofs as lines, operators as points whose area is their time; nothing without a roof or a point."""
    charts = replace(
        report.charts, roofs=tuple(roof for roof in report.charts.roofs if _drawable(roof.value))
    )
    points = [p for p in charts.points if _drawable(p.intensity) and _drawable(p.gflops)]
    if not points or not any(roof.kind == "bandwidth" for roof in charts.roofs):
        return
    chips = ", ".join(charts.chips[:3]) + (", …" if len(charts.chips) > 3 else "")
    missing = len(report.operators) - len(points)
    note = say("chart.roofline.missing", lang, count=missing) if missing > 0 else ""
    scale = _scale(charts, points)
    title = say("chart.roofline", lang)
    lines = [
        f'<div class="wide"><svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="group" aria-label="{esc(title)}">',
        *_axes(scale, lang),
        *_roofs(scale, charts.roofs),
        *_points(scale, points, charts.roofs, lang),
        "</svg></div>",
        f'<p class="quiet">{esc(say("chart.roofline.chips", lang, chips=chips))} <span class="key vector"></span> vector <span class="key cube"></span> cube '
        '<span class="key mix"></span> mix</p>',
    ]
    yield from figure(NAME, lines, lang, note=note)


def _drawable(figure: float) -> bool:
    """Whether axes can hold it: a kept report of another hand may state anything."""
    return 1e-12 < figure < 1e18


def _scale(charts: Charts, points: Sequence[WorkPoint]) -> _Scale:
    slopes = [roof.value for roof in charts.roofs if roof.kind == "bandwidth"]
    peaks = [roof.value for roof in charts.roofs if roof.kind == "compute"]
    xs = [point.intensity for point in points] + [peak / min(slopes) for peak in peaks]
    ys = [point.gflops for point in points] + peaks
    if not peaks:
        ys += [slope * max(xs) for slope in slopes]
    left, right = math.floor(math.log10(min(xs)) - 0.2), math.ceil(math.log10(max(xs)) + 0.2)
    low, high = math.floor(math.log10(min(ys)) - 0.2), math.ceil(math.log10(max(ys)) + 0.2)
    return _Scale(left, max(right, left + 1), low, max(high, low + 1))


def _axes(scale: _Scale, lang: str) -> Iterator[str]:
    floor, edge = HEIGHT - BOTTOM, WIDTH - RIGHT
    for exponent in _every(scale.left, scale.right):
        x = scale.x(10.0**exponent)
        yield f'<line class="grid" x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{floor}"/>'
        yield f'<text x="{x:.1f}" y="{floor + 16}" text-anchor="middle">{_power(exponent)}</text>'
    for exponent in _every(scale.low, scale.high):
        y = scale.y(10.0**exponent)
        yield f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{edge}" y2="{y:.1f}"/>'
        yield f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{_power(exponent)}</text>'
    middle = (LEFT + edge) / 2
    yield f'<text x="{middle:.0f}" y="{HEIGHT - 8}" text-anchor="middle">{esc(say("chart.roofline.x", lang))}</text>'
    half = (TOP + floor) / 2
    yield (
        f'<text transform="translate(14 {half:.0f}) rotate(-90)" text-anchor="middle">'
        f"{esc(say('chart.roofline.y', lang))}</text>"
    )


def _every(low: int, high: int) -> range:
    return range(low, high + 1, max(1, math.ceil((high - low) / 7)))


def _power(exponent: int) -> str:
    return (
        f"{10.0**exponent:g}" if -3 <= exponent <= 4 else f'10<tspan dy="-5" font-size="9">{exponent}</tspan>'
    )


def _roofs(scale: _Scale, roofs: Sequence[Roof]) -> Iterator[str]:
    """Slopes up to the highest peak they reach, peaks from the steepest slope on; names at their upper end."""
    slopes = [roof for roof in roofs if roof.kind == "bandwidth"]
    peaks = [roof for roof in roofs if roof.kind == "compute"]
    ceiling = max((roof.value for roof in peaks), default=10.0**scale.high)
    steepest = max(roof.value for roof in slopes)
    left, right = 10.0**scale.left, 10.0**scale.right
    for roof in slopes:
        start = max(left, 10.0**scale.low / roof.value)
        end = min(right, ceiling / roof.value)
        if end <= start:
            continue
        x1, y1, x2, y2 = scale.x(start), scale.y(roof.value * start), scale.x(end), scale.y(roof.value * end)
        yield f'<line class="roof" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'
        angle = math.degrees(math.atan2(y2 - y1, x2 - x1))
        at = 0.62
        x, y = x1 + (x2 - x1) * at, y1 + (y2 - y1) * at - 5
        text = f"{roof.name} {units.number(roof.value, 'GB/s')}"
        yield f'<text class="roofname" transform="translate({x:.1f} {y:.1f}) rotate({angle:.1f})" text-anchor="middle">{esc(text)}</text>'
    for roof in peaks:
        x1, x2, y = scale.x(max(left, roof.value / steepest)), scale.x(right), scale.y(roof.value)
        yield f'<line class="roof" x1="{x1:.1f}" y1="{y:.1f}" x2="{x2:.1f}" y2="{y:.1f}"/>'
        text = f"{roof.name} {_flops(roof.value)}"
        yield f'<text class="roofname" x="{x2 - 4:.1f}" y="{y - 5:.1f}" text-anchor="end">{esc(text)}</text>'


def _flops(gflops: float) -> str:
    return f"{gflops / 1000:.3g} TFLOP/s" if gflops >= 1000 else f"{gflops:.3g} GFLOP/s"


def _points(scale: _Scale, points: Sequence[WorkPoint], roofs: Sequence[Roof], lang: str) -> Iterator[str]:
    longest = max(point.operator.time_us or 0.0 for point in points) or 1.0
    taken: list[tuple[float, float]] = []
    names = [scale.y(roof.value) - 5 for roof in roofs if roof.kind == "compute"]  # where peaks are named
    by_time = sorted(points, key=lambda point: -(point.operator.time_us or 0.0))
    for at, point in enumerate(by_time):
        x, y = scale.x(point.intensity), scale.y(point.gflops)
        radius = max(SMALLEST, LARGEST * math.sqrt((point.operator.time_us or 0.0) / longest))
        told = say(
            "chart.roofline.point",
            lang,
            name=name_of(point.operator),
            intensity=f"{point.intensity:.3g}",
            rate=_flops(point.gflops),
            time=units.us(point.operator.time_us or 0.0),
            how=tell(point.origin, lang),
        )
        if point.reached is not None:
            told += f"; {say('chart.roofline.reached', lang, share=units.percent(point.reached), roof=point.roof)}"
        yield f'<g class="point {_kind(point)}" tabindex="0" role="img" aria-label="{esc(told)}"><title>{esc(told)}</title>'
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"/></g>'
        if (
            at < LABELLED
            and all(abs(y - other) > 13 or abs(x - across) > 150 for across, other in taken)
            and all(abs(y - other) > 13 or x < WIDTH * 0.55 for other in names)
        ):
            taken.append((x, y))
            left = x > WIDTH * 0.7
            x += -(radius + 4) if left else radius + 4
            anchor = "end" if left else "start"
            name = point.operator.type or point.operator.name
            yield f'<text x="{x:.1f}" y="{y + 4:.1f}" text-anchor="{anchor}">{esc(name[:24])}</text>'


def _kind(point: WorkPoint) -> str:
    return point.operator.core if point.operator.core in ("vector", "cube", "mix") else "other"
