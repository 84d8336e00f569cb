from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.report.dump import dumps
from kb.report.escape import md, md_code, md_fence
from kb.report.screen import Screen
from kb.report.text import MAX_CHARS, clean, clean_lines, code_of, pad, shorten, width_of, wrap

ANYTHING = st.text(st.characters(), max_size=200)


def forbidden(text: str) -> list[str]:
    """Characters that a terminal obeys, or that turn text around."""
    return [
        char
        for char in text
        if unicodedata.category(char) in ("Cc", "Cs") or char in "\u202e\u2066\u200b\ufeff"
    ]


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;new title\x07name", "name"),
        ("\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x9b1;31mred", "red"),
        ("\x9d0;title\x9cname", "name"),
        ("\x1bPq#0\x1b\\sixel", "sixel"),
        ("a\x1b[2J\x1b[Hb", "ab"),
        ("a\r\nb\tc\x00\x08", "a b c"),
        ("abc\u202etxt.exe", "abctxt.exe"),
        ("half\ud800", "half"),
        ("算子\u200b名", "算子名"),
    ],
)
def test_terminal_sequences_and_controls_are_taken_out(raw: str, shown: str) -> None:
    assert clean(raw) == shown


@given(ANYTHING)
def test_clean_text_is_one_harmless_line(text: str) -> None:
    shown = clean(text)
    assert forbidden(shown) == []
    assert shown == " ".join(shown.split())
    assert clean(shown) == shown


@given(ANYTHING)
def test_clean_lines_hold_nothing_harmful(text: str) -> None:
    assert [forbidden(line) for line in clean_lines(text)] == [[] for _ in clean_lines(text)]


def test_endless_text_is_cut() -> None:
    assert len(clean("x" * 10**6)) == MAX_CHARS
    assert sum(map(len, clean_lines("x\n" * 10**6))) <= MAX_CHARS


def test_code_keeps_its_shape() -> None:
    assert clean_lines("\n\nfor x:\n\ty()\r\n    z()  \n\n") == ["for x:", "    y()", "    z()"]


def test_wide_characters_take_two_columns() -> None:
    assert (width_of("abc"), width_of("算子"), width_of("ﾊﾝ"), width_of("é")) == (3, 4, 2, 1)
    assert (pad("算子", 6), pad("算子", 6, right=True)) == ("算子  ", "  算子")
    assert shorten("写通路在等待", 7) == "写通路…"
    assert shorten("short", 7) == "short"


@given(ANYTHING, st.integers(4, 60), st.sampled_from(["", "  "]))
def test_wrapped_lines_fit_and_lose_nothing(text: str, width: int, indent: str) -> None:
    flat = clean(text)
    lines = wrap(flat, width, indent=indent)
    assert max(map(width_of, lines)) <= width
    assert "".join("".join(lines).split()) == "".join(flat.split())


def test_chinese_breaks_between_characters_but_not_before_punctuation() -> None:
    assert wrap("写通路在等待，指令。", 12) == ["写通路在等", "待，指令。"]
    assert wrap("每条 MTE3 指令", 9) == ["每条 MTE3", "指令"]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | ANYTHING,
        lambda x: st.lists(x) | st.dictionaries(ANYTHING, x),
    )
)
def test_json_is_harmless_on_a_terminal_and_means_the_same(value: object) -> None:
    text = dumps(value)
    assert forbidden(text.replace("\n", "")) == []
    assert json.loads(text) == value


def test_json_has_no_numbers_that_json_does_not_know() -> None:
    assert json.loads(dumps({"a": float("nan"), "b": [float("inf")], "c": 0.5})) == {
        "a": None,
        "b": [None],
        "c": 0.5,
    }


@pytest.mark.parametrize(
    ("raw", "source"),
    [
        ("a|b", r"a\|b"),
        ("**bold** `code`", r"\*\*bold\*\* \`code\`"),
        ("<script>x</script>", "&lt;script>x&lt;/script>"),
        ("[text](http://x)", r"[text\](http://x)"),
        ("a &lt; b", "a &amp;lt; b"),
        ("_it_ aiv_vec_ratio", r"\_it\_ aiv_vec_ratio"),
        ("[1,2] < 512 & > 0.5", "[1,2] < 512 & > 0.5"),
        ("two\n# lines", "two # lines"),
    ],
)
def test_markdown_shows_exactly_the_text(raw: str, source: str) -> None:
    assert md(raw) == source


@pytest.mark.parametrize("raw", ["# head", "- item", "> quote", "3. item", "+ item", "==="])
def test_a_line_of_markdown_starts_no_block(raw: str) -> None:
    assert md(raw, starts_line=True).replace("\\", "") == raw
    assert "\\" in md(raw, starts_line=True)


def test_markdown_code_cannot_be_broken_out_of() -> None:
    assert md_code("aiv_ratio") == "`aiv_ratio`"
    assert md_code("a`b|c") == r"a\`b\|c"
    assert md_fence("x\n````\ny", "c++") == ["`````c++", "x", "````", "y", "`````"]


def test_code_is_taken_out_of_its_fence() -> None:
    assert code_of("```cpp\n// a\nx();\n```") == ("cpp", "// a\nx();")
    assert code_of("```\nx\n```") == ("", "x")
    assert code_of("x();") == ("", "x();")
    assert code_of("``` sh\nx\n```")[0] == ""


def test_a_figure_and_its_per_cent_sign_stay_on_one_line() -> None:
    assert wrap("saves about 7.4 % of it", 15) == ["saves about", "7.4 % of it"]


def test_a_bar_ends_where_it_is_full_whatever_a_damaged_table_states() -> None:
    screen = Screen("en", 80, color=False)
    screen.table([("mte1", 2_014_000.0), ("mte2", -3.0), ("vec", 0.5)])
    lines = screen.text().splitlines()
    assert [line.count("█") for line in lines] == [20, 0, 10]
    assert all(len(line) < 40 for line in lines)
