"""Floors of the quality of search; they only rise. `tools/eval_search.py` prints the whole tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.knowledge import evaluate, search, store
from kb.knowledge.evaluate import Scores

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.fixture(scope="module")
def shipped_index(tmp_path_factory: pytest.TempPathFactory) -> store.Index:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KB_INDEX", str(tmp_path_factory.mktemp("index") / "index.db"))
        return store.index()


def test_the_trilingual_benchmark() -> None:
    folder = BENCHMARKS / "retrieval"
    scores = evaluate.run(evaluate.benchmark_index(folder), evaluate.benchmark(folder))
    assert evaluate.below(scores, evaluate.read_floor(folder / "floor.json")) == {}
    fused = {group: one.ndcg10 for group, one in scores["fused"].items()}
    assert fused["all"] >= 0.88
    assert fused["en"] >= 0.83
    assert min(fused["zh"], fused["ja"]) >= 0.89
    for way in ("words", "meaning"):
        assert scores[way]["all"].ndcg10 < fused["all"]
    assert list(scores["fused"]) == [
        "all",
        "en",
        "zh",
        "ja",
        "type acronym",
        "type paraphrase",
        "type symptom",
    ]


def test_the_questions_people_asked(shipped_index: store.Index) -> None:
    asked = evaluate.questions(BENCHMARKS / "queries_dev.tsv")
    results = evaluate.run(shipped_index, asked)
    assert evaluate.below(results, evaluate.read_floor(BENCHMARKS / "queries_dev.floor.json")) == {}
    scores = results["fused"]
    assert scores["all"].ndcg10 >= 0.50
    assert scores["all"].success5 >= 0.65
    assert scores["held-out"].ndcg10 >= 0.42
    lost = evaluate.unreached(shipped_index, asked[:3], 10)
    assert shipped_index.size - 30 <= len(lost) <= shipped_index.size - 10
    assert not set(lost) & {hit.id for hit in search.search(asked[0].text, use=shipped_index).results}


def test_an_entry_is_found_by_its_own_words(shipped_index: store.Index) -> None:
    """Title and symptom in each language, and an alias of each; one alias may be said of many entries."""
    misses = []
    aliases = found = 0
    for entry in list(store.load_entries(shipped_index).values())[::6]:  # all of them take a minute
        for language in ("en", "zh", "ja"):
            for text in (getattr(entry.title, language), getattr(entry.symptom, language)):
                if entry.id not in {hit.id for hit in search.search(text, k=5, use=shipped_index).results}:
                    misses.append((entry.id, text))
            for text in entry.aliases.get(language, ())[:1]:
                aliases += 1
                found += entry.id in {hit.id for hit in search.search(text, k=10, use=shipped_index).results}
    assert misses == []
    assert found >= 0.98 * aliases


def test_off_topic_queries_are_turned_away_and_questions_are_not(shipped_index: store.Index) -> None:
    def refused(texts: list[str]) -> float:
        return sum(search.search(text, k=1, use=shipped_index).no_good_match for text in texts) / len(texts)

    assert refused((BENCHMARKS / "offtopic.txt").read_text(encoding="utf-8").splitlines()) >= 0.9
    assert refused([q.text for q in evaluate.questions(BENCHMARKS / "queries_dev.tsv")]) <= 0.08
    assert refused([q.text for q in evaluate.benchmark(BENCHMARKS / "retrieval")]) <= 0.06


def test_scores_by_hand() -> None:
    one = evaluate.score(["x", "b", "a"], {"a": 2, "b": 1})
    best = 3 + 1 / 1.584962500721156
    assert one.ndcg10 == pytest.approx((1 / 1.584962500721156 + 3 / 2) / best)
    assert one == Scores(1, one.ndcg10, 0, 1, 1, pytest.approx(1 / 3))
    assert evaluate.score([], {"a": 2}) == Scores(1, 0, 0, 0, 0, 0)
