"""Pages printed from the code are as fresh as the code."""

from __future__ import annotations

import pytest
from running import ROOT

from tools import print_docs


@pytest.mark.parametrize("name", print_docs.PAGES)
def test_a_printed_page_is_fresh(name: str) -> None:
    kept = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert kept == print_docs.PAGES[name](), "run `make docs`"
