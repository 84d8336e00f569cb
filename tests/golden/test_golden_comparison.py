"""Whole comparisons as they are printed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from comparison_samples import samples

from kb.report.comparison.views import render, views

FOLDER = Path(__file__).parent / "comparison"
SAMPLES = samples()
CASES = [
    *(("run", name, "en") for name in views()),
    *((sample, "text", lang) for sample in ("faster", "simulated") for lang in ("en", "zh", "ja")),
    ("slower", "junit", "en"), ("simulated", "sarif", "en"), ("simulated", "html", "ja"), ("hostile", "markdown", "en"),
]  # fmt: skip


@pytest.mark.parametrize(("sample", "name", "lang"), CASES)
def test_comparison(sample: str, name: str, lang: str, golden: Callable[[Path, str], None]) -> None:
    text = render(name, SAMPLES[sample], lang=lang, width=80, color=False)
    golden(FOLDER / f"{sample}.{lang}.{name}", text.rstrip("\n") + "\n")
