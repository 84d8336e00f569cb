"""`kb runs export`, `delete` and `sql`."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from report_samples import HOSTILE, RUN, SAMPLE
from running import ROOT

from kb.report.json import kept as document
from kb.store.export import TABLES
from kb.store.runs import list_runs, save


@pytest.fixture
def kept(kb: Any) -> Any:
    for name in ("run", "sample"):
        assert kb("advise", name, "-q").status == 0
    return kb


def test_csv_of_one_run_and_of_all(kept: Any) -> None:
    one = list(csv.DictReader(io.StringIO(kept("runs", "export", SAMPLE.run[:4]).out)))
    assert [(row["run"], row["type"], row["time_us"]) for row in one] == [(SAMPLE.run, "Cummin", "692.12")]
    every = list(csv.DictReader(io.StringIO(kept("runs", "export").out)))
    assert {row["run"] for row in every} == {SAMPLE.run, RUN.run}
    assert every[0]["dtypes"] == ""  # absent is empty


@pytest.mark.parametrize("table", TABLES)
def test_every_table_and_view_can_be_exported(kept: Any, table: str) -> None:
    done = kept("runs", "export", "--table", table, "--format", "json")
    assert done.status == 0, done.err
    found = json.loads(done.out)
    assert isinstance(found, list)
    assert all(value is not None for row in found for value in row.values())


@pytest.mark.parametrize(("file", "start"), [("o.csv", "run,position"), ("o.json", "[\n"), ("o.jsonl", "{")])
def test_the_ending_says_which_format(kept: Any, tmp_path: Path, file: str, start: str) -> None:
    done = kept("runs", "export", "last", "-o", file)
    assert (done.status, done.out) == (0, "")
    assert f"wrote {file}" in done.err
    assert (tmp_path / file).read_text(encoding="utf-8").startswith(start)


def test_hostile_names_do_no_harm_in_a_file(kb: Any, tmp_path: Path) -> None:
    bad = json.loads(json.dumps(document(HOSTILE)))
    bad["operators"][0]["name"] = '=HYPERLINK("http://x","y")\x1b[31m'
    bad["operators"][0]["type"] = "+1"
    save(bad, db=str(tmp_path / "runs.db"))
    assert kb("runs", "export", "-o", "o.csv").status == 0
    row = next(csv.DictReader(io.StringIO((tmp_path / "o.csv").read_text())))
    assert row["name"].startswith("'=HYPERLINK") and row["type"] == "'+1"
    assert "\x1b" not in kb("runs", "export", "--format", "json").out
    assert json.loads(kb("runs", "export", "--format", "json").out)[0]["name"].startswith("=HYPERLINK")
    assert "\x1b" not in kb("runs", "sql", "select name from operators").out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--table", "secrets"], "no table 'secrets'"),
        (["--table", "runs; drop table runs"], "no table"),
        (["nope"], "no run 'nope' is kept"),
        (["last", "--table", "type_history"], "about all runs"),
        (["--format", "parquet"], "Give a file with -o"),
        (["-o", "no/such/folder/o.csv"], "cannot be written"),
        (["--format", "html"], "no format 'html'"),
    ],
)
def test_what_cannot_be_exported_is_2(kept: Any, arguments: list[str], says: str, tmp_path: Path) -> None:
    done = kept("runs", "export", *arguments)
    assert (done.status, done.out) == (2, "")
    assert says in done.err
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.skipif(find_spec("pyarrow") is not None, reason="pyarrow is installed")
def test_parquet_without_pyarrow_says_what_to_install(kept: Any, tmp_path: Path) -> None:
    done = kept("runs", "export", "-o", "o.parquet")
    assert done.status == 2
    assert "pip install pyarrow" in done.err
    assert not (tmp_path / "o.parquet").exists()


@pytest.mark.skipif(find_spec("pyarrow") is None, reason="needs pyarrow, which is not installed")
def test_parquet_comes_back_as_it_was(kept: Any, tmp_path: Path) -> None:
    import pandas as pd

    assert kept("runs", "export", "-o", "o.parquet").status == 0
    frame = pd.read_parquet(tmp_path / "o.parquet")
    rows = json.loads(kept("runs", "export", "--format", "json").out)
    assert frame["name"].tolist() == [row["name"] for row in rows]
    assert frame["time_us"].tolist() == [row["time_us"] for row in rows]
    assert str(frame["count"].dtype) == "Int64"
    assert frame["dtypes"].isna().all()


def test_a_reader_that_goes_away_is_no_fault_of_the_store(kept: Any, tmp_path: Path) -> None:
    command = f"{sys.executable} -m kb runs export --table bottleneck_evidence | head -1"
    done = subprocess.run(
        ["/bin/sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout.startswith("run,finding")


def test_runs_are_deleted_all_or_none(kept: Any, tmp_path: Path) -> None:
    assert kept("runs", "delete", SAMPLE.run, "nope").status == 2
    assert len(list_runs(db=str(tmp_path / "runs.db"))) == 2
    done = kept("runs", "delete", SAMPLE.run[:6], "--yes")
    assert (done.status, SAMPLE.run in done.out) == (0, True)
    assert [run.id for run in list_runs(db=str(tmp_path / "runs.db"))] == [RUN.run]
    assert json.loads(
        kept(
            "runs", "sql", f"select count(*) as n from findings where run = '{SAMPLE.run}'", "-f", "json"
        ).out
    )["rows"] == [{"n": 0}]
    assert kept("runs", "show", SAMPLE.run).status == 2
    assert json.loads(kept("runs", "delete", "last", "-f", "json").out) == {
        "schema": "kb.runs.deleted/1",
        "deleted": [RUN.run],
    }
    assert kept("runs", "delete", "last").status == 2


def test_sql_prints_rows_in_every_format(kept: Any) -> None:
    sql = "select run, pattern, share from bottlenecks order by share desc, pattern"
    text = kept("runs", "sql", sql)
    assert text.status == 0
    assert "Rows: " in text.out and "small-mte3-writes" in text.out
    found = json.loads(kept("runs", "sql", sql, "--format", "json").out)
    assert (found["schema"], found["columns"], found["cut"]) == (
        "kb.runs.sql/1",
        ["run", "pattern", "share"],
        False,
    )
    assert len(kept("runs", "sql", sql, "--format", "jsonl").out.splitlines()) == len(found["rows"])
    assert "| pattern |" in kept("runs", "sql", sql, "--format", "markdown").out
    assert "There are more rows" in kept("runs", "sql", sql, "--limit", "1").out
    assert "No row." in kept("runs", "sql", "select 1 where 0").out


@pytest.mark.parametrize("sql", ["delete from runs", "attach 'x' as x", "select 1; select 2", "nonsense", ""])
def test_sql_only_looks(kept: Any, sql: str, tmp_path: Path) -> None:
    done = kept("runs", "sql", sql)
    assert (done.status, done.out) == (2, "")
    assert "SQL" in done.err and "Traceback" not in done.err
    assert len(list_runs(db=str(tmp_path / "runs.db"))) == 2


def test_sql_from_stdin(kept: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("select 41 + 1 as answer"))
    assert json.loads(kept("runs", "sql", "-", "-f", "json").out)["rows"] == [{"answer": 42}]


def test_last_names_the_newest(kept: Any) -> None:
    assert kept("runs", "show", "last").out == kept("runs", "show", list_runs()[0].id).out


def test_a_link_stays_a_link_and_a_pipe_a_pipe(kept: Any, tmp_path: Path) -> None:
    (tmp_path / "link.csv").symlink_to("real.csv")
    assert kept("runs", "export", "last", "-o", "link.csv").status == 0
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text(encoding="utf-8").startswith("run,position")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True) as reader:
        assert kept("runs", "export", "last", "-o", "pipe").status == 0
        assert reader.communicate()[0].startswith("run,position")
    assert pipe.is_fifo()
    assert sorted(item.name for item in tmp_path.iterdir() if item.name.startswith(".pipe")) == []


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="no /dev/full on this system")
def test_a_full_disk_is_74_and_the_device_stays(kept: Any) -> None:
    done = kept("runs", "export", "last", "-o", "/dev/full")
    assert (done.status, done.out) == (74, "")
    assert "/dev/full: No space left on device" in done.err
    assert Path("/dev/full").is_char_device()


def test_an_ending_that_names_no_format_is_refused(kept: Any, tmp_path: Path) -> None:
    done = kept("runs", "export", "last", "-o", "rows.xlsx")
    assert done.status == 2 and ".xlsx names no format" in done.err
    assert not (tmp_path / "rows.xlsx").exists()
    assert kept("runs", "export", "last", "-o", "rows.txt", "--format", "json").status == 0
