"""The client's case and recipes: figures as they were given, marked as unconfirmed, whole in three languages."""

from __future__ import annotations

import pytest

from kb.knowledge.body import HEADINGS
from kb.knowledge.entry import load_entries

ENTRIES = {entry.id: entry for entry in load_entries()}
CASE = "yolov8s-910b-seed"
CLAIMS = {
    "client-conv2d-native-padding": (0.05, 0.10, "conv"),
    "client-matmul-tiling": (0.10, 0.15, "matmul"),
    "client-attention-flashattention": (0.20, 0.30, "attention"),
    "client-nms-ascendc": (0.25, 0.35, "nms"),
}


def test_every_entry_has_its_head_in_three_languages() -> None:
    missing = [
        f"{entry.id}: {key}.{lang}"
        for entry in ENTRIES.values()
        for key in ("title", "symptom", "remedy")
        for lang in ("en", "zh", "ja")
        if not getattr(getattr(entry, key), lang)
    ]
    assert missing == []


@pytest.mark.parametrize("entry_id", [CASE, *CLAIMS])
@pytest.mark.parametrize("lang", ["zh", "ja"])
def test_the_body_is_whole_in_every_language(entry_id: str, lang: str) -> None:
    entry = ENTRIES[entry_id]
    own, english = entry.bodies[lang], entry.body("en")
    assert len(own.steps) == len(english.steps)
    for name in HEADINGS:
        assert getattr(own, name)
        assert getattr(own, name) != getattr(english, name)


@pytest.mark.parametrize("entry_id", CLAIMS)
def test_a_claim_is_stated_as_given_and_not_confirmed(entry_id: str) -> None:
    low, high, family = CLAIMS[entry_id]
    entry = ENTRIES[entry_id]
    assert (entry.grade, entry.family) == ("stated", family)
    assert [(gain.saved_low, gain.saved_high) for gain in entry.gains] == [(low, high)]
    assert "not confirmed by a public measurement" in entry.why
    assert "未经公开测量证实" in entry.bodies["zh"].why
    assert "公開の測定では未確認" in entry.bodies["ja"].why


def test_the_case_carries_its_figures() -> None:
    entry = ENTRIES[CASE]
    told = [(gain.before, gain.after, gain.unit, gain.saved_low) for gain in entry.gains]
    assert told[:2] == [("8.2", "5.1", "ms", 0.378), ("122", "196", "fps", 0.3776)]
    assert told[2][3] == 0.3
    assert told[3][3] == pytest.approx(1 - 1 / 1.15, abs=0.001)
    assert told[4][3] is None and "stably" in entry.gains[4].note
    accuracy = [row for row in entry.facts["results"] if row["metric"] == "accuracy"]
    assert [(row["before"], row["after"]) for row in accuracy] == [(60.2, 60.4)]
    for lang in ("en", "zh", "ja"):
        for figure in ("8.2", "5.1", "122", "196", "60.2", "60.4"):
            assert figure in entry.body(lang).why


def test_the_counter_case_is_named_by_both() -> None:
    for entry_id in (CASE, "client-nms-ascendc"):
        entry = ENTRIES[entry_id]
        assert "nms-avoid-python-fallback" in entry.links
        for lang in ("en", "zh", "ja"):
            assert "nms-avoid-python-fallback" in entry.body(lang).when_not
            assert "910B3" in entry.body(lang).when_not
    assert "client-nms-ascendc" in ENTRIES["nms-avoid-python-fallback"].facts["contradicts"]
