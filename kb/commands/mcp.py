"""`kb mcp`: the knowledge base and the advice as tools for agents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kb.commands._console import Common, say
from kb.commands._extras import needing

__all__ = ["FORMATS", "ORDER", "PANEL", "run"]

PANEL, ORDER = "Upkeep", 6
FORMATS = ("text",)


def run(
    common: Common,
    *,
    root: Annotated[
        list[Path] | None,
        typer.Option(
            "--root",
            metavar="DIR",
            show_default=False,
            help="Folder below which files may be read; may be repeated (default: the current folder).",
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            "--http",
            min=0,
            max=65535,
            metavar="PORT",
            show_default=False,
            help="Serve HTTP on this port of 127.0.0.1 (0 takes a free one) instead of stdin and stdout.",
        ),
    ] = None,
) -> int:
    """Serve agents with the Model Context Protocol.

    Tools: advise, search, show, explain, check_model, compare, runs, ask; their answers are the JSON documents of the
    commands. Files are read only below the roots; runs are kept as always. Needs the extra: pip install 'ascend-kb[mcp]'.

    Exit status: 0 the client went away, 2 the extra is not installed.

    Examples:
      kb mcp --root ./profiles
      kb mcp --root ./profiles --http 8765
    """
    with needing("mcp"):
        from kb.mcp import server as serving
    from importlib.metadata import version

    from kb.mcp.answers import Tools
    from kb.mcp.roots import Roots

    tools = Tools(Roots.of(root or [Path()]), common.db or None)
    server = serving.build(tools, version("ascend-kb"))
    if port is None:
        serving.serve_stdio(server)
    else:
        from kb.loopback import HOST, listening

        listener = listening(port, "--http")
        say(common, f"serving on http://{HOST}:{listener.getsockname()[1]}{serving.PATH}; Ctrl-C ends it")
        serving.serve_http(server, listener)
    return 0
