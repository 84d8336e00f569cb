"""Draw docs/images/architecture.svg from the imports of the package: `python -m tools.make_architecture`.

A box is a part of `kb`; it stands below everything that imports it. A line is an import;
those that follow from others (a imports b, b imports c, a imports c) are left out, or there would be nothing to see.
Needs grimp, which import-linter brings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path

import grimp

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "images" / "architecture.svg"
WIDE, HIGH, ACROSS, DOWN, EDGE = 104, 28, 22, 40, 20
SWEEPS = 24
# What a part is for, by colour; the flow of a report is engine and report.
GROUPS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "entrances": ("#dbe9f6", ("cli", "commands", "mcp", "serve", "library", "schema")),
    "answers": ("#e6e1f3", ("service", "benchmark", "checking", "report")),
    "reading and judging": ("#dff0df", ("engine", "graph", "operators", "targets")),
    "knowledge and runs": ("#fbeed5", ("knowledge", "models", "ask", "store")),
    "types and words": ("#eeeeee", ()),
}
STYLE = (
    "text{font:12px sans-serif;fill:#1b1b1b;text-anchor:middle}"
    ".k{text-anchor:start}path{fill:none;stroke:#7d8590;stroke-width:1.2}rect{stroke:#59636e}"
)
Imports = Mapping[str, frozenset[str]]


def imports() -> Imports:
    """Which part of `kb` imports which."""
    graph = grimp.build_graph("kb", cache_dir=None)
    parts = {name.split(".")[1] for name in graph.modules if "." in name} - {"__main__", "data"}
    found: dict[str, set[str]] = {part: set() for part in sorted(parts)}
    for module in graph.modules:
        part = _part(module)
        if part not in parts:
            continue
        found[part] |= {_part(other) for other in graph.find_modules_directly_imported_by(module)} & parts - {
            part
        }
    return {part: frozenset(others) for part, others in found.items()}


def _part(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def levels(found: Imports) -> list[list[str]]:
    """The parts in rows: each below all that import it, as high as that allows."""
    depth: dict[str, int] = {}

    def of(part: str) -> int:
        if part not in depth:
            above = [other for other in found if part in found[other]]
            depth[part] = max((of(other) + 1 for other in above), default=0)
        return depth[part]

    rows: list[list[str]] = [[] for _ in range(1 + max(map(of, found)))]
    for part in sorted(found):
        rows[of(part)].append(part)
    return rows


def told(found: Imports) -> Imports:
    """Imports without those that follow from others."""
    reach: dict[str, frozenset[str]] = {}

    def below(part: str) -> frozenset[str]:
        if part not in reach:
            reach[part] = found[part].union(*(below(other) for other in found[part]))
        return reach[part]

    return {
        part: frozenset(
            other for other in others if not any(other in below(third) for third in others - {other})
        )
        for part, others in found.items()
    }


def places(rows: Sequence[Sequence[str]], edges: Imports) -> dict[str, tuple[float, float]]:
    """The middle of every box: parts near those that they are tied to."""
    ties = {
        part: sorted({*edges[part], *(other for other in edges if part in edges[other])}) for part in edges
    }
    x = {part: float(at - len(row) / 2) for row in rows for at, part in enumerate(row)}
    for _ in range(SWEEPS):
        for row in rows:
            wanted = {
                part: sum(x[other] for other in ties[part]) / len(ties[part]) if ties[part] else x[part]
                for part in row
            }
            ordered = sorted(row, key=lambda part: (round(wanted[part], 6), part))
            middle = sum(wanted.values()) / len(row)
            for at, part in enumerate(ordered):
                x[part] = middle + (at - (len(row) - 1) / 2)
    least = min(x.values())
    step = WIDE + ACROSS
    return {
        part: (EDGE + WIDE / 2 + (x[part] - least) * step, EDGE + HIGH / 2 + at * (HIGH + DOWN))
        for at, row in enumerate(rows)
        for part in row
    }


def draw() -> str:
    """The picture."""
    found = imports()
    edges = told(found)
    at = places(levels(found), edges)
    width = max(x for x, _ in at.values()) + WIDE / 2 + EDGE
    height = max(y for _, y in at.values()) + HIGH / 2 + EDGE + 30
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
        f'aria-labelledby="t"><title id="t">The parts of kb and their imports, from the top down</title>',
        f"<style>{STYLE}</style>",
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff" style="stroke:none"/>',
        *(_line(at[part], at[other]) for part in sorted(edges) for other in sorted(edges[part])),
        *(_box(part, at[part]) for part in sorted(at)),
        *_key(height),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _line(start: tuple[float, float], end: tuple[float, float]) -> str:
    (x1, y1), (x2, y2) = start, end
    y1, y2 = y1 + HIGH / 2, y2 - HIGH / 2
    bend = (y2 - y1) / 2
    return (
        f'<path d="M{x1:.0f} {y1:.0f}C{x1:.0f} {y1 + bend:.0f} {x2:.0f} {y2 - bend:.0f} {x2:.0f} {y2:.0f}"/>'
    )


def _box(part: str, place: tuple[float, float]) -> str:
    x, y = place
    color = next((color for color, parts in GROUPS.values() if part in parts), GROUPS["types and words"][0])
    return (
        f'<rect x="{x - WIDE / 2:.0f}" y="{y - HIGH / 2:.0f}" width="{WIDE}" height="{HIGH}" rx="4" fill="{color}"/>'
        f'<text x="{x:.0f}" y="{y + 4:.0f}">{escape(part)}</text>'
    )


def _key(height: float) -> Iterator[str]:
    for place, (name, (color, _)) in enumerate(GROUPS.items()):
        x = EDGE + place * 150
        yield f'<rect x="{x}" y="{height - 28:.0f}" width="14" height="14" fill="{color}"/>'
        yield f'<text class="k" x="{x + 20}" y="{height - 17:.0f}">{escape(name)}</text>'


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8", newline="\n")
