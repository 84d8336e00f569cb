"""Outcomes in the store."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from report_samples import SAMPLE

from kb.errors import UsageError
from kb.experience import Outcome
from kb.report.json import document
from kb.store import database, migrations
from kb.store.database import writing
from kb.store.outcomes import forget, keep, load, outcome_id
from kb.store.runs import list_runs, save

ONE = Outcome(
    "a" * 12,
    "2026-01-01T00:00:00+00:00",
    "vector-larger-copies",
    "operator",
    0.5,
    0.02,
    "faster",
    operator="Add",
)
TWO = replace(
    ONE, id="b" * 12, created="2026-01-02T00:00:00+00:00", entry="other", saved=-0.1, result="slower"
)


def test_outcomes_come_back_as_they_were(db: str) -> None:
    assert load(db=db) == ()
    assert keep([TWO, ONE], db=db) == 2
    assert load(db=db) == (ONE, TWO)
    assert load("other", db=db) == (TWO,)


def test_the_same_try_is_one_outcome(db: str) -> None:
    assert outcome_id("e", "1", "2") == outcome_id("e", "1", "2") != outcome_id("e", "12", "")
    keep([ONE], db=db)
    assert keep([replace(ONE, saved=0.4, created="2027")], db=db) == 0
    (found,) = load(db=db)
    assert (found.saved, found.created) == (0.4, ONE.created)


def test_an_imported_outcome_never_replaces_an_own_one(db: str) -> None:
    keep([ONE], db=db)
    assert keep([replace(ONE, saved=-0.9, origin="imported")], db=db) == 0
    assert load(db=db) == (ONE,)


def test_an_outcome_can_be_forgotten(db: str) -> None:
    keep([ONE, TWO], db=db)
    assert forget(ONE.id, db=db) == ONE
    assert load(db=db) == (TWO,)
    with pytest.raises(UsageError, match="no outcome"):
        forget(ONE.id, db=db)


def test_a_store_from_before_outcomes_gets_them_and_keeps_its_runs(
    file_db: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = [step for step in migrations.STEPS if step[0] < "0005"]
    with monkeypatch.context() as old:
        old.setattr(database, "migrate", lambda found: migrations.migrate(found, before))
        with writing(Path(file_db)) as connection:
            tables = {
                name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")
            }
        assert "outcomes" not in tables
    save(document(SAMPLE), db=file_db)
    assert keep([ONE], db=file_db) == 1
    assert [run.id for run in list_runs(db=file_db)] == [SAMPLE.run]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_an_old_store_that_cannot_be_written_has_no_outcomes(file_db: str) -> None:
    Path(file_db).parent.mkdir(parents=True)
    with closing(sqlite3.connect(file_db)) as connection:
        connection.execute("create table runs (id)")
    Path(file_db).chmod(0o400)
    Path(file_db).parent.chmod(0o500)
    try:
        assert load(db=file_db) == ()
    finally:
        Path(file_db).parent.chmod(0o700)


def test_names_that_cannot_be_written_as_utf8_are_kept_all_the_same(db: str) -> None:
    keep([replace(ONE, operator="a\ud800b")], db=db)
    assert load(db=db)[0].operator == "a?b"
