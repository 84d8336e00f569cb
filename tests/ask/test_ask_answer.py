"""Answers from a store: every query runs, values are bound, and nothing that is typed becomes SQL."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from postgres_server import Server
from report_samples import RUN, SAMPLE

from kb.ask import tables
from kb.ask.answer import ask
from kb.ask.tables import LANGUAGES, intents, sql
from kb.errors import SourceError, UsageError
from kb.report.json import kept
from kb.store.query import query
from kb.store.runs import list_runs, save

EVERY = {
    "run": RUN.run, "n": 10, "operator": "Cummin", "metric": "aiv_vec_ratio", "pattern": None, "us": 1.0,
    "percent": 80.0, "core": "vector", "who": "kernel-developer",
}  # fmt: skip


@pytest.fixture(params=["sqlite", "postgres"], scope="module")
def db(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("ask") / "kb.db")
    if request.param == "postgres":
        path = request.getfixturevalue("postgres").fresh()
    for report in (SAMPLE, RUN):
        save(json.loads(json.dumps(kept(report))), db=path)
    return path


@pytest.mark.parametrize("id", intents())
def test_every_query_runs_and_its_columns_have_headings(id: str, db: str, tmp_path: Path) -> None:
    for place in (db, str(tmp_path / "none.db")):
        text = sql(id)
        bound: dict[str, Any] = {name: value for name, value in EVERY.items() if f":{name}" in text}
        found = query(text, bound, db=place)
        assert len(set(found.columns)) == len(found.columns)
        for column in found.columns:
            assert set(tables.heads()[column]) == set(LANGUAGES), column
            assert all(tables.heads()[column].values())


def test_no_heading_is_left_over(db: str) -> None:
    used = {column for id in intents() for column in query(sql(id), EVERY, db=db).columns}
    assert set(tables.heads()) == used


def test_an_answer_is_about_the_run_that_is_named(db: str) -> None:
    one, two = (ask("which operators take longest", run=run.run, db=db) for run in (SAMPLE, RUN))
    assert one.found is not None and two.found is not None
    assert [row[0] for row in one.found.rows] == ["Cummin"]
    assert two.found.rows[0][1] == "hcom_allReduce__0"
    assert one.parameters == {"run": SAMPLE.run, "n": 10}
    assert ":n" in one.sql


def test_without_a_run_it_is_the_newest(db: str) -> None:
    assert ask("what are the bottlenecks", db=db).run == list_runs(db=db)[0].id


def test_a_value_is_bound_and_never_part_of_the_query(db: str) -> None:
    hostile = "how long does `x' or 1=1; drop table runs; --` take"
    with_name = ask("how long does MatMulV2 take", run=SAMPLE.run, db=db)
    reply = ask(hostile, run=SAMPLE.run, db=db)
    assert with_name.found is not None and with_name.found.rows == ()
    assert reply.intent is None or reply.sql == sql(reply.intent.id)
    assert len(list_runs(db=db)) == 2


def test_what_cannot_be_asked_says_so(db: str, tmp_path: Path) -> None:
    for question in ("", "  ", "x" * 500):
        with pytest.raises(UsageError):
            ask(question, db=db)
    with pytest.raises(UsageError, match="no run"):
        ask("what are the bottlenecks", db=str(tmp_path / "none.db"))
    broken = tmp_path / "broken.db"
    broken.write_text("this is no database" * 100)
    with pytest.raises(SourceError):
        ask("what are the bottlenecks", db=str(broken))


def test_every_query_gives_the_same_rows_on_a_server(postgres: Server, tmp_path: Path) -> None:
    """In the same order too, absent values included."""
    stores = [str(tmp_path / "kb.db"), postgres.fresh()]
    for store in stores:
        for at, report in enumerate((SAMPLE, RUN)):
            save(
                json.loads(json.dumps(kept(report))),
                db=store,
                now=datetime(2026, 1, 1 + at, tzinfo=timezone.utc),
            )
    for id in intents():
        for run in (SAMPLE, RUN):
            values = EVERY | {"run": run.run}
            bound = {name: value for name, value in values.items() if f":{name}" in sql(id)}
            one, two = (query(sql(id), bound, db=store) for store in stores)
            assert one.columns == two.columns, id
            assert one.rows == two.rows, id
