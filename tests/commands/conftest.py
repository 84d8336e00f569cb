from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from command_fakes import Asked, install

from kb.cli import main


@dataclass(frozen=True)
class Done:
    status: int
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """Stand-ins in place of engine and knowledge."""
    return install(monkeypatch)


@pytest.fixture
def kb(
    asked: Asked, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Run:
    """Run one command line in this process, in a folder, with a run store, of the test's own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KB_DB", str(tmp_path / "runs.db"))
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("KB_LANG", "FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: str) -> Done:
        try:
            status = main(list(arguments))
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 0
        out, err = capsys.readouterr()
        return Done(status, out, err)

    return run
