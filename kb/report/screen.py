"""What the terminal view is drawn with: rich, used for its styles, never for its markup.

All text passes through `clean` and enters rich as `Text`, which knows no markup.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.text import Text

from kb.report.catalogue import say
from kb.report.columns import GAP, lay_out
from kb.report.text import clean, shorten, width_of, wrap

LEAST, MOST = 40, 160  # columns that the layout is made for
PROSE = 100  # columns; longer lines are hard to read
BAR = 20  # columns of a bar
Cell = str | tuple[str, str] | float  # text, text with a style, a fraction to be drawn


class Screen:
    """A page in the making, `width` columns wide (40 to 160)."""

    def __init__(self, lang: str, width: int, *, color: bool) -> None:
        self.lang = lang
        self.width = max(LEAST, min(width, MOST))
        self.prose_width = min(self.width, PROSE)
        self._out = io.StringIO()
        self._console = Console(
            file=self._out,
            width=self.width,
            force_terminal=color,
            no_color=not color,
            color_system="standard" if color else None,
            legacy_windows=False,
            highlight=False,
            markup=False,
            emoji=False,
        )

    def text(self) -> str:
        """All that was drawn, without trailing blanks."""
        return "\n".join(line.rstrip() for line in self._out.getvalue().splitlines())

    def say(self, key: str, **values: object) -> str:
        """A fixed text in the language of this screen."""
        return say(key, self.lang, **values)

    def line(self, text: str = "", style: str = "") -> None:
        """One line as it is."""
        self._put(Text(text, style=style))

    def _put(self, text: Text) -> None:
        self._console.print(text, no_wrap=True, overflow="ignore", crop=False)

    def heading(self, key: str, note: str = "") -> None:
        """A heading over the whole width, after a blank line; `note` says of what it is."""
        title = shorten(" · ".join(filter(None, (self.say(key), clean(note)))), self.width - 6)
        self.line()
        self.line(f"── {title} " + "─" * max(0, self.width - width_of(title) - 4), "bold cyan")

    def prose(self, text: str, *, indent: int = 0, mark: str = "", style: str = "") -> None:
        """Wrapped text, its first line behind `mark`."""
        for at, line in enumerate(wrap(clean(text), self.prose_width - indent)):
            self.line((f"{mark:<{indent}}" if at == 0 else " " * indent) + line, style)

    def field(
        self, label: str, text: str, *, indent: int = 0, edge: int = 12, hang: int = 0, style: str = ""
    ) -> None:
        """A label and its text, wrapped beside it; `hang` indents the further lines."""
        if not clean(text):
            return
        room = max(self.prose_width - indent - edge, 16)
        first, *rest = wrap(clean(text), room, indent=" " * hang)
        blanks = " " * max(1, edge - width_of(label))
        self._put(Text.assemble(" " * indent, (label, "dim"), blanks, (first, style)))
        for line in rest:
            self.line(" " * (indent + edge) + line, style)

    def table(
        self,
        rows: Iterable[Sequence[Cell]],
        *,
        heads: Sequence[str] = (),
        right: frozenset[int] = frozenset(),
        indent: int = 2,
    ) -> None:
        """An open table; columns in `right` are set flush right. Nothing is drawn without rows."""
        cells = [[_cell(item) for item in row] for row in rows]
        if not cells:
            return
        if heads:
            blank = [""] * (len(cells[0]) - len(heads))
            cells.insert(0, [(head, "dim") for head in (*heads, *blank)])
        texts = [[text for text, _ in row] for row in cells]
        for number, parts in lay_out(texts, self.width - indent, right):
            styles = [style for _, style in cells[number]]
            line = Text(" " * indent)
            for part, style in zip(parts, styles, strict=True):
                line.append(part, style).append(" " * GAP)
            line.rstrip()
            self._put(line)


def _cell(item: Cell) -> tuple[str, str]:
    """Text and style of a cell; a fraction is drawn as a bar."""
    if isinstance(item, float):
        return _bar(item), "cyan"
    text, style = item if isinstance(item, tuple) else (item, "")
    return clean(text), style


def _bar(share: float) -> str:
    """A bar in eighths of a column; its empty part is drawn too, so that it reads without colour.

    A damaged table may state a share far above one: the figure beside it says so, the bar ends where it is full.
    """
    full, rest = divmod(round(min(max(share, 0.0), 1.0) * BAR * 8), 8)
    part = " ▏▎▍▌▋▊▉"[rest] if rest else ""
    return "█" * full + part + "·" * (BAR - full - len(part))
