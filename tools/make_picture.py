"""Draw docs/images/advise.svg from what `kb` really prints: `python tools/make_picture.py [--check]`.

The command runs on the shipped sample with colours on; rich turns the captured text into an SVG that needs no font or
other file from anywhere. Of each section the first item is shown, and what is left out is marked. `--check` writes
nothing and fails when the picture is out of date.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "images" / "advise.svg"
COMMAND = ("advise", "data/samples/add_custom")
WIDTH, LINES = 100, 64

# Without the @font-face rules, which would load a font from the network.
_FORMAT = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)


def printed() -> str:
    """What the command prints on a terminal of `WIDTH` columns, with its colours.

    Raises:
        SystemExit: the command failed.
    """
    with tempfile.TemporaryDirectory() as place:
        env = {
            **os.environ,
            "FORCE_COLOR": "1",
            "COLUMNS": str(WIDTH),
            "TERM": "xterm-256color",
            "KB_LANG": "en",
        }
        env.pop("NO_COLOR", None)
        env.update(KB_DB=str(Path(place) / "runs.db"), PYTHONPATH=str(ROOT))
        call = (sys.executable, "-c", "import sys; from kb.cli import main; sys.exit(main())", *COMMAND)
        done = subprocess.run(
            call, capture_output=True, text=True, encoding="utf-8", env=env, cwd=ROOT, check=False
        )
    if done.returncode != 0:
        raise SystemExit(f"kb {' '.join(COMMAND)}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout


def shortened(lines: Sequence[str]) -> list[str]:
    """What stands above the first section, then of each section the first item; marks say how much is left out.

    Sections after `LINES` lines are left out whole.
    """
    plain = [Text.from_ansi(line).plain.strip() for line in lines]
    starts = [0, *(n for n, text in enumerate(plain) if text.startswith("── ")), len(lines)]
    kept: list[str] = []
    later = 0
    for start, end in pairwise(starts):
        blank = next((n for n in range(start, end) if not plain[n]), end)
        cut = end if start == 0 else blank
        left_out = sum(bool(text) for text in plain[cut:end])
        if len(kept) > LINES:
            later += sum(bool(text) for text in plain[start:end])
            continue
        kept += [*lines[start:cut], *([_mark(left_out)] if left_out else []), *([""] if start else [])]
    return [*kept, _mark(later)] if later else kept


def _mark(count: int) -> str:
    return f"\x1b[2m    … {count} more lines\x1b[0m"


def draw(text: str) -> str:
    """The SVG of a terminal that shows the shortened lines of a text with ANSI colours."""
    console = Console(
        record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor"
    )
    for line in shortened(text.rstrip("\n").split("\n")):
        console.print(Text.from_ansi(line), soft_wrap=True)
    svg = console.export_svg(title=f"kb {' '.join(COMMAND)}", code_format=_FORMAT, unique_id="kb")
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


def main(arguments: Sequence[str]) -> int:
    picture = draw(printed())
    if "--check" in arguments:
        if PICTURE.is_file() and PICTURE.read_text(encoding="utf-8") == picture:
            return 0
        print(
            f"{PICTURE.relative_to(ROOT)} is out of date: run python tools/make_picture.py", file=sys.stderr
        )
        return 1
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(picture, encoding="utf-8")
    print(f"{PICTURE.relative_to(ROOT)}: {len(picture)} bytes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
