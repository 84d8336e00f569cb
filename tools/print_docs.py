"""Write the pages of the documentation that are printed from the code: `python -m tools.print_docs [FOLDER]`.

A test compares them with what this prints.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from kb.engine.readers.archive import MOST_BYTES, MOST_MEMBERS, MOST_RATIO
from kb.engine.readers.columns import all_columns
from kb.engine.readers.listing import ARCHIVES, formats, refused
from tools.print_bottlenecks import bottleneck_pages
from tools.print_cli import cli_page, manual
from tools.print_database import database_page
from tools.print_floors import floors_page
from tools.print_json import json_page
from tools.print_messages import messages_page

ROOT = Path(__file__).resolve().parent.parent
FAMILIES = {"kernel": "Captures of single kernels", "job": "Exports of whole runs"}

HEAD = """\
# Formats

Printed from the registry of readers by `make docs`; `kb formats` prints the same. A file is known by its content, not by
its name: an `op_summary.csv` that holds operator totals is read as operator totals.

```sh
kb formats
```

A folder may hold several formats of one run. Of each family the first one below makes the profile. Those marked *adds*
tell something besides (waiting of collectives, packets, links, where the host's time goes); the others are left out, so
that nothing counts twice. Captures of kernels and exports of runs do not mix. Times of the simulator never stand beside
times of a device.
"""

BOUNDS = f"""\
An archive is unpacked into a private folder that is removed on every way out. At most {MOST_MEMBERS} members and
{MOST_BYTES >> 30} GiB are unpacked, and no more than {MOST_RATIO} times the archive's size. Links, devices and encrypted members are left out;
names that lead out of the archive too; archives inside it are not opened.
"""

LOSS = """\
## What becomes of damage

A row or event that is cut off or damaged is left out, everything whole is used, and the answer says how many were used
and lost. A missing value is absent, never 0. A file that is of no use is refused with the reason and exit status 3; a file
that is readable but holds nothing to judge ends with exit status 5 and names the command that collects what is missing.
"""


def formats_page() -> str:
    """docs/formats.md."""
    lines = [HEAD]
    for family, title in FAMILIES.items():
        rows = [item for item in formats() if item.family == family]
        lines += [f"## {title}", "", "| reader | format | beside a better one |", "|---|---|---|"]
        lines += [
            f"| `{item.name}` | {item.title} | {'adds' if item.adds else 'left out'} |" for item in rows
        ]
        lines.append("")
    lines += ["## Archives", "", "| archive | holds |", "|---|---|"]
    lines += [f"| {name} | {holds} |" for name, holds in ARCHIVES]
    lines += ["", BOUNDS, LOSS, "## Columns", ""]
    lines += [
        "Every column, with its unit, its spellings and the versions that write it, stands once in",
        "[`columns.tsv`](../kb/engine/readers/columns.tsv). Order and spelling do not matter, unknown columns are named and",
        "left alone. Columns known, by table:",
        "",
    ]
    counts = Counter(table for column in all_columns().values() for table in column.tables)
    lines += ["| table | columns |", "|---|---|"]
    lines += [f"| {table} | {counts[table]} |" for table in sorted(counts, key=str.casefold)]
    lines += ["", "## Recognised and refused", "", "| looks like | what to do |", "|---|---|"]
    lines += [f"| {name} | {now} |" for name, now in refused()]
    return "\n".join(lines) + "\n"


PAGES = {
    "cli.md": cli_page,
    "database.md": database_page,
    "floors.md": floors_page,
    "formats.md": formats_page,
    "json.md": json_page,
    "man/kb.1": manual,
    "profiler-messages.md": messages_page,
}


def pages() -> dict[str, str]:
    """Path below docs -> text, of every printed page."""
    return {name: page() for name, page in PAGES.items()} | bottleneck_pages()


def write(folder: Path) -> None:
    """All printed pages into `folder`."""
    for name, text in pages().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs")
