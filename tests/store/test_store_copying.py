"""Copies between stores of every kind: complete, resumed, refused; never half of one without saying so."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from report_samples import HOSTILE, RUN, SAMPLE
from store_rows import rows

from kb.errors import SourceError, UsageError
from kb.experience import Outcome
from kb.report.json import kept
from kb.store import copying, notes
from kb.store.copying import copy
from kb.store.outcomes import keep, load
from kb.store.runs import list_runs, load_run, save

ONE = Outcome("a" * 12, "2026-01-01T00:00:00+00:00", "entry", "operator", 0.5, 0.02, "faster")
KINDS = ("sqlite", "postgres")


@pytest.fixture
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], str]:
    """A new empty store of a kind."""

    numbers = count(1)

    def one(kind: str) -> str:
        if kind == "postgres":
            return str(request.getfixturevalue("postgres").fresh())
        return str(tmp_path / f"{next(numbers)}" / "kb.db")

    return one


def plain(report: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(kept(report)))
    return found


def fill(db: str, more: int = 0) -> None:
    for report in (SAMPLE, RUN, replace(HOSTILE, run="bad", target="name\udcff'; drop table runs")):
        save(plain(report), db=db)
    for at in range(more):
        save({**plain(RUN), "run": f"m{at:03}"}, db=db)
    keep([ONE], db=db)


@pytest.mark.parametrize("there", KINDS)
@pytest.mark.parametrize("here", KINDS)
def test_a_copy_has_all_and_is_compared(here: str, there: str, make: Callable[[str], str]) -> None:
    source, destination = make(here), make(there)
    fill(source)
    found = copy(source, destination)
    assert (found.runs, found.outcomes, found.complete) == (3, 1, True)
    assert {table.table: table.rows for table in found.tables}["runs"] == 3
    assert list_runs(db=destination) == list_runs(db=source)
    for run in list_runs(db=source):
        assert load_run(run.id, db=destination) == load_run(run.id, db=source)
    assert load(db=destination) == (ONE,)
    assert rows(destination, "select * from notes") == []
    again = copy(source, destination)
    assert (again.runs, again.outcomes, again.complete) == (0, 0, True)


@pytest.mark.parametrize("there", KINDS)
def test_there_and_back_is_the_same(there: str, make: Callable[[str], str]) -> None:
    source, middle, back = make("sqlite"), make(there), make("sqlite")
    fill(source)
    copy(source, middle)
    copy(middle, back)
    for table, columns in copying.TABLES.items():
        query = f"select {', '.join(columns)} from {table} order by 1, 2"
        assert rows(back, query) == rows(source, query), table


def test_a_nul_in_a_text_becomes_another_mark_and_is_no_difference(make: Callable[[str], str]) -> None:
    source, destination = make("sqlite"), make("postgres")
    save(plain(replace(SAMPLE, target="a\0b")), db=source)
    assert copy(source, destination).complete
    assert [run.target for run in list_runs(db=destination)] == ["a\ufffdb"]
    assert load_run("last", db=destination)["target"] == "a\0b"  # the document is JSON, which writes it out


@pytest.mark.parametrize("there", KINDS)
def test_a_copy_that_was_killed_says_so_and_goes_on(
    there: str,
    make: Callable[[str], str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    source, destination = make("sqlite"), make(there)
    fill(source, more=10)
    monkeypatch.setattr(copying, "BATCH", 3)
    child = os.fork()
    if child == 0:
        try:
            copy(
                source,
                destination,
                progress=lambda done, _: os.kill(os.getpid(), signal.SIGKILL) if done > 5 else None,
            )
        finally:
            os._exit(1)
    assert os.WIFSIGNALED(os.waitpid(child, 0)[1])
    monkeypatch.setattr(notes, "_told", set())
    assert len(list_runs(db=destination)) == 6
    assert len(list_runs(db=destination)) == 6
    said = capsys.readouterr().err
    assert said.count("part of a copy (6 of 13 runs") == 1
    with pytest.raises(SourceError, match="part of a copy itself"):
        copy(destination, make("sqlite"))
    with pytest.raises(SourceError, match="part of a copy from"):
        copy(_filled(make("sqlite")), destination)
    found = copy(source, destination)
    assert (found.runs, found.complete) == (7, True)
    monkeypatch.setattr(notes, "_told", set())
    assert list_runs(db=destination) == list_runs(db=source)
    assert capsys.readouterr().err == ""


def _filled(db: str) -> str:
    save(plain(SAMPLE), db=db)
    return db


@pytest.mark.parametrize("there", KINDS)
def test_a_run_of_the_same_id_that_differs_is_refused_and_nothing_is_written(
    there: str, make: Callable[[str], str]
) -> None:
    source, destination = make("sqlite"), make(there)
    fill(source)
    save(plain(replace(SAMPLE, headline="another judgement", run=RUN.run)), db=destination)
    with pytest.raises(SourceError, match=f"same id {RUN.run} differ; nothing was copied"):
        copy(source, destination)
    assert len(list_runs(db=destination)) == 1
    assert rows(destination, "select * from notes") == []


@pytest.mark.parametrize("there", KINDS)
def test_what_arrives_otherwise_than_sent_is_found(
    there: str,
    make: Callable[[str], str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A writer that spoils a value, and one that loses a row."""
    source, destination = make("sqlite"), make(there)
    fill(source)
    insert = copying._insert

    def spoiled(old: Any, new: Any, table: str, ids: Any) -> None:
        insert(old, new, table, ids)
        if table == "operators":
            new.execute("update operators set time_us = time_us + 1 where position = 1")
        if table == "evidence":
            new.execute("delete from evidence where position = 1")

    monkeypatch.setattr(copying, "_insert", spoiled)
    found = copy(source, destination)
    assert not found.complete
    assert [table.table for table in found.tables if not table.equal] == ["operators", "evidence"]
    monkeypatch.setattr(notes, "_told", set())
    list_runs(db=destination)
    assert "part of a copy" in capsys.readouterr().err


def test_what_cannot_be_copied_is_named(make: Callable[[str], str], tmp_path: Path) -> None:
    source = _filled(make("sqlite"))
    with pytest.raises(UsageError, match="are the same"):
        copy(source, source)
    with pytest.raises(SourceError, match="no such store"):
        copy(str(tmp_path / "none.db"), make("sqlite"))
    with pytest.raises(SourceError, match="no store in this database"):
        copy(make("postgres"), source)
