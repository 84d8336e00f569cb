"""`kb` in a process that is there already: everything is imported once, and each command runs in a fork of that.

A command so gets what a process of its own has (arguments, environment, folder, streams, exit status, nothing left by the one
before) without the second that importing takes. What a start itself does is not seen this way: those tests start Python.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import tempfile
import threading
import traceback
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

LOADED = ("kb.cli", "kb.service", "kb.library", "kb.kept", "kb.engine.pipeline", "kb.engine.ahead", "kb.knowledge.search",
          "kb.report.views", "kb.report.sentences", "kb.store.query", "kb.store.export", "pandas", "sqlite_utils", "rich.console", "yaml")  # fmt: skip


class Warm:
    """A waiting process of this Python, with these variables when it starts."""

    def __init__(self, variables: dict[str, str]) -> None:
        self._place = tempfile.TemporaryDirectory(prefix="kb-warm-")
        self._process = subprocess.Popen(
            [sys.executable, __file__], env=variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip
        atexit.register(self.close)

    def run(
        self, arguments: list[str], variables: dict[str, str], cwd: Path, timeout: float
    ) -> subprocess.CompletedProcess[str]:
        """`kb ARGUMENTS` to its end.

        Raises:
            subprocess.TimeoutExpired: it took longer; the waiting process is gone too.
        """
        out, err = (Path(self._place.name) / name for name in ("out", "err"))
        asked = {
            "arguments": arguments,
            "variables": variables,
            "cwd": str(cwd),
            "out": str(out),
            "err": str(err),
        }
        assert self._process.stdin is not None and self._process.stdout is not None
        late = threading.Timer(timeout, self._process.kill)
        late.start()
        print(json.dumps(asked), file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        late.cancel()
        command = ["kb", *arguments]
        if not answer:
            raise subprocess.TimeoutExpired(command, timeout)
        texts = (path.read_bytes().decode("utf-8").replace("\r\n", "\n") for path in (out, err))
        return subprocess.CompletedProcess(command, int(answer), *texts)

    def alive(self) -> bool:
        """Whether it can run a command."""
        return self._process.poll() is None

    def close(self) -> None:
        """End it; safe to call twice."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.kill()
        self._process.wait()
        self._place.cleanup()


def _serve() -> NoReturn:
    """Answer each line of stdin with the exit status of the command that it describes."""
    sys.path.insert(0, os.environ["PYTHONPATH"])
    sys.path.remove(str(Path(__file__).parent))
    for name in LOADED:
        import_module(name)
    from kb.commands import _app

    _app.build("--help")  # loads every command
    answers = os.fdopen(os.dup(1), "w")
    asked = os.fdopen(os.dup(0))
    while line := asked.readline():
        child = os.fork()
        if child == 0:
            _become(json.loads(line))
        _, ended = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(ended), file=answers, flush=True)
    os._exit(0)


def _become(asked: dict[str, Any]) -> NoReturn:
    """In the fork: what `python -m kb` finds when it starts, then that."""
    for number, name, flags in (
        (0, os.devnull, os.O_RDONLY),
        (1, asked["out"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
        (2, asked["err"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
    ):
        opened = os.open(name, flags, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)
    os.environ.clear()
    os.environ.update(asked["variables"])
    os.chdir(asked["cwd"])
    import kb.__main__

    sys.argv = [str(kb.__main__.__file__), *asked["arguments"]]
    status = 1
    try:
        status = kb.__main__.main()
        atexit._run_exitfuncs()
        sys.stdout.flush()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    _serve()
