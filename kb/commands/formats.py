"""`kb formats`: which files are read, printed from the registry of readers."""

from __future__ import annotations

from typing import Any

from kb.commands._console import Common, show

PANEL, ORDER = "Upkeep", 5


def run(common: Common) -> int:
    """List the profile formats that are read, and those that are refused by name.

    A file is known by its content, not by its name. A folder may hold several formats of one run: the first of its
    family in this list makes the profile, what stands below adds to it or is left out.

    Exit status: 0 printed.

    Examples:
      kb formats
      kb formats --format json
    """
    from kb.engine.readers.listing import ARCHIVES, formats, refused
    from kb.report.formats import formats_page

    rows: list[dict[str, Any]] = [
        {
            "name": item.name,
            "title": item.title,
            "family": item.family,
            "rank": item.rank,
            "adds": item.adds,
        }
        for item in formats()
    ]
    document = {
        "schema": "kb.formats/1",
        "formats": rows,
        "archives": [{"name": name, "holds": holds} for name, holds in ARCHIVES],
        "refused": [{"name": name, "now": now} for name, now in refused()],
    }
    show(common, formats_page(document, common.lang), document, rows)
    return 0
