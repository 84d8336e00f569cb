"""The import script: the same facts give the same bytes, and what was edited by hand stays."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def _run(facts: Path, data: Path, *options: str) -> str:
    command = [
        sys.executable,
        str(ROOT / "tools" / "import_facts.py"),
        str(facts),
        "targets",
        "--data",
        str(data),
    ]
    return subprocess.run([*command, *options], check=True, capture_output=True, text=True, cwd=ROOT).stdout


def test_the_same_facts_give_the_shipped_chips(shared_facts: Path, tmp_path: Path) -> None:
    assert "52 written" in _run(shared_facts, tmp_path)
    for path in (tmp_path / "targets").iterdir():
        assert path.read_bytes() == (ROOT / "data" / "targets" / path.name).read_bytes()
    assert "0 written, 52 unchanged" in _run(shared_facts, tmp_path)


def test_an_edited_file_stays_unless_asked(shared_facts: Path, tmp_path: Path) -> None:
    _run(shared_facts, tmp_path)
    path = tmp_path / "targets" / "Ascend910B2.yaml"
    made = path.read_bytes()
    path.write_bytes(made + b"# seen on a desk\n")
    assert "1 edited by hand and kept\n  kept targets/Ascend910B2.yaml" in _run(shared_facts, tmp_path)
    assert path.read_bytes().endswith(b"desk\n")
    assert "1 written" in _run(shared_facts, tmp_path, "--anew")
    assert path.read_bytes() == made
