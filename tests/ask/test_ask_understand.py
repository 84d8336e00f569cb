"""Which question is understood, and which is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kb.ask import tables
from kb.ask.tables import LANGUAGES, intents, sql
from kb.ask.understand import understand
from kb.ask.words import Heard, hear

NAMES = ("MatMulV2", "Add", "TransData", "Conv2D", "Softmax", "add_custom", "Cast", "FlashAttentionScore")
FILLED = {
    "operator": dict.fromkeys(LANGUAGES, "MatMulV2"),
    "metric": dict.fromkeys(LANGUAGES, "l2_hit_rate"),
    "us": dict.fromkeys(LANGUAGES, "50"),
    "percent": dict.fromkeys(LANGUAGES, "80"),
    "core": {"en": "the vector cores", "zh": "向量核", "ja": "ベクトルコア"},
    "who": {"en": "kernel developer", "zh": "算子开发者", "ja": "カーネル開発者"},
}
LINES = (Path(__file__).parent / "questions.tsv").read_text(encoding="utf-8").splitlines()
QUESTIONS = [tuple(line.split("\t")) for line in LINES if not line.startswith(("#", "lang\t"))]


def meant(question: str) -> str:
    chosen = understand(hear(question, NAMES)).intent
    return chosen.id if chosen else "refused"


@pytest.mark.parametrize(("lang", "question", "want"), QUESTIONS, ids=[f"{q[0]}: {q[1]}" for q in QUESTIONS])
def test_a_question_is_understood_or_refused(lang: str, question: str, want: str) -> None:
    assert meant(question) == want


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("intent", intents().values(), ids=lambda intent: intent.id)
def test_the_title_of_a_question_is_a_question_of_its_kind(intent: tables.Intent, lang: str) -> None:
    question = intent.title[lang].format(**{name: texts[lang] for name, texts in FILLED.items()})
    heard = hear(question, NAMES)
    chosen = understand(heard).intent
    assert chosen is not None and chosen.id == intent.id
    assert heard.unknown == ()


def test_the_tables_are_whole() -> None:
    found = intents()
    assert len(found) >= 30
    files = {path.stem for path in (Path(tables.__file__).parent / "sql").iterdir()}
    assert files == set(found)
    concepts = {name for names in tables.concepts().values() for name in names}
    slots = {"@operator", "@metric", "@pattern", "@us", "@percent", "@core", "@who"}
    for intent in found.values():
        named = {word for group in intent.needs for word in group} | intent.likes | intent.shuns
        assert named <= concepts | slots, intent.id
        assert intent.needs
        asked = set(re.findall(r"(?<!:):(\w+)", sql(intent.id)))
        assert asked <= {"run", "n", "operator", "metric", "pattern", "us", "percent", "core", "who"}
        needed = {slot[1:] for slot in intent.slots}
        assert needed <= asked, f"{intent.id} needs a value that its query does not use"


def test_every_language_has_questions_and_refusals() -> None:
    for lang in LANGUAGES:
        wants = [want for found, _, want in QUESTIONS if found == lang]
        assert len(set(wants) - {"refused"}) >= 30
        assert wants.count("refused") >= 4


@pytest.mark.parametrize(
    ("question", "slots"),
    [
        ("top 5 operators by time", {"n": 5}),
        ("耗时最多的前三个算子", {"n": 3}),
        ("上位3つの重い演算子", {"n": 3}),
        ("operators longer than 1.5 ms", {"us": 1500.0}),
        ("大于20微秒的算子", {"us": 20.0}),
        ("operators that make up 90% of the time", {"percent": 90.0}),
        ("evidence for mte2 bound vector below peak", {"pattern": "mte2-bound-vector-below-peak"}),
        ("matmul shapes", {"operator": "MatMulV2"}),
        ("how long does aten.mm take", {"operator": "MatMulV2"}),
        ("how long does `add_custom` take", {"operator": "add_custom"}),
        ("how long does Add take", {"operator": "Add"}),
        ("does it add up", {}),
        ("how long does TopKV2 take", {"operator": "TopKV2"}),
        ("aic_mac_ratio of Conv2D", {"operator": "Conv2D", "metric": "aic_mac_ratio"}),
    ],
)
def test_values_are_heard(question: str, slots: dict[str, object]) -> None:
    assert dict(hear(question, NAMES).slots) == slots


@pytest.mark.parametrize(
    "text", ["", " ", "?", "？？", "\x00", "\x1b[31m", "a" * 400, "'\"`", "１００％", "ſ" * 50]
)
def test_any_text_is_taken(text: str) -> None:
    heard = hear(text, NAMES)
    assert isinstance(heard, Heard)
    understand(heard)


def test_a_refusal_names_near_questions() -> None:
    found = understand(hear("which operators are blue", NAMES))
    assert found.intent is None
    assert "slowest-operators" in [intent.id for intent in found.near]
