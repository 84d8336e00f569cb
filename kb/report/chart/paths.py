"""The way of the data through the memories of a core, with the bandwidth of each step."""

from __future__ import annotations

import math
from collections.abc import Iterator

from kb import units
from kb.model import DataPath, Report
from kb.report.catalogue import say
from kb.report.chart.figure import figure, name_of
from kb.report.sheet import esc

NAME = "paths"
BOX_W, BOX_H = 74, 34
# Left upper corner of each memory and unit; the vector side moves up where there is no cube side.
_CUBE = {"L1": (200, 60), "L0A": (370, 20), "L0B": (370, 100), "cube": (540, 60), "L0C": (540, 160)}
_VECTOR = {"UB": (200, 250), "vector": (370, 250)}
_ONLY_VECTOR_UP = 210


def draw(report: Report, lang: str) -> Iterator[str]:
    """Boxes and arrows; the paths that were measured, of the kernel with the most time."""
    found = report.charts.paths
    if not found or not report.charts.pipes:
        return
    places = _places(found)
    if not places.keys() - {"GM"}:
        return  # a kept report of another hand may name ends that nobody knows
    height = max(y for _, y in places.values()) + BOX_H + 34
    lines = [
        f'<div class="wide"><svg class="chart" viewBox="0 0 720 {height}" role="img" aria-label="{esc(_in_words(found, lang))}">',
        *_boxes(places),
        *(line for path in found for line in _arrow(path, places, found, lang)),
        "</svg></div>",
    ]
    yield from figure(NAME, lines, lang, note=name_of(report.charts.pipes[0].operator))


def _places(paths: tuple[DataPath, ...]) -> dict[str, tuple[float, float]]:
    ends = {end for path in paths for end in (path.source, path.target)}
    cube = {name: place for name, place in _CUBE.items() if name in ends}
    up = 0 if cube else _ONLY_VECTOR_UP
    vector = {name: (x, y - up) for name, (x, y) in _VECTOR.items() if name in ends}
    return ({"GM": (10.0, 0.0)} if "GM" in ends else {}) | cube | vector


def _boxes(places: dict[str, tuple[float, float]]) -> Iterator[str]:
    bottom = max(y for name, (_, y) in places.items() if name != "GM") + BOX_H
    top = min(y for name, (_, y) in places.items() if name != "GM")
    for name, (x, y) in places.items():
        start, height = (top, bottom - top) if name == "GM" else (y, BOX_H)
        kind = "unit" if name in ("cube", "vector") else "memory"
        yield f'<rect class="{kind}" x="{x:.0f}" y="{start:.0f}" width="{BOX_W}" height="{height:.0f}" rx="6"/>'
        yield f'<text x="{x + BOX_W / 2:.0f}" y="{start + height / 2 + 4:.0f}" text-anchor="middle"><tspan font-weight="600">{esc(name)}</tspan></text>'


def _arrow(
    path: DataPath, places: dict[str, tuple[float, float]], all_paths: tuple[DataPath, ...], lang: str
) -> Iterator[str]:
    if path.source not in places or path.target not in places:
        return
    (x1, y1), (x2, y2) = _ends(path, places)
    back = any((other.source, other.target) == (path.target, path.source) for other in all_paths)
    shift = (-7 if x2 > x1 else 7) if back and y1 == y2 else 0
    y1, y2 = y1 + shift, y2 + shift
    widest = max(other.gbps for other in all_paths if other.of == path.of) or 1.0
    width = 1.2 + 2.8 * path.gbps / widest
    yield f'<line class="path" x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}" stroke-width="{width:.1f}"/>'
    yield _tip(x1, y1, x2, y2)
    below = shift > 0
    x, y = (x1 + x2) / 2, (y1 + y2) / 2 + (14 if below else -6)
    if x1 == x2:
        x, y = x + 8, (y1 + y2) / 2 + 4
    anchor = "start" if x1 == x2 else "middle"
    yield f'<text class="small" x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}">{esc(_rate(path, lang))}</text>'


def _tip(x1: float, y1: float, x2: float, y2: float) -> str:
    """The head of an arrow, its point a little beyond the end of the line."""
    turn = math.degrees(math.atan2(y2 - y1, x2 - x1))
    return f'<path class="tip" d="M3 0L-7 -5L-7 5z" transform="translate({x2:.0f} {y2:.0f}) rotate({turn:.0f})"/>'


def _ends(
    path: DataPath, places: dict[str, tuple[float, float]]
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Where the arrow leaves and arrives: side to side, or bottom to top for boxes above one another."""
    (sx, sy), (tx, ty) = places[path.source], places[path.target]
    if path.source == "GM":
        sy = ty
    if path.target == "GM":
        ty = sy
    if sx == tx:
        down = ty > sy
        middle = sx + BOX_W / 2
        return (middle, sy + BOX_H if down else sy), (middle, ty if down else ty + BOX_H)
    right = tx > sx
    start = sx + BOX_W + 2 if right else sx - 2
    end = tx - 4 if right else tx + BOX_W + 4
    return (start, sy + BOX_H / 2), (end, ty + BOX_H / 2)


def _rate(path: DataPath, lang: str) -> str:
    text = units.number(path.gbps, "GB/s")
    return say("chart.paths.core", lang, rate=text) if path.of == "core" else text


def _in_words(paths: tuple[DataPath, ...], lang: str) -> str:
    return "; ".join(f"{path.source} → {path.target}: {_rate(path, lang)}" for path in paths)
