"""Serving an app on this machine alone: the port taken before it is announced, requests in hand finished at the end.

`Turns` is what keeps a server that is asked too much at once from collapsing: so many calls work, so many wait, and
one more is refused at once, because an answer that comes after everybody has gone helps nobody.
"""

from __future__ import annotations

import functools
import gc
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from kb.errors import UsageError

if TYPE_CHECKING:
    from anyio import CapacityLimiter

HOST = "127.0.0.1"
CONNECTIONS = 512  # open at once, idle ones counted; beyond, uvicorn answers 503
FINISH_SECONDS = 10  # that requests in hand have to end once the server was asked to
_BACKLOG = 128
_CYCLES = (700, 10, 10)  # Python's own, of 3.10 to 3.12

_Found = TypeVar("_Found")


class Busy(Exception):
    """More calls work and wait already than the server takes."""


class Turns:
    """Calls in threads: at most `at_once` of them work, at most `waiting` more wait; used from one event loop."""

    def __init__(self, at_once: int, waiting: int) -> None:
        self.most = at_once + waiting
        self._at_once = at_once
        self._in_hand = 0
        self._limiter: CapacityLimiter | None = None

    async def call(self, work: Callable[..., _Found], *args: Any, **given: Any) -> _Found:
        """What `work` gives, worked out in a thread when it is its turn.

        Raises:
            Busy: too many wait. Whatever `work` raises.
        """
        import anyio.to_thread  # noqa: PLC0415 - of an extra

        if self._in_hand >= self.most:
            raise Busy
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(self._at_once)
        self._in_hand += 1
        try:
            found: _Found = await anyio.to_thread.run_sync(
                functools.partial(work, *args, **given), limiter=self._limiter
            )
            return found
        finally:
            self._in_hand -= 1


def listening(port: int, where: str) -> socket.socket:
    """A socket that listens on that port of 127.0.0.1 (0 takes a free one), so that nobody comes too early.

    The port of a server that is just ending can be taken at once. `where` is the option that named the port.

    Raises:
        UsageError: the port is taken.
    """
    # asyncio sends without delay where the protocol is named; else an answer in two packets waits 40 ms for a receipt
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen(_BACKLOG)
    except OSError as fault:
        listener.close()
        raise UsageError(
            f"port {port} cannot be used: {fault.strerror}", where=where, now="Choose another."
        ) from fault
    return listener


def lasting() -> None:
    """Have cycles of objects looked for as Python does by itself, in a process that lives long.

    A command hardly looks (`kb.__main__`); a server would keep what they hold, and the SDK of agents leaves one of ten objects a call.
    """
    gc.set_threshold(*_CYCLES)


def run(app: Any, listener: socket.socket) -> None:
    """Serve an ASGI app until Ctrl-C or SIGTERM: it then takes nothing new, and requests in hand have ten seconds.

    After that the signal takes its usual course, so that the exit status tells of it (130, 143).
    """
    import uvicorn  # noqa: PLC0415 - of an extra

    lasting()
    config = uvicorn.Config(
        app, log_level="error", access_log=False, limit_concurrency=CONNECTIONS, backlog=_BACKLOG,
        timeout_graceful_shutdown=FINISH_SECONDS, server_header=False, date_header=False,
    )  # fmt: skip
    uvicorn.Server(config).run(sockets=[listener])
