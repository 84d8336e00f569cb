from __future__ import annotations

import json
from typing import Any

import pytest
from report_samples import RUN, SAMPLE


@pytest.fixture
def kept(kb: Any) -> Any:
    for name in ("run", "sample"):
        assert kb("advise", name, "-q").status == 0
    return kb


def test_an_answer_shows_its_query_and_parameters(kept: Any) -> None:
    done = kept("ask", SAMPLE.run[:5], "which operators take longest")
    assert done.status == 0, done.err
    for part in ("Which operators take longest?", "Cummin", "692 us", "from operator_times where run = :run",
                 f":n = 10, :run = {SAMPLE.run}"):  # fmt: skip
        assert part in done.out


@pytest.mark.parametrize(
    ("lang", "question", "head"),
    [("en", "what should I do first?", "How to check"), ("zh", "首先应该做什么？", "验证方法"),
     ("ja", "まず何をすべき？", "確認方法")],
)  # fmt: skip
def test_answers_in_three_languages(kept: Any, lang: str, question: str, head: str) -> None:
    done = kept("ask", SAMPLE.run, question, "--lang", lang)
    assert done.status == 0
    assert head in done.out and "vector-larger-copies" in done.out


def test_json_holds_question_query_and_rows(kept: Any) -> None:
    found = json.loads(kept("ask", "last", "what are the bottlenecks", "--format", "json").out)
    assert (found["schema"], found["answered"], found["run"]) == ("kb.ask/1", True, SAMPLE.run)
    assert found["intent"]["id"] == "bottlenecks"
    assert found["parameters"] == {"n": 10, "run": SAMPLE.run}
    assert [row["pattern"] for row in found["rows"]] == ["small-mte3-writes", "scalar-bound-vector"]
    lines = kept("ask", RUN.run, "time per type", "--format", "jsonl").out.splitlines()
    assert len(lines) == 3


def test_what_is_not_understood_is_refused_with_near_questions(kept: Any) -> None:
    done = kept("ask", "last", "which operators are blue")
    assert done.status == 2
    assert "not understood" in done.out and "Which operators take longest?" in done.out and "blue" in done.out
    found = json.loads(kept("ask", "last", "which operators are blue", "--format", "json").out)
    assert found["answered"] is False
    assert "sql" not in found
    assert "slowest-operators" in [item["id"] for item in found["near"]]
    assert kept("ask", "delete all runs").status == 2
    assert len(json.loads(kept("runs", "list", "--format", "json").out)["runs"]) == 2


def test_words_that_were_left_out_are_named(kept: Any) -> None:
    done = kept("ask", "last", "which operators take longest on zorbs")
    assert done.status == 0
    assert "left out: zorbs" in done.out


def test_the_run_may_be_left_out_and_the_question_unquoted(kept: Any) -> None:
    assert kept("ask", "which", "operators", "take", "longest").status == 0
    assert f":run = {SAMPLE.run}" in kept("ask", "bottlenecks").out
    assert (
        kept("ask", "add", "up", "the", "time", "by", "type").status == 0
    )  # "add" could be the beginning of an id
    assert kept("ask", "0123", "bottlenecks").status == 2
    assert kept("ask").status == 2


def test_the_questions_are_listed(kb: Any) -> None:
    rows = json.loads(kb("ask", "--list", "--format", "json").out)["questions"]
    assert len(rows) >= 30
    assert all(row["sql"].startswith("select") and "{" not in row["title"] for row in rows)
    assert "哪些算子耗时最长？" in kb("ask", "--list", "--lang", "zh").out


def test_no_run_yet(kb: Any) -> None:
    done = kb("ask", "bottlenecks")
    assert (done.status, "is kept" in done.err) == (2, True)


def test_a_run_that_is_none_is_named_where_the_question_stands_in_quotes(kept: Any) -> None:
    done = kept("ask", "./OPPROF_1", "which operators take longest")
    assert done.status == 2 and "no run './OPPROF_1' is kept" in done.err


def test_without_a_run_what_is_about_all_of_them_is_answered(kb: Any) -> None:
    done = kb("ask", "how many runs are kept", "--format", "json")
    assert done.status == 0, done.err
    assert json.loads(done.out)["rows"][0]["runs"] == 0
