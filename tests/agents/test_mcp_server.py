"""The tools as the SDK's own client sees them, over stdio and over loopback HTTP."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from running import ROOT, environment

from kb.mcp.answers import MOST

mcp = pytest.importorskip("mcp", reason="the extra `mcp` is not installed")
SAMPLES = ROOT / "data" / "samples"


def asked(place: Path, talk: Callable[[Any], Awaitable[Any]]) -> Any:
    """What `talk` gives with a client of a fresh server that reads the shipped samples."""
    command = ["-m", "kb", "mcp", "--root", str(SAMPLES), "--db", str(place / "runs.db")]
    how = mcp.StdioServerParameters(
        command=sys.executable, args=command, env=environment(place), cwd=str(ROOT)
    )

    async def session() -> Any:
        async with mcp.Client(how) as client:
            return await talk(client)

    return asyncio.run(asyncio.wait_for(session(), 60))


def called(place: Path, name: str, **arguments: Any) -> Any:
    return asked(place, lambda client: client.call_tool(name, arguments))


def printed(place: Path, *command: str, status: int | None = 0) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "kb", *command, "--format", "json", "--db", str(place / "other.db")],
        cwd=ROOT, env=environment(place), capture_output=True, text=True, check=status == 0,
    )  # fmt: skip
    return json.loads(done.stdout)


def test_the_tools_are_few_described_and_read_only(tmp_path: Path) -> None:
    listed = asked(tmp_path, lambda client: client.list_tools()).tools
    assert len(listed) <= 8
    for tool in listed:
        assert 40 < len(tool.description) < 700
        assert tool.annotations.read_only_hint is True
        assert tool.output_schema["type"] == "object"


def test_search_answers_as_the_command_does(tmp_path: Path) -> None:
    found = called(tmp_path, "search", query="NMS CPU fallback", k=3).structured_content
    assert found == printed(tmp_path, "search", "-k", "3", "NMS CPU fallback")


def test_show_answers_as_the_command_does(tmp_path: Path) -> None:
    found = called(tmp_path, "show", id="vector-larger-copies").structured_content
    assert found == printed(tmp_path, "show", "vector-larger-copies")


def test_advise_answers_as_the_command_does_and_keeps_the_run(tmp_path: Path) -> None:
    async def talk(client: Any) -> Any:
        first = await client.call_tool("advise", {"path": "add_custom", "top": 2, "details": True})
        kept = await client.call_tool("runs", {})
        run = first.structured_content["run"]
        again = await client.call_tool("advise", {"run": run, "top": 2, "details": True})
        return first.structured_content, kept.structured_content, again.structured_content

    first, kept, again = asked(tmp_path, talk)
    assert first == printed(tmp_path, "advise", str(SAMPLES / "add_custom"), "--top", "2")
    assert [row["id"] for row in kept["runs"]] == [first["run"]]
    assert again == first


def test_explain_and_check_answer_as_the_commands_do(tmp_path: Path) -> None:
    found = called(tmp_path, "explain", bottleneck="scalar-bound-vector").structured_content
    assert found == printed(tmp_path, "explain", "scalar-bound-vector")
    found = called(
        tmp_path, "check_model", path="models/tiny_detector.onnx", soc="Ascend310P3"
    ).structured_content
    model = SAMPLES / "models" / "tiny_detector.onnx"
    assert found["schema"] == "kb.check/1" and found == printed(
        tmp_path, "check", str(model), "--soc", "Ascend310P3", status=None
    )


def test_a_kept_run_is_asked_about_and_compared(tmp_path: Path) -> None:
    async def talk(client: Any) -> Any:
        first = (await client.call_tool("advise", {"path": "add_custom"})).structured_content
        asked_ = await client.call_tool(
            "ask", {"question": "which operators take longest", "run": first["run"]}
        )
        against = await client.call_tool("compare", {"before": first["run"], "after": "add_custom"})
        odd = await client.call_tool("ask", {"question": "what is the weather in Paris"})
        return asked_.structured_content, against.structured_content, odd.structured_content

    answer, against, odd = asked(tmp_path, talk)
    assert answer["answered"] and answer["rows"] and "select" in answer["sql"].lower()
    assert against["schema"] == "kb.compare/1" and against["verdict"] == "within-noise"
    assert odd["answered"] is False


def test_without_details_a_report_is_short(tmp_path: Path) -> None:
    found = called(tmp_path, "advise", path="add_custom")
    assert not {"charts", "files", "not_judged"} & set(found.structured_content)
    assert len(json.dumps(found.structured_content)) < 30_000


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("advise", {"path": "../../pyproject.toml"}, "outside the folders that may be read"),
        ("advise", {"path": "add_custom", "run": "x"}, "either path or run"),
        ("advise", {"path": "missing"}, "missing"),
        ("advise", {"run": "0000"}, "0000"),
        ("compare", {"before": "../../etc", "after": "add_custom"}, "outside the folders"),
        ("compare", {"before": "abcdef", "after": "add_custom"}, "abcdef"),
        ("check_model", {"path": "/etc/passwd", "soc": "Ascend310P3"}, "outside the folders"),
        ("explain", {"bottleneck": "scalar-bound"}, "scalar-bound-vector"),
        ("show", {"id": "vector-larger-copie"}, "vector-larger-copies"),
        ("search", {"query": "x", "k": 0}, "no number above 0"),
        ("search", {"query": " "}, "the query is empty"),
        ("search", {"query": "x" * 2001}, "longer than 2000 characters"),
        ("search", {"query": "x", "soc": "Ascend999"}, "unknown chip"),
    ],
)
def test_a_fault_is_a_message_and_not_a_crash(
    tmp_path: Path, name: str, arguments: dict[str, Any], told: str
) -> None:
    found = called(tmp_path, name, **arguments)
    assert found.is_error
    assert told in found.content[0].text and "Traceback" not in found.content[0].text


def test_answers_are_bounded(tmp_path: Path) -> None:
    found = called(tmp_path, "search", query="matmul", k=5000).structured_content
    assert len(found["results"]) <= MOST


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number = free.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "kb", "mcp", "-q", "--root", str(SAMPLES), "--http", str(number)],
        cwd=ROOT, env=environment(tmp_path), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        for _ in range(300):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", number)) == 0:
                    break
            time.sleep(0.1)
        yield number
    finally:
        server.terminate()
        server.wait(20)


def test_over_http_the_same_tools_answer_and_other_hosts_do_not(port: int) -> None:
    async def session() -> Any:
        async with mcp.Client(f"http://127.0.0.1:{port}/mcp") as client:
            return await client.call_tool("show", {"id": "vector-larger-copies"})

    assert asyncio.run(asyncio.wait_for(session(), 60)).structured_content["id"] == "vector-larger-copies"
    for header in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}):
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}/mcp", data=b"{}", headers={"Content-Type": "application/json", **header}
        )
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request, timeout=20)
        assert refused.value.code in (403, 421)
        refused.value.close()


def test_the_skill_names_only_tools_and_commands_that_exist(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "skill" / "SKILL.md").read_text(encoding="utf-8")
    tools = {tool.name for tool in asked(tmp_path, lambda client: client.list_tools()).tools}
    import re

    named = set(re.findall(r"[Tt]ool `(\w+)`", text))
    assert named and named <= tools


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("advise", {"path": "add_custom", "chip": "Ascend310P3"}, ("chip: no such argument", "soc")),
        ("explain", {"pattern": "scalar-bound"}, ("pattern: no such argument", "bottleneck")),
        ("show", {}, ("id: this argument is missing",)),
        ("search", {"query": "NMS", "kind": "foo"}, ("kind: 'foo' does not fit", "'recipe'")),
        ("advise", {"path": "add_custom", "soc": "Nope"}, ("soc: unknown chip",)),
        ("runs", {"limit": 0}, ("limit: 0 is no number above 0",)),
        ("show", {"id": "qqqq"}, ("the tool `search`",)),
        ("ask", {"question": "which operators take longest", "run": "feed"}, ("the tool `runs`",)),
    ],
)
def test_wrong_arguments_are_named_in_words_of_the_tools(
    tmp_path: Path, name: str, arguments: dict[str, Any], said: tuple[str, ...]
) -> None:
    found = called(tmp_path, name, **arguments)
    text = found.content[0].text
    assert found.is_error and all(part in text for part in said), text
    assert (
        "--" not in text and "http" not in text and "pydantic" not in text and "Error executing" not in text
    )


def test_a_judgement_that_takes_the_place_of_another_says_so(tmp_path: Path) -> None:
    log = tmp_path / "op_summary_1.csv"
    log.write_text(
        "Op Name,OP Type,Task Type,Task Duration(us),Block Dim\nadd,Add,AI_VECTOR_CORE,900,4\n",
        encoding="utf-8",
    )
    command = ["-m", "kb", "mcp", "--root", str(tmp_path), "--db", str(tmp_path / "runs.db")]
    how = mcp.StdioServerParameters(
        command=sys.executable, args=command, env=environment(tmp_path), cwd=str(ROOT)
    )

    async def session() -> Any:
        async with mcp.Client(how) as client:
            return [
                (await client.call_tool("advise", {"path": log.name, "soc": soc})).structured_content[
                    "warnings"
                ]
                for soc in ("Ascend310P3", "Ascend310P3", "Ascend910B2")
            ]

    first, same, other = asyncio.run(session())
    assert not any("now kept as judged" in text for text in (*first, *same))
    assert "was kept as judged for Ascend310P3" in other[-1] and "with soc Ascend310P3" in other[-1]
