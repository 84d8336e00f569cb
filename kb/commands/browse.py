"""`kb browse`: runs, findings and the knowledge base on the whole terminal."""

from __future__ import annotations

import sys

from kb.commands._console import Common
from kb.commands._extras import needing
from kb.errors import UsageError

__all__ = ["FORMATS", "ORDER", "PANEL", "run"]

PANEL, ORDER = "Runs", 10
FORMATS = ("text",)


def run(common: Common) -> int:
    """Look through runs, findings and the knowledge base on the terminal.

    The first pane lists kept runs with their findings, the second searches while you type. Keys: arrows and Tab to
    move, / to search, Escape back to the runs, q to quit. Read-only. Needs the extra: pip install 'ascend-kb[browse]'.

    Exit status: 0 left with q, 2 no terminal, or the extra is not installed.

    Examples:
      kb browse
      kb browse --lang zh
    """
    with needing("browse"):
        from kb.browse import app
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            "browsing needs a terminal for input and output",
            now="In a pipe use `kb runs list`, `kb report` and `kb search`.",
        )
    app.Browse(common.db or None, common.lang).run()
    return 0
