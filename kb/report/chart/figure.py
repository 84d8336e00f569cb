"""What the pictures share: the frame around one, and how a bar and an operator's name are written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kb.model import OperatorRef
from kb.report.catalogue import say
from kb.report.sheet import esc

NAME_CHARS = 48


def figure(name: str, lines: Iterable[str], lang: str, *, note: str = "") -> Iterator[str]:
    """A picture under its title with a line that says how to read it; `lines` are HTML, `note` is text."""
    read = say(f"chart.{name}.read", lang)
    yield f'<figure class="{name}"><figcaption><h3>{esc(say(f"chart.{name}", lang))}</h3>'
    yield f'<p class="quiet">{esc(read)}{" " + esc(note) if note else ""}</p></figcaption>'
    yield from lines
    yield "</figure>"


def bar(parts: Iterable[tuple[str, float] | tuple[str, float, float]], ticks: Iterable[float] = ()) -> str:
    """A track of full width with parts over one another, and ticks at fractions.

    A part is its class, its length, and where it begins (at the left where nothing is said), as fractions.
    """
    fills = "".join(_fill(*part) for part in parts)
    marks = "".join(f'<b style="left:{_percent(tick)}%"></b>' for tick in ticks)
    return f'<span class="track" aria-hidden="true">{fills}{marks}</span>'


def _fill(kind: str, length: float, start: float = 0.0) -> str:
    at = f"left:{_percent(start)}%;" if start > 0 else ""
    return f'<i class="{kind}" style="{at}width:{_percent(length)}%"></i>'


def name_of(operator: OperatorRef) -> str:
    """Type and shapes of an operator in one short line (text, not yet escaped)."""
    text = " ".join(part for part in (operator.type or operator.name, operator.shapes) if part)
    return text if len(text) <= NAME_CHARS else f"{text[: NAME_CHARS - 1]}…"


def _percent(part: float) -> str:
    return f"{min(max(part, 0.0), 1.0) * 100:.4g}"
