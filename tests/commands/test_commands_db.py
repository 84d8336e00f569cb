"""`kb db` and `--db postgresql://…` as commands, on a real server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from postgres_server import Server
from running import ROOT, SAMPLE, run_kb

from kb.schema import DOCUMENTS
from kb.store import copying


def answer(home: Path, *line: str, status: int = 0) -> Any:
    done = run_kb(*line, "--format", "json", home=home)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    document = json.loads(done.stdout) if done.stdout.strip() else {}
    if isinstance(document, dict) and "schema" in document:
        name = document["schema"]
        Draft202012Validator(DOCUMENTS[name].schema(name)).validate(document)
    return document


def test_a_team_from_first_to_last(postgres: Server, tmp_path: Path) -> None:
    db = postgres.fresh()
    report = answer(tmp_path, "advise", SAMPLE, "--db", db)
    assert [run["id"] for run in answer(tmp_path, "runs", "list", "--db", db)["runs"]] == [report["run"]]
    assert answer(tmp_path, "report", report["run"], "--db", db)["headline"] == report["headline"]
    assert answer(tmp_path, "ask", report["run"], "which operators take longest", "--db", db)["rows"]
    assert answer(tmp_path, "db", "publish", "--db", db)["entries"] > 500
    told = answer(tmp_path, "db", "status", "--db", db)["store"]
    assert told["kind"] == "postgresql" and told["entries"] > 500 and told["rows"]["runs"] == 1
    here = answer(tmp_path, "search", "NMS CPU fallback")["results"]
    there = answer(tmp_path, "search", "NMS CPU fallback", "--db", db)["results"]
    assert [hit["id"] for hit in there] == [hit["id"] for hit in here]
    assert answer(tmp_path, "db", "migrate", "--db", db)["newest"] == told["newest"]
    fetched = tmp_path / "team.db"
    assert answer(tmp_path, "db", "fetch", str(fetched), "--db", db)["entries"] == told["entries"]
    answer(tmp_path, "db", "fetch", str(fetched), "--db", db, status=2)
    copied = answer(tmp_path, "db", "copy", db, str(tmp_path / "copy.db"))
    assert copied["complete"] and copied["runs"] == 1
    assert answer(tmp_path, "runs", "list", "--db", str(tmp_path / "copy.db"))["runs"]


def test_the_rank_correlation_with_the_server_is_told(postgres: Server, tmp_path: Path) -> None:
    """The development questions, answered by the database and by the installed index."""
    questions = "tests/benchmarks/queries_dev.tsv"
    db = postgres.fresh()
    asked = ("eval", "search", questions, "--against", "installed", "--db", db)
    answer(tmp_path, *asked, status=2)  # without knowledge there, the installed one is in use
    answer(tmp_path, "db", "publish", "--db", db)
    found = answer(tmp_path, *asked)["agreement"]
    assert found["against"] == "installed" and found["first"] == 20
    assert found["questions"] == found["same"] > 60 and found["mean"] == found["lowest"] == pytest.approx(1.0)
    fetched = str(tmp_path / "team.db")
    answer(tmp_path, "db", "fetch", fetched, "--db", db)
    said = run_kb("eval", "search", questions, "--against", fetched, "--db", db, home=tmp_path).stdout
    assert "mean 1.000, lowest 1.000" in " ".join(said.split())


def test_what_takes_long_says_what_it_does(postgres: Server, tmp_path: Path) -> None:
    """With -v as a line; on a terminal the same words stand beside the spinner."""
    db = postgres.fresh()
    told = run_kb("db", "publish", "--db", db, "-v", home=tmp_path).stderr
    assert "kb: publishing the knowledge\n" in told
    fetched = str(tmp_path / "team.db")
    told = run_kb("db", "fetch", fetched, "--db", db, "-v", "--lang", "ja", home=tmp_path).stderr
    assert "kb: 知識ベースを取得中\n" in told


def test_what_cannot_be_compared_is_refused(tmp_path: Path) -> None:
    questions = "tests/benchmarks/queries_dev.tsv"
    answer(tmp_path, "eval", "search", questions, "--against", "installed", status=2)
    answer(tmp_path, "eval", "search", "tests/benchmarks/retrieval", "--against", "installed", status=2)
    answer(tmp_path, "eval", "search", questions, "--against", str(tmp_path / "missing.db"), status=3)


def test_a_reader_searches_and_reports_and_writes_nothing(postgres: Server, tmp_path: Path) -> None:
    db = postgres.fresh()
    name = db.partition("@/")[2].partition("?")[0]
    run = answer(tmp_path, "advise", SAMPLE, "--db", db)["run"]
    answer(tmp_path, "db", "publish", "--db", db)
    assert answer(tmp_path, "db", "grant", f"reader_{name}", "--db", db)["made"]
    reader = postgres.address(name, user=f"reader_{name}")
    assert answer(tmp_path, "search", "transpose is slow", "--db", reader)["results"]
    assert answer(tmp_path, "report", run, "--db", reader)["run"] == run
    answer(tmp_path, "runs", "delete", run, "--yes", "--db", reader, status=3)
    assert answer(tmp_path, "report", run, "--db", db)["run"] == run


def test_tables_that_differ_are_1(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from kb.cli import main

    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("KB_DB", str(tmp_path / "runs.db"))
    assert main(["advise", SAMPLE]) == 0
    monkeypatch.setattr(copying.Copied, "complete", property(lambda _: False))
    assert main(["db", "copy", str(tmp_path / "runs.db"), str(tmp_path / "copy.db")]) == 1
    assert "Traceback" not in capsys.readouterr().err


def test_a_password_is_shown_nowhere(tmp_path: Path) -> None:
    done = run_kb("runs", "list", "--db", "postgresql://kb:secret@/kb?host=/nowhere", home=tmp_path)
    assert done.returncode == 3 and "secret" not in done.stdout + done.stderr
