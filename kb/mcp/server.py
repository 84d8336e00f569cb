"""The server: tools with their errors as messages, over stdio or loopback HTTP."""

from __future__ import annotations

import functools
import inspect
import json
import os
import signal
import socket
from collections.abc import Awaitable, Callable
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.transport_security import TransportSecuritySettings
from mcp.types import ToolAnnotations
from pydantic import ValidationError

from kb.errors import KbError
from kb.loopback import HOST, Busy, Turns, lasting, run
from kb.mcp import said
from kb.mcp.answers import LONGEST, Document, Tool, Tools
from kb.report.dump import dumps

PATH = "/mcp"
# Calls that work and calls that may wait. Those that read files take memory with them, a big profile some 150 MB.
QUICK, HEAVY = (8, 56), (2, 14)
READING = frozenset({"advise", "check_model", "compare"})

_INSTRUCTIONS = """Performance advice for Ascend NPUs, offline. Typical loop: `advise` on a profile folder, `show` the first
recommendation, let the user change the code and profile again, `advise` again. `search` answers free questions. Gains are
ranges with a stated basis: repeat the range and the basis, never the upper end alone."""


class _Server(MCPServer):
    """A server that refuses arguments no tool has: a mistyped `soc` that is passed over would give another answer."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """Call a tool; its wrong arguments are named in a sentence."""
        known = {tool.name: tool.input_schema.get("properties", {}) for tool in await self.list_tools()}
        wrong = said.unknown(arguments, known[name]) if name in known else ""
        if wrong:
            raise ToolError(wrong)
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as fault:
            if isinstance(fault.__cause__, ValidationError):
                raise ToolError(said.mistyped(fault.__cause__)) from fault
            begun = f"Error executing tool {name}: "  # the client knows which it called
            if isinstance(fault.__cause__, ToolError) and str(fault).startswith(begun):
                raise ToolError(str(fault)[len(begun) :]) from fault
            raise


def build(tools: Tools, version: str) -> MCPServer:
    """A server with every tool; what a tool raises on purpose reaches the agent as what, where and what now."""
    server: MCPServer = _Server("kb", version=version, instructions=_INSTRUCTIONS, log_level="WARNING")
    quick, heavy = Turns(*QUICK), Turns(*HEAVY)
    for tool in tools.all():
        server.add_tool(
            _in_turn(_guarded(tool), heavy if tool.__name__ in READING else quick),
            name=tool.__name__,
            description=inspect.getdoc(tool),
            annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False),
            structured_output=True,
        )
    return server


def serve_stdio(server: MCPServer) -> None:
    """Serve one client on stdin and stdout, until it goes or asks the process to end.

    A thread waits in a read of stdin that nothing can interrupt, so a signal ends the process where it stands: the one
    client there is has given up, and what is being kept is kept whole or not at all.
    """
    hangup = [signal.SIGHUP] if hasattr(signal, "SIGHUP") else []  # Windows has none
    for number in (signal.SIGINT, signal.SIGTERM, *hangup):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup has it
            signal.signal(number, _end_now)
    lasting()
    server.run("stdio")


def _end_now(number: int, _frame: object) -> None:
    os._exit(128 + number)


def serve_http(server: MCPServer, listener: socket.socket) -> None:
    """Serve on a socket of the loopback interface; requests with another Host or any foreign Origin are refused.

    Ctrl-C and SIGTERM let calls in hand finish.
    """
    port = listener.getsockname()[1]
    names = [f"{HOST}:{port}", f"localhost:{port}"]
    guard = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=names,
        allowed_origins=[f"http://{name}" for name in names],
    )
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,
        json_response=True,
        transport_security=guard,
        host=HOST,
    )
    run(app, listener)


def _in_turn(tool: Tool, turns: Turns) -> Callable[..., Awaitable[Document]]:
    """The tool in a thread when it is its turn; where too many wait already, the agent is told so at once."""

    @functools.wraps(tool)
    async def call(*args: Any, **given: Any) -> Document:
        try:
            return await turns.call(tool, *args, **given)
        except Busy:
            raise ToolError(
                f"the server is busy: {turns.most} such calls are in hand\n  Call again in a few seconds."
            ) from None

    return call


def _guarded(tool: Tool) -> Tool:
    @functools.wraps(tool)
    def call(*args: Any, **given: Any) -> Document:
        try:
            found = json.loads(dumps(tool(*args, **given), indent=None))
        except KbError as fault:
            raise ToolError(said.fault(fault)) from fault
        size = len(dumps(found, indent=None))
        if size > LONGEST:
            raise ToolError(
                f"the answer has {size} characters, more than {LONGEST}\n  Ask for fewer with k, top or limit."
            )
        return dict(found)

    return call
