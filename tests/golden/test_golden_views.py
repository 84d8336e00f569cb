"""Whole reports as every view shows them; `make golden` writes them anew, and the diff is reviewed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from report_samples import ALL

from kb.report import views

FOLDER = Path(__file__).parent / "views"
CASES = [
    (sample, name, lang)
    for sample, langs in {
        "sample": ("en", "zh", "ja"),
        "run": ("en",),
        "empty": ("en",),
        "hostile": ("en",),
    }.items()
    for name in views.views()
    for lang in (langs if name in ("text", "markdown") else langs[:1])
]


@pytest.mark.parametrize(("sample", "name", "lang"), CASES, ids="-".join)
def test_view(sample: str, name: str, lang: str, golden: Callable[[Path, str], None]) -> None:
    text = views.render(name, [ALL[sample]], lang=lang, width=80, color=False)
    golden(FOLDER / f"{sample}.{lang}{views.views()[name].EXTENSION}", text + "\n")


def test_no_golden_file_is_left_over() -> None:
    expected = {f"{sample}.{lang}{views.views()[name].EXTENSION}" for sample, name, lang in CASES}
    assert {path.name for path in FOLDER.iterdir()} == expected
