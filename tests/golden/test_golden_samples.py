"""The whole way on every shipped sample: the same profile gives the same report; a change of advice shows as a diff."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from running import ROOT, needs_cli, needs_sample, run_kb

pytestmark = [needs_cli, needs_sample]

SAMPLES = ROOT / "data" / "samples"
FOLDER = Path(__file__).parent / "samples"
FORMATS = {"text": ".txt", "markdown": ".md", "json": ".json"}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("sample", sorted(path.name for path in SAMPLES.glob("*") if path.is_dir()))
def test_report(sample: str, format: str, golden: Callable[[Path, str], None], tmp_path: Path) -> None:
    done = run_kb("advise", f"data/samples/{sample}", "--format", format, home=tmp_path)
    assert done.returncode == 0, done.stderr
    text = re.sub(r'("kb": )"[^"]*"', r'\1"VERSION"', done.stdout)
    golden(FOLDER / f"{sample}{FORMATS[format]}", text)


def test_no_golden_file_is_left_over() -> None:
    expected = {
        f"{path.name}{end}" for path in SAMPLES.glob("*") if path.is_dir() for end in FORMATS.values()
    }
    assert {path.name for path in FOLDER.glob("*")} <= expected
