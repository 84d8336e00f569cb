"""Whatever a name holds, every view shows it as text: no markup, no heading, no terminal command, no formula.

The views are those of the registries, so a new one is held to this by being there.
"""

from __future__ import annotations

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from typing import Any

import pytest
from comparison_samples import samples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from report_samples import ALL, HOSTILE, NASTY

from kb.errors import KbError
from kb.model import Report
from kb.report import views
from kb.report.comparison import views as comparisons
from kb.report.json import document
from kb.report.load import report_from_dict
from kb.report.page import Code, Fields, Heading, Items, Page, Para, Table, html, markdown, text
from kb.store.export import write_csv

PIECES = (
    "\x1b[31m", "\x1b]0;owned\x07", "\x1b]8;;http://x\x1b\\", "\x9b2J", "\x08", "\r", "\n", "\t", "\0", "\u202e", "\u2066", "\u200f",
    "\u061c", "\u2028", "\ufeff", "\udc80", "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</title>", "</style>", "-->",
    "]]>", "<!--", "&lt;script&gt;", "&#60;b>", "javascript:alert(1)", "[x](javascript:alert(1))", "![x](http://x/y.png)", "<http://x>",
    "`", "```", "~~~", "**", "__", "|", "\\", "# ", "## 9 Title", "- ", "1. ", "> ", "---", "===", "[a]: http://x", "=cmd|'/C calc'!A0",
    "+1", "-1", "@x", "\uff1dA1", "'", '"', "' onload='x", '" onload="x', "{{x}}", "${x}", "[red]x[/red]", "../../x", "%s", "A", "算子",
)  # fmt: skip
NAMES = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), min_size=1, max_size=6).map("".join)
# raw, no terminal may get these; JSON and SARIF write them as \\u
OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
FEW = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table")


def named(value: Any, name: str) -> Any:
    """A document with one name where the sample has its nasty text."""
    if isinstance(value, str):
        return name if NASTY in value else value
    if isinstance(value, dict):
        return {named(key, name): named(item, name) for key, item in value.items()}
    return [named(item, name) for item in value] if isinstance(value, (list, tuple)) else value


def report_named(name: str) -> Report:
    return report_from_dict(named(json.loads(json.dumps(document(HOSTILE))), name))


class Tags(HTMLParser):
    """Tags with their attributes as they are opened, scripts and addresses apart."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.seen: set[tuple[str, str]] = set()
        self.addresses: list[str] = []
        self.scripts = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen |= {(tag, key) for key, _ in attrs} | {(tag, "")}
        self.addresses += [
            value or "" for key, value in attrs if key in ("href", "src", "action", "formaction")
        ]
        self.scripts += tag == "script"


def plain_tags(pages_of_it: list[str]) -> set[tuple[str, str]]:
    return set().union(*(Tags(page).seen for page in pages_of_it))


def safe_html(page: str, known: set[tuple[str, str]]) -> None:
    found = Tags(page)
    assert found.seen <= known, f"markup that no plain page has: {sorted(found.seen - known)}"
    assert not [key for _, key in found.seen if key.startswith("on")]
    assert all(re.match(r"https?://|#|[\w./?=&%-]*$", address) for address in found.addresses), (
        found.addresses
    )


def safe_markdown(source: str, titles: int) -> None:
    tokens = [inner for token in MARKDOWN.parse(source) for inner in (token, *(token.children or ()))]
    markup = [token.content for token in tokens if token.type in ("html_block", "html_inline")]
    assert [
        one
        for one in markup
        if not re.fullmatch(r"(?:</?(?:details|summary|br|sub|b)\s*/?>\s*)+|<summary>.*</summary>\s*", one)
    ] == []
    assert [token.content for token in tokens if token.type == "image"] == []
    links = [str(token.attrs.get("href", "")) for token in tokens if token.type == "link_open"]
    assert all(link.startswith(("http://", "https://", "#")) for link in links), links
    assert sum(token.type == "heading_open" for token in tokens) == titles


def titles_of(source: str) -> int:
    return sum(token.type == "heading_open" for token in MARKDOWN.parse(source))


def safe(name: str, shown: str, plain: list[str], titles: int) -> None:
    """What holds of a text in the form `name`; `plain` are texts in it of harmless names."""
    rest = COLOUR.sub("", shown)
    assert not OBEYED.search(rest), repr(OBEYED.findall(rest))
    if name == "html":
        safe_html(shown, plain_tags(plain))
    elif name == "markdown":
        safe_markdown(shown, titles)
    elif name == "junit":
        assert {element.tag for element in ET.fromstring(shown).iter()} <= {
            element.tag for one in plain for element in ET.fromstring(one).iter()
        }
    elif name in ("json", "sarif", "jsonl"):
        for line in shown.splitlines() if name == "jsonl" else [shown]:
            json.loads(line)
    elif name == "text":
        assert set(COLOUR.findall(shown)) <= {mark for one in plain for mark in COLOUR.findall(one)} | set(
            COLOUR.findall(shown)
        )
        assert "\x1b]" not in shown


def shown(name: str, report: Report, lang: str) -> str:
    return views.render(name, [report], lang=lang, width=80, color=name == "text")


@pytest.mark.parametrize("view", sorted(views.views()))
@given(name=NAMES, lang=st.sampled_from(("en", "zh", "ja")))
@FEW
def test_every_view_of_a_report_shows_names_as_text(view: str, name: str, lang: str) -> None:
    plain = (
        [shown(view, report, lang) for report in (*ALL.values(), report_named("plain"))]
        if view == "html"
        else []
    )
    titles = titles_of(shown(view, report_named("plain"), lang)) if view == "markdown" else 0
    safe(view, shown(view, report_named(name), lang), plain, titles)


@pytest.mark.parametrize("view", sorted(comparisons.views()))
@given(name=NAMES, lang=st.sampled_from(("en", "zh", "ja")))
@FEW
def test_every_view_of_a_comparison_shows_names_as_text(view: str, name: str, lang: str) -> None:
    from dataclasses import fields, is_dataclass, replace

    def put(value: Any, word: str) -> Any:
        if is_dataclass(value) and not isinstance(value, type):
            return replace(
                value,
                **{
                    field.name: put(getattr(value, field.name), word) for field in fields(value) if field.init
                },
            )
        if isinstance(value, tuple) and not hasattr(value, "_fields"):
            return tuple(put(item, word) for item in value)
        return word if isinstance(value, str) and NASTY in value else value

    def drawn(word: str) -> str:
        return comparisons.render(
            view, put(samples()["hostile"], word), lang=lang, width=80, color=view == "text"
        )

    others = [comparisons.render(view, one, lang=lang, width=80, color=False) for one in samples().values()]
    safe(view, drawn(name), [*others, drawn("plain")], titles_of(drawn("plain")) if view == "markdown" else 0)


def page_named(name: str) -> Page:
    return Page(
        name,
        (
            Heading(name, name), Para(name), Items((name,)), Fields(((name, name),)), Table((name,), ((name,),)), Code(name, name),
        ),
        note=name,
    )  # fmt: skip


@given(name=NAMES)
@FEW
def test_pages_of_the_other_answers_show_names_as_text(name: str) -> None:
    hostile, plain = page_named(name), page_named("plain")
    safe("text", text.render(hostile, width=80, color=False), [], 0)
    safe("html", html.render(hostile), [html.render(plain)], 0)
    safe("markdown", markdown.render(hostile), [], titles_of(markdown.render(plain)))


@given(names=st.lists(NAMES, min_size=1, max_size=4))
@FEW
def test_no_cell_of_an_export_is_a_formula(names: list[str]) -> None:
    out = io.StringIO()
    write_csv(
        out, tuple(f"c{n}" for n in range(len(names))), [tuple(name.replace("\udc80", "") for name in names)]
    )
    assert not OBEYED.search(out.getvalue().replace("\r", "").replace("\u2028", "").replace("\u2029", ""))
    for cell in list(csv.reader(io.StringIO(out.getvalue(), newline="")))[1]:
        assert not cell.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"))


@pytest.mark.parametrize("part", ["what", "where", "now"])
def test_a_fault_that_quotes_what_came_from_outside_is_harmless(part: str) -> None:
    hostile = "a\x1b[31m\x1b]0;owned\x07\u202eb" + "x" * 100_000
    parts = {"what": "w", "where": "w", "now": "Go."} | {part: hostile}
    fault = KbError(parts["what"], where=parts["where"], now=parts["now"])
    assert "\x1b" not in str(fault) and "\u202e" not in str(fault)
    assert getattr(fault, part).lower().startswith("abx")
    assert len(str(fault)) < 20_000


def test_a_document_that_names_its_own_schema_cannot_write_to_the_terminal() -> None:
    with pytest.raises(KbError) as fault:
        report_from_dict({"schema": "kb.report/1\x1b]0;owned\x07"}, where="given")
    assert "\x1b" not in str(fault.value)
