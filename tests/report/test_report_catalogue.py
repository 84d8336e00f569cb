from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

import kb.report
from kb.comparison import Verdict
from kb.knowledge.schema import EFFORT, WHO
from kb.knowledge.status import GROUPS
from kb.knowledge.wording import discouraged
from kb.report.catalogue import AREAS, LANGUAGES, TEXTS, say
from kb.report.catalogue.sentences import load
from kb.report.chart import CHARTS

PACKAGE = Path(kb.report.__path__[0]).parent
SOURCES = sorted(
    path
    for part in ("report", "commands", "benchmark", "engine/readers", "engine/compare", "serve", "browse")
    for path in (PACKAGE / part).rglob("*.py")
    if path.parent.name != "catalogue"
)


def test_a_text_stands_in_one_area() -> None:
    assert sum(len(area.TEXTS) for area in AREAS) == len(TEXTS)
    modules = {path.stem for path in (PACKAGE / "report" / "catalogue").glob("*.py")} - {"__init__"}
    assert modules == {area.__name__.rpartition(".")[2] for area in AREAS}


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("key", TEXTS)
def test_every_text_is_there_in_every_language_with_the_same_fields(key: str) -> None:
    row = TEXTS[key]
    assert len(row) == len(LANGUAGES)
    assert all(text.strip() for text in row)
    assert {frozenset(fields(text)) for text in row} == {frozenset(fields(row[0]))}


@pytest.mark.parametrize("lang", ["zh", "ja"])
def test_texts_use_the_terms_of_the_entries(lang: str) -> None:
    place = LANGUAGES.index(lang)
    assert [(key, *found) for key, row in TEXTS.items() for found in discouraged(row[place], lang)] == []


def words() -> Iterator[tuple[str, str]]:
    """Every constant of the sources, and the fixed beginning of every f-string such as f"label.{key}"."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield "whole", node.value
            elif isinstance(node, ast.JoinedStr) and node.values and isinstance(node.values[0], ast.Constant):
                yield "beginning", str(node.values[0].value)


def asked() -> Iterator[tuple[str, int, str]]:
    """Keys written out in a call of `say`."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            named = (
                isinstance(node, ast.Call)
                and getattr(node.func, "id", getattr(node.func, "attr", "")) == "say"
            )
            if named and isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                yield path.name, node.lineno, str(node.args[0].value)


def test_no_text_is_asked_for_that_is_missing() -> None:
    # `say` of kb.commands._console takes a sentence, not a key; sentences have blanks, keys have none.
    missing = [call for call in asked() if " " not in call[2] and call[2] not in TEXTS]
    assert missing == []
    assert len(list(asked())) > 40


def test_no_text_is_left_over() -> None:
    found = list(words())
    whole = {word for kind, word in found if kind == "whole"}
    beginnings = {word for kind, word in found if kind == "beginning" and "." in word}
    computed = {f"{beginning}{word}" for beginning in beginnings for word in whole}
    kinds = {f"kind.{kind}" for kind in ("case", "recipe", "pattern", "tip")}
    kinds |= {f"status.{group}" for group in GROUPS}
    kinds |= {f"chart.{chart.NAME}{part}" for chart in CHARTS for part in ("", ".read")}
    kinds |= {f"chart.{name}{part}" for name in ("changes", "moved", "waterfall") for part in ("", ".read")}
    kinds |= {f"chart.wall.{part}" for part in ("compute", "communication", "idle")}
    kinds |= {
        f"{area}.{ground}"
        for area in ("how", "sure.gain")
        for ground in ("bound", "here", "measured", "stated")
    }
    kinds |= {f"who.{who}" for who in WHO} | {f"who.effort.{effort}" for effort in EFFORT}
    kinds |= {f"role.{role}" for role in ("check", "reference", "warning")}
    kinds |= {f"{area}.{verdict}" for area in ("change", "compare") for verdict in get_args(Verdict)}
    assert sorted(set(TEXTS) - whole - computed - kinds) == []


def test_an_unknown_language_is_english_and_values_are_filled_in() -> None:
    assert say("count.more", "en", count=3) == "and 3 more"
    assert say("count.more", "fr", count=3) == "and 3 more"
    assert say("count.more", "ja", count=3) == "ほか 3 件"


UNITS = frozenset({"s", "times", "is"})  # behind a number whatever it is


def test_a_noun_behind_a_number_agrees_with_it() -> None:
    """`{count} entries` would say "1 entries": `{count} {count:entry|entries}` does not."""
    found = [
        (key, said[0])
        for key, row in TEXTS.items()
        for said in re.finditer(
            r"\{(?:count|found|asked|further|done|all)\} (?:[a-z-]+ )?([a-z]+s)\b", row[0]
        )
        if said[1] not in UNITS
    ]
    assert found == []


def test_one_and_several() -> None:
    assert say("outcome.count", "en", count=1) == "1 outcome"
    assert say("outcome.count", "en", count=2) == "2 outcomes"
    assert say("list.count", "en", count="1") == "1 entry"
    assert say("outcome.count", "zh", count=1) == "1 条结果记录"


TERMS = [
    row.split("\t")
    for row in (Path(__file__).parent / "terms.tsv").read_text(encoding="utf-8").splitlines()
    if not row.startswith(("#", "en\t"))
]
SAID = [*TEXTS.values(), *((one.en, one.zh, one.ja) for one in load())]


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term[0])
def test_one_word_for_one_thing(term: list[str]) -> None:
    """What has one name in English has one name in each other language (terms.tsv)."""
    english, chinese, japanese, others = term
    named = re.compile(rf"(?<![\w-])(?:{english})(?![\w-])", re.IGNORECASE)
    filled_in = re.compile(r"\{[^{}]*\}")
    passed = re.compile(others) if others else None
    found = [
        row for row in SAID if named.search(filled_in.sub("{}", passed.sub("", row[0]) if passed else row[0]))
    ]
    assert found, "no text has this term"
    wrong = [(row[0], said) for row in found for said, wanted in ((row[1], chinese), (row[2], japanese)) if not re.search(wanted, said)]  # fmt: skip
    assert wrong == [], "\n".join(map(str, wrong))
