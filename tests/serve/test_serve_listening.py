"""The socket that both servers listen on."""

from __future__ import annotations

import socket

from kb.loopback import listening


def test_an_answer_in_two_packets_does_not_wait_for_a_receipt() -> None:
    """asyncio turns off the delay only where the protocol of the socket is named."""
    with listening(0, "--port") as listener:
        assert listener.proto == socket.IPPROTO_TCP
        assert listener.getsockname()[0] == "127.0.0.1"
