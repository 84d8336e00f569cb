"""The schema: from an empty file and from every older one to the same tables; details and views say what they hold."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from report_samples import EMPTY, HOSTILE, JOB, RUN, SAMPLE
from store_rows import rows

from kb.measured import Measured
from kb.report.json import kept
from kb.store import database, migrations
from kb.store.database import writing
from kb.store.details import COUNTED, DETAILS, detail_rows
from kb.store.provenance import PROVENANCE, provenance
from kb.store.query import query
from kb.store.runs import list_runs, load_run, save
from kb.store.views import VIEWS

MATMUL = Measured(
    "mm_kernel", "MatMulV2", "cube", 4, 25.0, 100.0, 20.0, 40.0, "128,128", "float16; float16", "ND; ND", 24, 1800.0,
    readings={"aic_mac_ratio": 0.8, "l2_hit_rate": 0.5},
)  # fmt: skip
ADD = Measured(
    "add_kernel", "Add", "vector", 10, 30.0, 300.0, clock_mhz=1600.0, readings={"aiv_vec_ratio": 0.2}
)
WHOLE = replace(
    RUN,
    run="abc123",
    measured=(ADD, MATMUL),
    content="f" * 64,
    capture=replace(RUN.capture, command="msopprof ./a"),
    job=JOB,
)


def plain(report: Any) -> dict[str, Any]:
    found = json.loads(json.dumps(kept(report)))
    assert isinstance(found, dict)
    return found


def schema(db: str) -> list[tuple[str, str, list[tuple[Any, ...]]]]:
    names = rows(db, "select type, name from sqlite_master where type in ('table', 'view') order by name")
    return [(kind, name, rows(db, f"pragma table_info({name})")) for kind, name in names]


@pytest.mark.parametrize("before", range(len(migrations.STEPS)))
def test_every_older_schema_becomes_the_newest(
    before: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = str(tmp_path / "old.db"), str(tmp_path / "new.db")
    document = plain(WHOLE)
    for steps in sorted({min(1, before), before}):  # kept by the first release, then updated so far
        with monkeypatch.context() as patched:
            patched.setattr(
                database, "migrate", lambda found, n=steps: migrations.migrate(found, migrations.STEPS[:n])
            )
            with writing(Path(old)) as store:
                if steps == 1:
                    store.execute(
                        "insert or ignore into runs (id, created, target, document) values ('abc123', '2026', 'x', ?)",
                        [json.dumps(document)],
                    )
    save(document, db=new)
    list_runs(db=old)
    assert schema(old) == schema(new)
    if before:
        for table in DETAILS:
            assert rows(old, f"select * from {table}") == rows(new, f"select * from {table}"), table
        names = ", ".join(column.name for column in PROVENANCE)
        assert rows(old, f"select {names} from runs") == rows(new, f"select {names} from runs")


def test_a_damaged_document_does_not_hold_up_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = str(tmp_path / "kb.db")
    with monkeypatch.context() as patched:
        patched.setattr(database, "migrate", lambda found: migrations.migrate(found, migrations.STEPS[:1]))
        with writing(Path(db)) as store:
            for id, text in (("bad1", "nonsense"), ("bad2", "[]"), ("abc123", json.dumps(plain(WHOLE)))):
                store.execute(
                    "insert into runs (id, created, target, document) values (?, '2026', 'x', ?)", [id, text]
                )
    assert {run.id for run in list_runs(db=db)} == {"bad1", "bad2", "abc123"}
    assert rows(db, "select distinct run from operators") == [("abc123",)]


@pytest.mark.parametrize("report", [SAMPLE, RUN, EMPTY, HOSTILE, WHOLE], ids=lambda report: report.run)
@pytest.mark.parametrize("table", DETAILS)
def test_details_fill_exactly_their_columns(table: str, report: Any) -> None:
    columns = {column.name for column in DETAILS[table].columns}
    for place, row in enumerate(detail_rows(table, "r", plain(report)), 1):
        assert set(row) <= {"run", "position"} | columns
        assert row["position"] == place


@pytest.mark.parametrize(
    "document", [{}, {"measured": 1, "findings": {}, "operators": [1, None]}, {"capture": []}]
)
def test_documents_of_an_odd_form_give_no_rows(document: dict[str, Any]) -> None:
    for table in DETAILS:
        assert detail_rows(table, "r", document) == []
    assert set(provenance(document)) == {column.name for column in PROVENANCE}


def test_all_measured_operators_and_the_readings_of_the_longest_are_rows(db: str) -> None:
    many = tuple(replace(ADD, name=f"k{at}", total_us=1000.0 - at) for at in range(COUNTED + 5))
    save(plain(replace(WHOLE, measured=many)), db=db)
    assert rows(db, "select count(*), min(time_us) from operators") == [(COUNTED + 5, 1000.0 - COUNTED - 4)]
    assert rows(db, "select count(*) from counters") == [(COUNTED,)]


def test_how_a_run_was_measured_stands_beside_it(db: str) -> None:
    save(plain(WHOLE), db=db)
    (row,) = rows(
        db, "select mode, tool, chip_basis, candidates, clock_mhz, command, content, warm_up from runs"
    )
    assert row == (
        "device", "Ascend PyTorch Profiler", "inferred", "Ascend910B1,Ascend910B3", 1650.0, "msopprof ./a", "f" * 64, None,
    )  # fmt: skip
    assert provenance({"capture": {"tool": "typed in"}})["mode"] == "typed"
    assert provenance({"capture": {"tool": "msopprof simulator", "simulated": True}})["mode"] == "simulator"


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_has_the_columns_that_are_documented(name: str, db: str) -> None:
    for report in (SAMPLE, WHOLE, EMPTY):
        save(plain(report), db=db)
    found = query(f"select * from {name}", db=db)
    assert list(found.columns) == list(VIEWS[name].columns)
    assert found.rows


def test_each_rank_of_a_job_is_a_row_and_says_whether_it_is_slow(db: str) -> None:
    save(plain(WHOLE), db=db)
    found = query("select rank_name, compute_us, slower, held_up from rank_times order by compute_us", db=db)
    assert found.rows == (
        ("rank 0", 800.0, None, None), ("rank 1", 850.0, None, None), ("rank 3", 950.0, 0.105, None),
    )  # fmt: skip


def test_shares_of_the_views_add_up(db: str) -> None:
    save(plain(WHOLE), db=db)
    assert query("select name, share, running_share from operator_times order by position", db=db).rows == (
        ("add_kernel", 0.75, 0.75), ("mm_kernel", 0.25, 1.0),
    )  # fmt: skip
    assert query("select core, share from core_times order by core", db=db).rows == (
        ("cube", 0.25),
        ("vector", 0.75),
    )
    assert query("select type, share from type_times order by type", db=db).rows == (
        ("Add", 0.75),
        ("MatMulV2", 0.25),
    )
    assert query("select name, metric, value, unit from operator_readings order by metric", db=db).rows == (
        ("mm_kernel", "aic_mac_ratio", 0.8, "1"), ("add_kernel", "aiv_vec_ratio", 0.2, "1"),
        ("mm_kernel", "l2_hit_rate", 0.5, "1"),
    )  # fmt: skip


def test_what_was_measured_is_kept_whole(db: str) -> None:
    save(plain(WHOLE), db=db)
    assert load_run("last", db=db)["measured"] == plain(WHOLE)["measured"]


def test_a_share_of_operators_that_are_not_all_kept_is_of_the_run(db: str) -> None:
    """An estimate keeps its longest operators alone; they are not the whole."""
    document = plain(WHOLE) | {"measured": []}
    whole = sum(item["time_us"] for item in document["operators"]) * 2
    save(document | {"total_us": whole}, db=db)
    for view in ("operator_times", "type_times", "core_times"):
        ((share,),) = query(f"select sum(share) from {view}", db=db).rows
        assert share == pytest.approx(0.5), view
