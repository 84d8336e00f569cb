"""The three READMEs say the same: commands, code, headings, tables and links keep step."""

from __future__ import annotations

import re

import pytest
from running import ROOT

LANGUAGES = {"zh": "中文", "ja": "日本語"}
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def readme(lang: str = "") -> str:
    return (ROOT / (f"README.{lang}.md" if lang else "README.md")).read_text(encoding="utf-8")


def prose(text: str) -> str:
    return FENCE.sub("", text)


def links(text: str) -> list[str]:
    return sorted(
        target
        for target in re.findall(r"\]\(([^)\s]+)\)", prose(text))
        if not re.fullmatch(r"README(\.\w+)?\.md", target)
    )


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_code_is_the_same(lang: str) -> None:
    assert FENCE.findall(readme()) and FENCE.findall(readme(lang)) == FENCE.findall(readme())


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_headings_are_as_many_and_as_deep(lang: str) -> None:
    marks = [
        [len(mark) for mark in re.findall(r"^(#+) ", prose(text), re.M)] for text in (readme(), readme(lang))
    ]
    assert marks[0] == marks[1] and len(marks[0]) >= 6


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_table_has_the_same_commands_in_the_same_order(lang: str) -> None:
    rows = [re.findall(r"^\| (`kb [^|]+`) \|", text, re.M) for text in (readme(), readme(lang))]
    assert rows[0] == rows[1] and len(rows[0]) > 20


@pytest.mark.parametrize("lang", LANGUAGES)
def test_names_and_links_are_the_same(lang: str) -> None:
    assert links(readme(lang)) == links(readme())
    code = [set(re.findall(r"`([^`\n]+)`", prose(text))) for text in (readme(), readme(lang))]
    assert code[0] == code[1]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_as_many_paragraphs_and_points(lang: str) -> None:
    counts = [
        [len(section.strip().split("\n\n")) for section in re.split(r"^## ", prose(text), flags=re.M)]
        for text in (readme(), readme(lang))
    ]
    assert counts[0] == counts[1]
    points = [len(re.findall(r"^- ", prose(text), re.M)) for text in (readme(), readme(lang))]
    assert points[0] == points[1] > 4


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_line_ends_within_a_sentence(lang: str) -> None:
    """A line break shows as a blank, which these scripts do not write."""
    wide = "[\u3040-\u30ff\u3400-\u9fff、。，；：（）]"
    assert re.findall(rf"^[^|#\n].*{wide}\n {{0,2}}{wide}.*$", prose(readme(lang)), re.M) == []


def test_each_links_to_the_others() -> None:
    for lang in ("", *LANGUAGES):
        third = readme(lang).split("\n")[2]
        others = {"README.md", "README.zh.md", "README.ja.md"} - {
            f"README.{lang}.md" if lang else "README.md"
        }
        assert {target for target in others if f"({target})" in third} == others
