"""Many users of one service: all answered, more than it takes told so at once, requests in hand finished at the end."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import http.client
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from running import ROOT, environment

from kb.loopback import Busy, Turns
from tools import soak

pytest.importorskip("starlette", reason="the extra `serve` is not installed")
pytest.importorskip("uvicorn", reason="the extra `serve` is not installed")

Start = Callable[[Path], AbstractContextManager[soak.Server]]
KINDS = {
    "web": {"api", "search", "entry", "report", "runs", "compare"},
    "agents": {"search", "show", "advise", "runs"},
}
SECONDS = 600.0


def start(which: str) -> Start:
    if which == "agents":
        pytest.importorskip("mcp", reason="the extra `mcp` is not installed")
    return {"web": soak.web, "agents": soak.agents}[which]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", environment(tmp_path)["XDG_CACHE_HOME"])
    return tmp_path


def expect_the_port(server: soak.Server, home: Path) -> None:
    """A new server takes the port of one that was just asked to end, and answers."""
    again = (
        ("serve", "--port", str(server.port))
        if server.name == "kb serve"
        else ("mcp", "--http", str(server.port))
    )
    with soak.started(again, home) as (process, address):
        assert f":{server.port}" in address
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 143


@pytest.mark.parametrize("which", ["web", "agents"])
def test_a_load_a_burst_and_a_restart(place: Path, which: str) -> None:
    with start(which)(place) as server:
        record = soak.load(server, 2.0, 4)
        assert not record.bad and set(record.took) <= KINDS[which] and len(record.took) >= 3
        met = soak.burst(server, 100)
        told = {said for said in met if said != "200"}
        assert met["200"] >= 16 and met.total() == 100  # whatever fits is answered
        assert told and all("again in 2 s" in said or "the server is busy" in said for said in told)
        assert not soak.load(server, 0.5, 2).bad  # and it goes on as before
        status, met = soak.ended(server)
        assert status == 143 and set(met) <= {"200", "not taken"} and met["200"]
        expect_the_port(server, place)


@pytest.mark.long
@pytest.mark.parametrize("which", ["web", "agents"])
def test_ten_minutes_without_a_bad_answer_and_with_flat_memory(place: Path, which: str) -> None:
    with start(which)(place) as server:
        record = soak.load(server, SECONDS)
        assert not record.bad and record.answers > SECONDS
        assert record.growth < 1.1
        status, _ = soak.ended(server)
        assert status == 143


def test_requests_in_hand_are_finished(place: Path) -> None:
    """All have been sent and one was answered when the signal comes; the others are in hand."""
    with soak.web(place) as server:
        answers: list[str] = []
        first = threading.Event()

        def client(at: int) -> None:
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
            with contextlib.closing(connection):
                connection.connect()
                ready.wait(60)
                _, (status, wrong) = server.ask(
                    connection, at * 10
                )  # searches: some milliseconds each, in turn
                answers.append(wrong or str(status))
                first.set()

        ready = threading.Barrier(32)
        threads = [threading.Thread(target=client, args=(at,)) for at in range(32)]
        for thread in threads:
            thread.start()
        assert first.wait(60)
        server.process.send_signal(signal.SIGTERM)
        for thread in threads:
            thread.join(60)
        assert answers == ["200"] * 32
        assert server.process.wait(60) == 143


# --- the bounds themselves -------------------------------------------------------------------------------------


def test_so_many_work_so_many_wait_and_one_more_is_refused() -> None:
    go, working = threading.Event(), []

    def work(at: int) -> int:
        working.append(at)
        go.wait(60)
        return at

    async def all_at_once() -> list[Any]:
        turns = Turns(2, 3)
        calls = [asyncio.ensure_future(turns.call(work, at)) for at in range(5)]
        while len(working) < 2:
            await asyncio.sleep(0.001)
        with pytest.raises(Busy):
            await turns.call(work, 99)
        assert len(working) == 2
        go.set()
        found = await asyncio.gather(*calls)
        assert await turns.call(work, 7) == 7  # there is room again
        with pytest.raises(ZeroDivisionError):
            await turns.call(lambda: 1 // 0)
        return found

    assert asyncio.run(all_at_once()) == [0, 1, 2, 3, 4]


class Ring:
    """Points at itself: what a collection alone can free."""

    alive = 0

    def __init__(self) -> None:
        self.itself = self
        Ring.alive += 1

    def __del__(self) -> None:
        Ring.alive -= 1


@pytest.fixture
def rarely_collected() -> Iterator[None]:
    """Thresholds as a command sets them."""
    usual = gc.get_threshold()
    gc.set_threshold(100_000, 50, 50)
    yield
    gc.set_threshold(*usual)


@pytest.mark.usefixtures("rarely_collected")
@pytest.mark.parametrize("which", ["http", "stdio"])
def test_a_server_does_not_keep_what_points_at_itself(which: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDK of agents leaves such objects behind each call: with the thresholds of a command they pile up."""

    def serve(*_: Any, **__: Any) -> None:
        gc.collect()
        for _ in range(50_000):
            Ring()
        left.append(Ring.alive)

    left: list[int] = []
    if which == "http":
        import uvicorn

        from kb.loopback import run

        monkeypatch.setattr(uvicorn.Server, "run", serve)
        run(None, None)  # type: ignore[arg-type] - never looked at
    else:
        pytest.importorskip("mcp", reason="the extra `mcp` is not installed")
        from kb.mcp.server import MCPServer, serve_stdio

        monkeypatch.setattr(MCPServer, "run", serve)
        monkeypatch.setattr(signal, "signal", lambda *_: None)
        serve_stdio(MCPServer("x"))
    assert len(left) == 1 and left[0] < 5_000


def test_the_web_app_says_when_to_come_again() -> None:
    from kb.serve import app

    async def inner(scope: Any, receive: Any, send: Any) -> None:
        await go.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"x"})

    async def asked(queue: Any) -> tuple[int, dict[bytes, bytes], bytes]:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"lang=zh", "headers": []}
        await queue(scope, None, send)
        return sent[0]["status"], dict(sent[0]["headers"]), sent[1]["body"]

    async def all_at_once() -> None:
        queue = app._Queue(inner)
        calls = [asyncio.ensure_future(asked(queue)) for _ in range(app.AT_ONCE)]
        await asyncio.sleep(0)
        status, headers, body = await asked(queue)
        assert status == 503 and headers[b"retry-after"] == b"2" and "2 秒" in body.decode()
        go.set()
        assert [status for status, _, _ in await asyncio.gather(*calls)] == [200] * app.AT_ONCE
        assert (await asked(queue))[0] == 200

    go = asyncio.Event()
    asyncio.run(all_at_once())


def test_a_taken_port_is_said_by_the_server_of_agents(tmp_path: Path) -> None:
    pytest.importorskip("mcp", reason="the extra `mcp` is not installed")
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = subprocess.run(
            [sys.executable, "-m", "kb", "mcp", "--http", str(port)], cwd=ROOT, env=environment(tmp_path),
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
    assert done.returncode == 2 and f"port {port} cannot be used" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_agents_over_stdio_end_quietly(tmp_path: Path, number: int, status: int) -> None:
    pytest.importorskip("mcp", reason="the extra `mcp` is not installed")
    process = subprocess.Popen(
        [sys.executable, "-m", "kb", "mcp"], cwd=ROOT, env=environment(tmp_path), stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdin and process.stdout and process.stderr
    with process:
        process.stdin.write(
            '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
            '"clientInfo":{"name":"t","version":"1"}}}\n'
        )
        process.stdin.flush()
        assert "serverInfo" in process.stdout.readline()
        process.send_signal(number)
        assert process.wait(60) == status
        assert "Traceback" not in process.stderr.read()
