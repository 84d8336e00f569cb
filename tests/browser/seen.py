"""What a reader can make of a page: contrast, colours as the colour-blind see them, names for screen readers."""

from __future__ import annotations

from itertools import combinations

# Texts that are drawn, each with its colour and the colour behind it, as lists of 0 to 255.
TEXTS = """
const solid = text => { const part = text.match(/[\\d.]+/g).map(Number); return part.length > 3 && part[3] === 0 ? null : part.slice(0, 3); };
const behind = node => { for (; node; node = node.parentElement) { const found = solid(getComputedStyle(node).backgroundColor); if (found) return found; } return solid(getComputedStyle(document.body).backgroundColor); };
const out = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode, parent = node.parentElement, style = getComputedStyle(parent);
  if (!node.textContent.trim() || ["SCRIPT", "STYLE", "TITLE"].includes(parent.tagName) || !parent.getClientRects().length) continue;
  out.push([node.textContent.trim().slice(0, 40), solid(parent.closest("svg") ? style.fill : style.color), behind(parent)]);
}
return out;
"""

# What a screen reader would be told nothing about.
NAMELESS = """
const named = node => (node.getAttribute("aria-label") || node.textContent || "").trim();
return [...document.querySelectorAll("svg[role], [role=img], input:not([type=hidden]), select, button, a, [tabindex]")]
  .filter(node => !named(node)).map(node => node.outerHTML.slice(0, 80));
"""

# Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB.
BLIND = {
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
}  # fmt: skip

Colour = tuple[float, float, float]


def linear(colour: list[float]) -> Colour:
    """sRGB of 0 to 255 as linear light of 0 to 1 (IEC 61966-2-1)."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (value / 255 for value in colour)
    )
    return red, green, blue


def contrast(one: list[float], other: list[float]) -> float:
    """WCAG 2 contrast of two colours, 1 to 21."""
    lights = [0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in (linear(one), linear(other))]
    return (max(lights) + 0.05) / (min(lights) + 0.05)


def as_seen(colour: list[float], kind: str) -> Colour:
    """A colour as somebody with this kind of colour blindness sees it, linear."""
    light = linear(colour)
    red, green, blue = (
        min(max(sum(w * part for w, part in zip(row, light, strict=True)), 0.0), 1.0) for row in BLIND[kind]
    )
    return red, green, blue


def difference(one: Colour, other: Colour) -> float:
    """CIE 1976 colour difference of two linear colours (D65); 2.3 is just noticeable."""
    return sum((a - b) ** 2 for a, b in zip(_lab(one), _lab(other), strict=True)) ** 0.5


def least_difference(colours: list[list[float]], kind: str) -> float:
    """The least difference between any two colours for this kind of colour blindness."""
    return min(difference(as_seen(a, kind), as_seen(b, kind)) for a, b in combinations(colours, 2))


def _lab(colour: Colour) -> Colour:
    red, green, blue = colour
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883
    fx, fy, fz = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)
