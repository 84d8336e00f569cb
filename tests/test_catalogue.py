"""The printed pages of the knowledge base are those of the entries that exist."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from running import ROOT

from kb.knowledge.entry import load_entries
from kb.knowledge.status import WEAK_FROM, reasons, status
from kb.report.status import status_document
from tools.make_catalogue import pages

PAGES = pages()


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_printed_page_is_fresh(name: str) -> None:
    path = ROOT / name
    assert path.is_file() and path.read_text(encoding="utf-8") == PAGES[name], f"{name} is stale: `make docs`"


def test_no_page_is_left_over() -> None:
    kept = {f"docs/catalogue/{path.name}" for path in (ROOT / "docs" / "catalogue").iterdir()}
    assert kept == {name for name in PAGES if name.startswith("docs/catalogue/")}


def test_every_entry_stands_in_the_catalogue_by_kind_once() -> None:
    linked = re.findall(
        r"^- \[([^\]]+)\]\(\.\./\.\./data/\w+/([^)]+)\.md\)", PAGES["docs/catalogue/kind.md"], re.M
    )
    assert sorted(linked) == sorted((entry.id, entry.id) for entry in load_entries())


def test_an_entry_stands_under_each_of_its_bottlenecks() -> None:
    found: dict[str, set[str]] = {}
    for block in PAGES["docs/catalogue/bottleneck.md"].split("\n## ")[1:]:
        head, _, rest = block.partition("\n")
        found[head] = set(re.findall(r"\[([^\]]+)\]\(\.\./", rest))
    for entry in load_entries():
        assert {name for name, ids in found.items() if entry.id in ids} == set(entry.bottlenecks)


def test_status_counts_what_is_there() -> None:
    entries = load_entries()
    told: dict[str, Any] = json.loads(json.dumps(status_document(status(entries))))
    assert sum(told["kinds"].values()) == len(entries)
    for group in ("state", "grade", "family"):
        assert sum(sum(counts.values()) for counts in told[group].values()) == len(entries)
    assert told["languages"]["en"] == {"texts": len(entries), "bodies": len(entries)}
    weak = {item["id"] for item in told["weak"]}
    assert weak == {entry.id for entry in entries if len(list(reasons(entry))) >= WEAK_FROM}
    assert 0 < len(weak) < len(entries) / 2
