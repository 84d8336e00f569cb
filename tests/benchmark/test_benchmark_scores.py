"""Figures out of places, and a floor that only rises; the table of real cases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kb.benchmark import real, report
from kb.benchmark.scores import Failure, Scores, Section, below_floor, part, ranking
from kb.errors import SourceError
from kb.report.page import text


def test_ranking_counts_places() -> None:
    figures = ranking([1, 2, 4, None])
    assert figures == {"top1": 0.25, "top3": 0.5, "top5": 0.75, "mrr": pytest.approx((1 + 0.5 + 0.25) / 4)}
    assert ranking([])["top1"] == 0
    assert part([]) == 1 and part([True, False]) == 0.5


def test_a_floor_knows_which_way_is_up() -> None:
    floor = {"planted": {"causes": 0.9, "clean_findings": 2.0}, "real": {"top1": 1.0}}
    assert below_floor({"planted": {"causes": 0.9, "clean_findings": 2.0}}, floor) == []
    assert below_floor({"planted": {"causes": 0.95, "clean_findings": 0.0}}, floor) == []
    worse = below_floor({"planted": {"causes": 0.8, "clean_findings": 3.0}}, floor)
    assert len(worse) == 2 and "floor 0.9000" in worse[0]


def test_scores_as_a_page_and_a_document() -> None:
    scores = Scores(
        (
            Section(
                "planted",
                2,
                {"causes": 0.5, "clean_findings": 3.0},
                (Failure("planted", "x", "a", "b"),),
                ("y: why",),
            ),
        )
    )
    shown = text.render(
        report.page(scores, ["planted.causes: worse"], {"planted": {"causes": 1.0}}, "en"),
        width=200,
        color=False,
    )
    for words in ("0.500", "1.000", "planted, x: wanted a; got b", "y: why", "planted.causes: worse"):
        assert words in shown
    document = report.document(scores, [])
    assert document["schema"] == "kb.eval-advice/1"
    assert json.loads(json.dumps(document))["sections"][0]["figures"]["causes"] == 0.5


@pytest.mark.parametrize("content", ["", "[1]", '{"a": {"b": "x"}}', "{"])
def test_a_bad_floor_is_refused(content: str, tmp_path: Path) -> None:
    path = tmp_path / "floor.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(SourceError) as caught:
        report.read_floor(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("content", ["{", "a: 1", "- id: x", "- {id: x, paths: [a], colour: red}"])
def test_a_bad_table_of_cases_is_refused(content: str, tmp_path: Path) -> None:
    path = tmp_path / "real.yaml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(SourceError):
        real.load(path, tmp_path)


def test_a_case_without_its_files_says_so(tmp_path: Path) -> None:
    table = tmp_path / "real.yaml"
    table.write_text("- {id: x, paths: [a], gain: {saved: 0.5, of: run}, remedies: [r]}", encoding="utf-8")
    (case,) = real.load(table, tmp_path)
    assert "is not here" in case.missing
    (tmp_path / "a").mkdir()
    assert not case.missing
    assert (case.gain, case.gain_of, case.remedies) == (0.5, "run", ("r",))


def test_entries_and_patterns_of_the_table_exist() -> None:
    from kb.engine.pipeline import open_knowledge
    from kb.vocabulary.bottlenecks import IDS

    table = Path(__file__).parent.parent / "benchmarks" / "advice" / "real.yaml"
    entries = open_knowledge().entries
    for case in real.load(table, table.parent):
        assert {*case.remedies, *case.not_first} <= set(entries), case.id
        assert set(case.findings) <= set(IDS), case.id
        assert case.remedies or case.findings or case.quiet_on, case.id
