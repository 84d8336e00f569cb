"""What a cold start loads: `kb --help` and `kb search` stay away from everything heavy."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from running import ROOT, environment, needs_cli

pytestmark = needs_cli

HEAVY = {"pandas", "numpy", "sqlite_utils", "sklearn", "scipy", "torch", "sentence_transformers"}
SHOWN = {"typer", "click", "yaml", "rich"}

_PROBE = """
import atexit, json, sys
into = sys.argv.pop(1)
atexit.register(lambda: open(into, "w").write(json.dumps(sorted(sys.modules))))
from kb.cli import main
sys.exit(main())
"""


def loaded(place: Path, *arguments: str) -> set[str]:
    """Top-level names of all modules in a fresh process after `kb ARGUMENTS`."""
    return {name.partition(".")[0] for name in modules(place, *arguments)}


def modules(place: Path, *arguments: str) -> set[str]:
    """All modules in a fresh process after `kb ARGUMENTS`."""
    into = place / "modules.json"
    done = subprocess.run(
        [sys.executable, "-c", _PROBE, str(into), *arguments], cwd=ROOT, env=environment(place),
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    return set(json.loads(into.read_text()))


def test_probe_sees_what_is_loaded(tmp_path: Path) -> None:
    assert {"kb", "typer"} <= loaded(tmp_path, "--help")


@pytest.mark.parametrize("arguments", [["--help"], ["advise", "--help"], ["--version"]], ids=" ".join)
def test_help_loads_nothing_heavy(tmp_path: Path, arguments: list[str]) -> None:
    assert not loaded(tmp_path, *arguments) & HEAVY


@pytest.mark.parametrize("query", ["x", "NMS CPU fallback", "转置耗时过长", "行列積のタイリング"])
def test_search_needs_the_standard_library_alone(tmp_path: Path, query: str) -> None:
    loaded(tmp_path, "search", query)  # a first call may have to build the index, which reads the entries
    assert not loaded(tmp_path, "search", query) & (HEAVY | SHOWN)


def test_the_version_loads_no_command() -> None:
    from kb.commands import _app

    assert _app.build("--version").registered_commands == []
    assert _app.build("--help").registered_commands != []


def test_advice_loads_the_view_that_is_asked_for_and_no_collecting(tmp_path: Path) -> None:
    table = tmp_path / "kernel_details.csv"
    table.write_text("Name,Type,Accelerator Core,Duration(us)\nMatMul_1,MatMulV2,AI_CORE,12.5\n")
    found = modules(tmp_path, "advise", str(table))
    assert "kb.report.terminal" in found
    assert not found & {"kb.report.html", "kb.report.jsonl", "kb.ask", "kb.engine.collect"}
