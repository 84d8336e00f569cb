"""docs/adding.md does what it says: its files, written into a copy of the tree, are found and work."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from running import ROOT, SAMPLE, environment, needs_sample

PAGE = (ROOT / "docs" / "adding.md").read_text(encoding="utf-8")
# The name of a file in the last line of a paragraph, then its text.
FILES = dict(re.findall(r"^`([\w/.-]+)`[^\n]*:\n\n```(?:python|yaml) file\n(.*?)^```$", PAGE, re.M | re.S))
LINE = next(line for line in PAGE.splitlines() if line.startswith("output-copies-few\t"))


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package with everything that the page adds."""
    place = tmp_path_factory.mktemp("adding")
    for part in ("kb", "data"):
        shutil.copytree(ROOT / part, place / part, ignore=shutil.ignore_patterns("__pycache__"))
    for name, text in FILES.items():
        (place / name).write_text(text, encoding="utf-8")
    limits = place / "kb" / "engine" / "bottlenecks" / "thresholds.tsv"
    limits.write_text(limits.read_text(encoding="utf-8").rstrip("\n") + f"\n{LINE}\n", encoding="utf-8")
    ids = place / "kb" / "vocabulary" / "bottlenecks.py"
    text = ids.read_text(encoding="utf-8")
    ids.write_text(
        text.replace(
            "IDS: tuple[str, ...] = PATTERNS + ADDED",
            'IDS: tuple[str, ...] = (*PATTERNS, *ADDED, "output-copies-few")',
        ),
        encoding="utf-8",
    )
    registry = place / "kb" / "report" / "views.py"
    text = registry.read_text(encoding="utf-8")
    registry.write_text(text.replace("MODULES = {", 'MODULES = {"brief": "brief", '), encoding="utf-8")
    return place


def run(copy: Path, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = environment(home) | {"PYTHONPATH": str(copy)}
    return subprocess.run(
        [sys.executable, "-m", "kb", *arguments], cwd=copy, env=env, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip


def test_the_page_has_a_file_for_a_chip_a_view_and_a_bottleneck() -> None:
    assert sorted(FILES) == [
        "data/targets/Ascend310P9.yaml", "kb/engine/bottlenecks/output_copies_few.py", "kb/report/brief.py",
    ]  # fmt: skip
    assert not any((ROOT / name).exists() for name in FILES)


@needs_sample
def test_the_view_is_a_format(copy: Path, tmp_path: Path) -> None:
    done = run(copy, tmp_path, "advise", SAMPLE, "--format", "brief")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "vector-use-all-cores"
    assert "brief" in run(copy, tmp_path, "advise", "--help").stdout


def test_the_chip_is_known(copy: Path, tmp_path: Path) -> None:
    done = run(copy, tmp_path, "list", "--kind", "recipe", "--soc", "310P9")
    assert done.returncode == 0, done.stderr
    assert run(copy, tmp_path, "list", "--soc", "310P8").returncode == 2


@needs_sample
def test_the_bottleneck_judges(copy: Path, tmp_path: Path) -> None:
    done = run(copy, tmp_path, "advise", SAMPLE, "--format", "json")
    assert done.returncode == 0, done.stderr
    assert '"output-copies-few"' in done.stdout
    told = run(copy, tmp_path, "explain", "output-copies-few")
    assert "limit bytes: 1 KiB (made up for this page; own)" in " ".join(told.stdout.split()), told.stderr
