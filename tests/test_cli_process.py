"""`kb` as a process of its own: what it loads, pipes, terminals, launchers."""

from __future__ import annotations

import json
import os
import pty
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from report_samples import SAMPLE

import kb.cli
from kb.report.json import document
from kb.store.runs import save

ROOT = Path(__file__).resolve().parent.parent
HEAVY = {"pandas", "numpy", "sqlite_utils", "sklearn", "scipy", "torch", "sentence_transformers"}
SHOWN = {"typer", "rich", "click", "yaml"}

# Search itself is somebody else's matter: a stand-in answers, and everything around it is real.
SEARCH = """
import sys, types
from typing import NamedTuple
class Hit(NamedTuple):
    rank: int = 1; id: str = "x-y"; kind: str = "tip"; title: str = "T"; score: float = 0.5; why: str = "w"
    summary: str = "s"; sources: tuple = (); parts: dict = {}
class Result(NamedTuple):
    query: str = "q"; no_good_match: bool = False; results: tuple = (Hit(),); near_terms: tuple = ()
    def to_dict(self, explain=False): return {"schema": "kb.search/1"}
fake = types.ModuleType("kb.knowledge.search")
fake.search = lambda *a, **k: Result()
import kb.knowledge
kb.knowledge.search = sys.modules["kb.knowledge.search"] = fake
"""
PROBE = """
import json, sys
from kb.cli import main
try:
    status = main(sys.argv[1:])
except SystemExit as end:
    status = end.code
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})), file=sys.stderr)
sys.exit(status)
"""


@pytest.fixture
def variables(tmp_path: Path) -> dict[str, str]:
    """The environment of a child: the checkout importable, everything it writes in a folder of the test's."""
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
    return kept | {
        "PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "KB_DB": str(tmp_path / "runs.db"), "LC_ALL": "C.UTF-8",
        "PYTHONUTF8": "1", "PYTHONWARNINGS": "error", "TERM": "xterm",
    }  # fmt: skip


def child(variables: dict[str, str], *command: str, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command],
        env=variables,
        cwd=ROOT,
        text=True,
        capture_output=True,
        timeout=120,
        check=False,
        **more,
    )


def loaded(variables: dict[str, str], code: str, *arguments: str) -> set[str]:
    done = child(variables, "-c", code, *arguments)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize(
    "arguments", [["--help"], ["advise", "--help"], ["runs", "--help"], ["--version"]], ids=" ".join
)
def test_help_loads_nothing_heavy(variables: dict[str, str], arguments: list[str]) -> None:
    modules = loaded(variables, PROBE, *arguments)
    assert "typer" in modules  # the probe sees what is loaded
    assert not modules & HEAVY


@pytest.mark.parametrize(
    "arguments", [["NMS CPU fallback"], ["x", "--format", "html"], ["--help"]], ids=" ".join
)
def test_search_loads_the_standard_library_alone(variables: dict[str, str], arguments: list[str]) -> None:
    assert not loaded(variables, SEARCH + PROBE, "search", *arguments) & (HEAVY | SHOWN)


def test_a_closed_pipe_is_no_story(variables: dict[str, str], tmp_path: Path) -> None:
    run = save(json.loads(json.dumps(document(SAMPLE))), db=variables["KB_DB"])
    process = subprocess.Popen(
        [sys.executable, "-m", "kb", "runs", "show", run],
        env=variables,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.close()
    _, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (141, b"")


def on_terminal(variables: dict[str, str], *arguments: str) -> str:
    """What a terminal of 80 columns is sent."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "kb", *arguments], env=variables | {"COLUMNS": "80"}, cwd=ROOT, stdout=follower,
        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    os.close(follower)
    received = b""
    try:
        while chunk := os.read(leader, 65536):
            received += chunk
    except OSError:  # Linux says EIO when the other side is gone
        pass
    finally:
        os.close(leader)
    _, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, b"")
    return received.decode()


def test_colour_on_a_terminal_unless_it_is_not_wanted(variables: dict[str, str]) -> None:
    run = save(json.loads(json.dumps(document(SAMPLE))), db=variables["KB_DB"])
    assert "\x1b[1m" in on_terminal(variables, "runs", "show", run)
    assert "\x1b" not in on_terminal(variables | {"NO_COLOR": "1"}, "runs", "show", run)
    assert "\x1b" not in on_terminal(variables, "runs", "show", run, "--format", "json")
    assert "\x1b" not in child(variables, "-m", "kb", "runs", "show", run).stdout


def test_a_terminal_that_knows_only_ascii_gets_no_traceback(variables: dict[str, str]) -> None:
    run = save(json.loads(json.dumps(document(SAMPLE))), db=variables["KB_DB"])
    old = variables | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = child(old, "-m", "kb", "runs", "show", run)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\n-- " in done.stdout and "####" in done.stdout and "\\u25" not in done.stdout  # rules and bars
    assert json.loads(child(old, "-m", "kb", "runs", "show", run, "--format", "json").stdout)["run"] == run


@pytest.mark.parametrize("launcher", [["-m", "kb"], ["cli.py"]], ids=" ".join)
def test_launchers(variables: dict[str, str], launcher: list[str]) -> None:
    done = child(variables, *launcher, "show", "no-such-entry", "--format", "nonsense")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("kb: --format")


def test_the_original_skill_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: list[list[str]] = []
    monkeypatch.setattr(kb.cli, "main", lambda arguments: seen.append(arguments) or 5)
    monkeypatch.setattr(sys, "argv", ["analyze_profile.py", "--data", "DIR", "--soc", "Ascend910B2"])
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(ROOT / "scripts" / "analyze_profile.py"), run_name="__main__")
    assert end.value.code == 5
    assert seen == [["advise", "DIR", "--format", "markdown", "--soc", "Ascend910B2"]]
    monkeypatch.setattr(sys, "argv", ["analyze_profile.py"])
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(ROOT / "scripts" / "analyze_profile.py"), run_name="__main__")
    assert end.value.code == 2
    assert "--data" in capsys.readouterr().err


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_closed_stream_is_no_story(variables: dict[str, str], stream: str) -> None:
    number = {"stdout": 1, "stderr": 2}[stream]
    shell = f'exec "$0" -m kb runs list {number}>&-'
    done = subprocess.run(
        ["/bin/sh", "-c", shell, sys.executable],
        env=variables,
        cwd=ROOT,
        capture_output=True,
        timeout=120,
        check=False,
    )
    if stream == "stdout":
        assert done.returncode == 74
        assert done.stderr.startswith(b"kb: the answer cannot be written: standard output is closed")
    else:
        assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
@pytest.mark.parametrize(
    "arguments", [["runs", "list"], ["doctor", "--format", "html"], ["list", "--format", "json"]]
)
def test_an_answer_that_cannot_be_written(variables: dict[str, str], arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "kb", *arguments], env=variables, cwd=ROOT, stdout=full, stderr=subprocess.PIPE,
            text=True, timeout=120, check=False,
        )  # fmt: skip
    assert done.returncode == 74
    assert "the answer cannot be written: No space left on device" in done.stderr
    assert "fault in kb" not in done.stderr and "Exception" not in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [["search", "a"], ["search", "a", "--op"], ["report"], ["runs", "show"], ["show"], ["list", "--op"]],
    ids=" ".join,
)
def test_bytes_that_are_no_text_are_no_fault(variables: dict[str, str], arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable.encode(), b"-m", b"kb", *(word.encode() for word in arguments), b"\xff\x1b[31m"],
        env=variables, cwd=ROOT, capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 2), done.stderr
    assert b"\x1b" not in done.stdout + done.stderr


def test_doctor_in_a_folder_that_was_deleted(variables: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    shell = 'rmdir "$PWD" && exec "$0" -m kb doctor'
    done = subprocess.run(
        ["/bin/sh", "-c", shell, sys.executable], env=variables, cwd=tmp_path / "gone", capture_output=True, text=True,
        timeout=120, check=False,
    )  # fmt: skip
    assert (done.returncode, "the folder you are in was deleted" in done.stderr) == (2, True)
