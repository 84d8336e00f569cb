"""The import contracts of pyproject.toml hold."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from running import ROOT, needs_cli

_RUN = "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command(['--no-cache']))"


@needs_cli
def test_every_import_contract_is_kept() -> None:
    pytest.importorskip("importlinter", reason="import-linter needs Python 3.11")
    done = subprocess.run(
        [sys.executable, "-c", _RUN], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 broken" in done.stdout


def test_nothing_imports_through_the_link() -> None:
    link = ROOT / "engine"
    assert not link.exists() or (ROOT / "engine").resolve() == (ROOT / "kb" / "engine").resolve()
    assert not (ROOT / "__init__.py").exists()
