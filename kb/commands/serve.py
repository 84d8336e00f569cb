"""`kb serve`: runs, reports and the knowledge base in a browser on this machine."""

from __future__ import annotations

import secrets
from typing import Annotated

import typer

from kb.commands._console import Common, emit
from kb.commands._extras import needing

__all__ = ["FORMATS", "ORDER", "PANEL", "run"]

PANEL, ORDER = "Runs", 9
FORMATS = ("text",)


def run(
    common: Common,
    *,
    port: Annotated[
        int,
        typer.Option(
            "--port", min=0, max=65535, metavar="PORT", help="Port of 127.0.0.1; 0 takes a free one."
        ),
    ] = 8760,
) -> int:
    """Show runs, reports and the knowledge base in a browser.

    Serves this machine alone, read-only. The address that is printed holds a token made anew each time; without it
    nothing is answered. Needs the extra: pip install 'ascend-kb[serve]'.

    Exit status: 130 ended with Ctrl-C, 143 with SIGTERM, 2 the extra is not installed.

    Examples:
      kb serve
      kb serve --port 0
    """
    with needing("serve"):
        from kb.serve import app

    from kb.loopback import HOST

    token = secrets.token_urlsafe(24)

    def ready(at: int) -> None:
        emit(f"http://{HOST}:{at}/{token}/?lang={common.lang}")
        if not common.quiet:
            emit("Ctrl-C ends it.")
        import sys

        sys.stdout.flush()

    app.serve(app.build(token, common.db or None), port, ready)
    return 0
