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


# How each sample is asked for advice: profiles are judged, models estimated.
ASKED = {
    "add_custom": ("advise", "data/samples/add_custom"),
    "tiny_detector": ("profile-and-advise", "data/samples/models/tiny_detector.onnx", "--soc", "Ascend310P3"),
    "decoder_layer": ("profile-and-advise", "data/samples/models/decoder_layer.json"),
    "migration": ("migrate-report", "data/samples/models/tiny_detector.onnx", "--soc", "Ascend310P3"),
}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("sample", ASKED)
def test_report(sample: str, format: str, golden: Callable[[Path, str], None], tmp_path: Path) -> None:
    done = run_kb(*ASKED[sample], "--format", format, home=tmp_path)
    assert done.returncode == 0, done.stderr
    text = re.sub(r'("kb": )"[^"]*"', r'\1"VERSION"', done.stdout)
    golden(FOLDER / f"{sample}{FORMATS[format]}", text)


def test_every_sample_is_asked() -> None:
    asked = {ROOT / part for arguments in ASKED.values() for part in arguments if part.startswith("data/")}
    shipped = {path for path in SAMPLES.glob("*") if path.is_dir() and path.name != "models"}
    assert asked == shipped | set((SAMPLES / "models").glob("*"))


def test_no_golden_file_is_left_over() -> None:
    expected = {f"{sample}{end}" for sample in ASKED for end in FORMATS.values()}
    assert {path.name for path in FOLDER.glob("*")} <= expected
