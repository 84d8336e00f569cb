"""Pages printed from the code are as fresh as the code."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from running import ROOT

from kb.engine.collect.log_texts import BY_WEIGHT, TEXTS, Text, recognise
from kb.vocabulary.bottlenecks import IDS
from tools import print_docs, print_json, print_messages

BOTTLENECKS = ROOT / "docs" / "bottlenecks"


@cache
def printed() -> dict[str, str]:
    return print_docs.pages()


@pytest.mark.parametrize("name", print_docs.PAGES)
def test_a_printed_page_is_fresh(name: str) -> None:
    assert (ROOT / "docs" / name).read_text(encoding="utf-8") == printed()[name], "run `make docs`"


def test_the_bottleneck_pages_are_fresh_and_no_more_than_there_are() -> None:
    told = {name: text for name, text in printed().items() if name.startswith("bottlenecks/")}
    kept = {f"bottlenecks/{path.name}": path.read_text(encoding="utf-8") for path in BOTTLENECKS.glob("*.md")}
    assert sorted(kept) == sorted(told)
    assert [name for name in kept if kept[name] != told[name]] == [], "run `make docs`"


@pytest.mark.parametrize("name", IDS)
def test_a_bottleneck_page_answers_every_question(name: str) -> None:
    text = printed()[f"bottlenecks/{name}.md"]
    for head in ("How it is judged", "What it needs", "When it is not judged", "What to do", "Sources"):
        assert text.count(f"\n## {head}\n") == 1, head
    for word in ("f.labels", "f.values", "value(f", "None", "<lambda>"):
        assert word not in text


def test_the_json_reference_tells_of_every_member() -> None:
    assert print_json.missing() == []
    rows = [line for line in printed()["json.md"].split("\n") if line.startswith("| `")]
    assert len(rows) > 100
    assert "| `findings[].parent` | text, may be absent |" in printed()["json.md"]


def test_a_member_that_does_not_exist_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "json.md"
    page.write_text(
        "## kb.list/1\n\n| member | holds |\n|---|---|\n| `wrong` | nothing |\n", encoding="utf-8"
    )
    monkeypatch.setattr(print_json, "PAGE", page)
    with pytest.raises(KeyError, match="wrong"):
        print_json.json_page()


@pytest.mark.parametrize("text", [text for text in TEXTS if text.kind in BY_WEIGHT], ids=print_messages.shown)
def test_a_message_of_the_page_is_known_for_what_it_is(text: Text) -> None:
    """What the page shows, with numbers for the places, is recognised as the message that it explains."""
    line = re.sub(r"<(\w+)>", "7", print_messages.shown(text))
    found = recognise(f"[ERROR] {line}")
    assert found is not None and found[0] is text


def test_pages_are_written_below_the_folder_given(tmp_path: Path) -> None:
    print_docs.write(tmp_path)
    written = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert written == set(printed())
