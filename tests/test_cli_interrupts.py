"""Ctrl-C and requests to end at any moment: quiet, with the status that a shell expects."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from running import ROOT, SAMPLE, environment

import kb.cli

# Ctrl-C while a module is looked for: the moment is exact, no clock is needed.
AT_IMPORT = """
import os, signal, sys
class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == WANTED:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), SIGNAL)
WANTED, SIGNAL = sys.argv.pop(1), int(sys.argv.pop(1))
sys.meta_path.insert(0, Watch())
from kb.__main__ import main
sys.exit(main())
"""
# The same within a callback of the interpreter's, where Python prints an exception and goes on.
IN_A_CALLBACK = """
import os, signal, sys, weakref
class Thing:
    pass
def callback(_):
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(1000):
        pass
class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == "kb.commands._app":
            sys.meta_path.remove(self)
            thing = Thing()
            self.ref = weakref.ref(thing, callback)
            del thing
            import time
            time.sleep(30)
sys.meta_path.insert(0, Watch())
from kb.__main__ import main
sys.exit(main())
"""
INTERRUPT, TERMINATE, HANG_UP = 2, 15, 1
MODULES = (
    "kb.cli",
    "kb.errors",
    "kb.commands._app",
    "typer",
    "kb.commands.advise",
    "kb.engine.pipeline",
    "kb.model",
)


def ended(place: Path, code: str, *arguments: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=ROOT, env=environment(place), stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    return done.returncode, done.stderr


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize(("number", "status"), [(INTERRUPT, 130), (TERMINATE, 143), (HANG_UP, 129)])
def test_at_any_import(tmp_path: Path, module: str, number: int, status: int) -> None:
    found, err = ended(tmp_path, AT_IMPORT, module, str(number), "advise", SAMPLE)
    assert found == status
    assert err in ("", "kb: interrupted\n")


def test_in_search(tmp_path: Path) -> None:
    assert ended(tmp_path, AT_IMPORT, "kb.knowledge.search", "2", "search", "a") == (130, "kb: interrupted\n")


def test_in_a_callback(tmp_path: Path) -> None:
    assert ended(tmp_path, IN_A_CALLBACK, "list") == (130, "kb: interrupted\n")


def test_a_request_to_end_gives_the_cursor_back(tmp_path: Path) -> None:
    """The spinner hides the cursor of a terminal."""
    code = (
        "import os, signal, sys, kb.commands._progress as progress\n"
        "progress.PATIENCE = 0.0\n"
        "import kb.engine.pipeline as pipeline\n"
        "def advise(*a, **k):\n"
        "    import time; time.sleep(0.5); os.kill(os.getpid(), signal.SIGTERM); time.sleep(30)\n"
        "pipeline.advise = advise\n"
        "from kb.__main__ import main\n"
        "sys.exit(main())\n"
    )
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", code, "advise", SAMPLE], cwd=ROOT, env=environment(tmp_path) | {"TERM": "xterm"},
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=follower,
    )  # fmt: skip
    os.close(follower)
    received = b""
    try:
        while chunk := os.read(leader, 65536):
            received += chunk
    except OSError:  # Linux says EIO when the other side is gone
        pass
    os.close(leader)
    assert process.wait(timeout=120) == 143
    hidden, shown = received.rfind(b"\x1b[?25l"), received.rfind(b"\x1b[?25h")
    assert 0 <= hidden < shown


def test_while_a_class_is_made(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Before Python 3.12 whatever `__set_name__` raises comes out as a RuntimeError."""

    class Named:
        def __set_name__(self, owner: type, name: str) -> None:
            raise KeyboardInterrupt

    def dispatch(args: list[str]) -> int:
        type("Thing", (), {"name": Named()})
        return 0

    monkeypatch.setattr(kb.cli, "_dispatch", dispatch)
    assert kb.cli.main(["list"]) == 130
    assert capsys.readouterr().err == "kb: interrupted\n"
