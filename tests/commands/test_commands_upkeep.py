from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from command_fakes import put

from kb.knowledge import evaluate
from kb.shipped import root


def test_the_shipped_entries_have_no_fault(kb: Any) -> None:
    done = kb("validate")
    assert (done.status, done.out) == (0, "No fault found.\n")


def test_faults_are_1_with_their_place_and_mend(kb: Any, tmp_path: Path) -> None:
    good = next((root() / "tips").glob("*.md"))
    bad = tmp_path / "tips" / good.name
    bad.parent.mkdir()
    bad.write_text(good.read_text(encoding="utf-8").replace("state: ", "estate: "), encoding="utf-8")
    done = kb("validate", str(bad.parent.parent))
    assert done.status == 1
    assert "errors" in done.out
    flat = "".join(done.out.split())
    assert f"{bad}:".replace(" ", "") in flat
    assert "estate" in done.out
    found = json.loads(kb("validate", str(bad.parent.parent), "--format", "json").out)
    assert (found["schema"], found["valid"]) == ("kb.validate/1", False)
    lines = kb("validate", str(bad.parent.parent), "--format", "jsonl").out.splitlines()
    assert [json.loads(line) for line in lines] == found["faults"]


def test_a_path_that_is_not_there_is_3(kb: Any) -> None:
    done = kb("validate", "nowhere")
    assert (done.status, done.out) == (3, "")
    assert "nowhere" in done.err


class Scores(NamedTuple):
    questions: int = 70
    ndcg10: float = 0.51234
    success5: float = 0.66


def test_scores_of_search(kb: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    put(
        monkeypatch, "kb.knowledge.evaluate", questions=lambda path: [path],
        run=lambda index, asked: {"fused": {"all": Scores(), "zh": Scores(42)}},
    )  # fmt: skip
    done = kb("eval", "search", "q.tsv")
    assert done.status == 0
    assert "Search, 70 questions" in done.out
    assert "0.512" in done.out
    rows = json.loads(kb("eval", "search", "q.tsv", "--format", "json").out)["results"]
    assert rows[1] == {"way": "fused", "group": "zh", "questions": 42, "ndcg10": 0.51234, "success5": 0.66}


def test_scores_of_advice_and_a_floor(kb: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    from kb.benchmark.scores import Failure, Scores, Section

    missed = Failure("planted", "x", "the cause", "nothing")
    scores = Scores((Section("planted", 4, {"causes": 0.75, "clean_findings": 2.0}, (missed,)),))
    put(monkeypatch, "kb.benchmark.advice", run=lambda **_: scores)
    done = kb("eval", "advice")
    assert done.status == 0
    assert "0.750" in done.out and "wanted the cause; got nothing" in done.out
    floor = tmp_path / "floor.json"
    floor.write_text('{"planted": {"causes": 0.9, "clean_findings": 2}}', encoding="utf-8")
    done = kb("eval", "advice", "--floor", str(floor), "--format", "json")
    assert done.status == 1
    document = json.loads(done.out)
    assert document["schema"] == "kb.eval-advice/1"
    assert document["worse"] == ["planted.causes: 0.7500, floor 0.9000"]
    assert document["sections"][0]["failures"][0]["case"] == "x"


def test_real_cases_need_their_folder(kb: Any) -> None:
    done = kb("eval", "advice", "--cases", "real.yaml")
    assert done.status == 2
    assert "--profiles" in done.err


def test_an_index_that_fits_nowhere_is_not_called_made(kb: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from kb.knowledge import store

    monkeypatch.setattr(store, "rebuilt", lambda **_: SimpleNamespace(where=store.MEMORY, size=504))
    done = kb("index")
    assert (done.status, done.out) == (1, "")
    assert "fits nowhere" in done.err


def test_search_scores_under_their_floor_are_1(
    kb: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    put(
        monkeypatch, "kb.knowledge.evaluate", questions=lambda path: [path], read_floor=evaluate.read_floor,
        below=evaluate.below, run=lambda index, asked: {"fused": {"all": Scores()}},
    )  # fmt: skip
    floor = tmp_path / "floor.json"
    floor.write_text('{"fused.all.ndcg10": 0.5}')
    assert kb("eval", "search", "q.tsv", "--floor", str(floor)).status == 0
    floor.write_text('{"fused.all.ndcg10": 0.6, "fused.ja.ndcg10": 0.1}')
    done = kb("eval", "search", "q.tsv", "--floor", str(floor), "--format", "json")
    assert done.status == 1
    assert json.loads(done.out)["below_floor"] == ["fused.all.ndcg10", "fused.ja.ndcg10"]
    assert "0.512" in kb("eval", "search", "q.tsv", "--floor", str(floor)).out
    for wrong in ("[]", '{"fused.all": 1}', '{"fused.all.speed": 1}'):
        floor.write_text(wrong)
        assert kb("eval", "search", "q.tsv", "--floor", str(floor)).status == 3


def test_what_is_no_file_is_written_into_and_never_replaced(tmp_path: Path) -> None:
    from kb.commands._files import write_file

    pipe, link, file = tmp_path / "pipe", tmp_path / "link", tmp_path / "file"
    os.mkfifo(pipe)
    link.symlink_to(file)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_file(pipe, "one")
    write_file(link, "two")
    assert os.read(reader, 100) == b"one\n" and stat.S_ISFIFO(pipe.stat().st_mode)
    assert link.is_symlink() and file.read_text() == "two\n"
    os.close(reader)
