"""The local web app: what it answers, and what it refuses."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from running import ROOT, environment

pytest.importorskip("starlette", reason="the extra `serve` is not installed")
pytest.importorskip("uvicorn", reason="the extra `serve` is not installed")


@dataclass(frozen=True)
class Place:
    """A running server: its port, the token, and the run that was kept before it started."""

    port: int
    root: str
    run: str
    process: subprocess.Popen[str]

    def get(self, path: str, method: str = "GET", **headers: str) -> tuple[int, http.client.HTTPMessage, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()
        finally:
            connection.close()


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    home = tmp_path_factory.mktemp("serve")
    given = environment(home)
    db = str(home / "runs.db")
    done = subprocess.run(
        [sys.executable, "-m", "kb", "advise", "data/samples/add_custom", "--db", db, "--format", "json"],
        cwd=ROOT, env=given, capture_output=True, text=True, check=True,
    )  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-m", "kb", "serve", "--port", "0", "-q", "--db", db],
        cwd=ROOT, env=given, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    address = urlsplit(process.stdout.readline())
    assert address.hostname == "127.0.0.1" and address.port
    yield Place(address.port, address.path.rstrip("/"), json.loads(done.stdout)["run"], process)
    process.send_signal(signal.SIGINT)
    assert process.wait(20) in (0, 130)
    process.stdout.close()


def test_runs_reports_search_and_entries_are_shown(place: Place) -> None:
    status, _, home = place.get(f"{place.root}/")
    assert status == 200 and f"{place.root}/runs/{place.run}?lang=en" in home
    status, _, report = place.get(f"{place.root}/runs/{place.run}")
    assert status == 200 and '<figure class="times">' in report and f'href="{place.root}/search' in report
    status, _, found = place.get(f"{place.root}/search?q=NMS+CPU+fallback&kind=recipe&lang=zh")
    assert status == 200 and '<html lang="zh">' in found and f"{place.root}/entries/" in found
    status, _, entry = place.get(f"{place.root}/entries/vector-larger-copies")
    assert status == 200 and "vector-larger-copies" in entry


def test_another_language_keeps_what_was_asked(place: Place) -> None:
    _, _, found = place.get(f"{place.root}/search?q=NMS+%26+x&kind=recipe")
    assert 'href="?q=NMS+%26+x&amp;kind=recipe&amp;lang=zh"' in found
    _, _, report = place.get(f"{place.root}/runs/{place.run}?lang=zh")
    assert "核" in report.partition("<h1>")[2].partition("</dl>")[0]  # the verdict, too


def test_two_runs_are_compared(place: Place) -> None:
    status, _, form = place.get(f"{place.root}/compare?lang=ja")
    assert status == 200 and 'name="before"' in form
    status, _, found = place.get(f"{place.root}/compare?before={place.run}&after={place.run}")
    assert status == 200 and "Within noise" in found
    status, _, text = place.get(f"{place.root}/compare?before={place.run}&after=zzzz")
    assert status == 404 and "no run" in text


def test_the_api_answers_as_the_command_does(place: Place, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "kb", "search", "-k", "10", "NMS CPU fallback", "--format", "json"],
        cwd=ROOT, env=environment(tmp_path), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(place.get(f"{place.root}/api/search?q=NMS+CPU+fallback")[2]) == json.loads(done.stdout)


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/runs/zzzz", "no run"),
        ("/entries/vector-larger-copie", "vector-larger-copies"),
        ("/search?q=x&soc=Ascend999", "unknown chip"),
        ("/search?q=x&kind=poem", "poem"),
        (f"/search?q={'x' * 2000}", "1 to 1000 characters"),
        ("/api/search", "1 to 1000 characters"),
    ],
)
def test_a_fault_says_what_and_what_now(place: Place, path: str, told: str) -> None:
    status, _, text = place.get(place.root + path)
    assert status == 404 and told in text and "Traceback" not in text


def test_a_fault_of_the_api_is_json(place: Place) -> None:
    status, _, body = place.get(f"{place.root}/api/search?q=NMS&kind=foo")
    told = json.loads(body)
    assert status == 404 and told["where"] == "kind" and "recipe" in told["now"] and told["what"]


def test_without_the_token_nothing_is_there(place: Place) -> None:
    for path in ("/", "/search?q=x", "/wrong/", place.root[:-1] + "/", "//", f"/../{place.root}/"):
        status, _, text = place.get(path)
        assert (status, text) == (404, "not found")


def test_another_host_is_refused(place: Place) -> None:
    assert place.get(f"{place.root}/", Host="evil.example")[0] == 400


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_nothing_can_be_written(place: Place, method: str) -> None:
    assert place.get(f"{place.root}/", method)[0] == 405


@pytest.mark.parametrize("path", ["/", "/search?q=x", "/nothing"])
def test_every_answer_is_closed_to_other_origins(place: Place, path: str) -> None:
    _, headers, text = place.get(place.root + path, Origin="https://evil.example")
    assert headers["access-control-allow-origin"] is None
    assert headers["x-frame-options"] == "DENY" and headers["referrer-policy"] == "no-referrer"
    assert path == "/nothing" or "default-src 'none'" in text


def test_what_was_typed_stays_text(place: Place) -> None:
    _, _, text = place.get(f"{place.root}/search?q=%3Cscript%3Ealert(1)%3C/script%3E&op=%22onfocus=x")
    assert "<script>alert" not in text and '"onfocus' not in text


def test_many_at_once_are_all_answered(place: Place) -> None:
    with ThreadPoolExecutor(16) as pool:
        found = list(
            pool.map(lambda at: place.get(f"{place.root}/api/search?q=matmul+{at % 7}")[0], range(120))
        )
    assert set(found) == {200}


def test_a_taken_port_is_said(place: Place, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "kb", "serve", "--port", str(place.port)],
        cwd=ROOT, env=environment(tmp_path), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2 and f"port {place.port} cannot be used" in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_it_listens_on_the_loopback_only(place: Place) -> None:
    needle = f":{place.port:04X} "
    lines = [
        line for line in Path("/proc/net/tcp").read_text().splitlines() if needle in line and " 0A " in line
    ]
    assert lines and all("0100007F" in line for line in lines)


def test_why_an_entry_was_found_is_told_in_the_language_of_the_page(place: Place) -> None:
    told = place.get(f"{place.root}/search?q=NMS+CPU+fallback&lang=ja")[2]
    assert "を含む" in told and "; meaning 0." not in told
