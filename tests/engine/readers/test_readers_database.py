"""Databases of a profiler: the same launches as its tables, and nothing of the file's own is ever run."""

from __future__ import annotations

import random
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from running import ROOT

from kb.engine.readers import read
from kb.engine.readers.rows import split
from kb.engine.readers.source import open_source
from kb.engine.readers.sqlite_file import SqliteFile
from kb.engine.readers.table_text import line, microseconds
from kb.errors import KbError, SourceError
from kb.model import Profile

SAMPLES = ROOT / "tests" / "samples"
WHOLE = SAMPLES / "database" / "whole.db"


def changed(path: Path, *statements: str) -> Path:
    """A copy of the sample with statements run on it."""
    path.write_bytes(WHOLE.read_bytes())
    with closing(sqlite3.connect(path, isolation_level=None)) as base:
        for statement in statements:
            base.execute(statement)
    return path


def test_the_same_launches_as_the_table() -> None:
    table = read([SAMPLES / "op_summary" / "whole-detector"])
    profile = read([WHOLE])
    compute = [op for op in profile.operators if op.core != "communication"]

    def facts(operators: object) -> Counter[object]:
        return Counter(
            (
                op.type,
                op.core,
                op.count,
                round(op.total_us, 3),
                op.block_dim,
                op.inputs,
                op.outputs,
                len(op.counters),
            )
            for op in operators  # type: ignore[attr-defined]
        )

    assert facts(op for op in compute if op.core == "ai_cpu") == facts(
        op for op in table.operators if op.core == "ai_cpu"
    )
    assert [round(op.total_us, 3) for op in compute] == [round(op.total_us, 3) for op in table.operators]
    for one, other in zip(compute, table.operators, strict=True):
        assert (one.type, one.core, one.block_dim, one.inputs, one.outputs) == (
            other.type, other.core, other.block_dim, other.inputs, other.outputs,
        )  # fmt: skip
        shared = one.counters.keys() & other.counters.keys()
        assert {name: one.counters[name].value for name in shared} == pytest.approx(
            {name: other.counters[name].value for name in shared}, abs=1e-3
        )
        assert other.counters.keys() - shared <= {"cube_utilization"}  # a database does not hold it
    assert profile.times.compute == profile.times.compute and profile.times.communication
    assert profile.times.communication.value == pytest.approx(200.0)


def test_what_only_a_database_says() -> None:
    profile = read([WHOLE])
    assert (profile.capture.tool, profile.capture.tool_version) == ("Ascend PyTorch Profiler", "schema 1.2.0")
    assert profile.counters["host_sync_share"].value == pytest.approx(
        0.75
    )  # 600 of 800 us, the reset left out
    assert "from 1800 to 1650 MHz" in next(n.text for n in profile.notices if n.code == "clock-varied")


def test_an_older_schema_and_leftover_tables() -> None:
    profile = read([SAMPLES / "database" / "odd-old.db"])
    assert sum(op.count for op in profile.operators) == 9  # the table named _..._old_ is not read
    assert {op.block_dim for op in profile.operators} == {20, 40}


def test_ranks_by_what_the_files_say(tmp_path: Path) -> None:
    changed(tmp_path / "a.db")
    changed(tmp_path / "b.db", "UPDATE RANK_DEVICE_MAP SET rankId = 5")
    profile = read([tmp_path])
    assert [rank.name for rank in profile.ranks] == ["rank 3", "rank 5"]


def test_nothing_is_written(tmp_path: Path) -> None:
    path = changed(tmp_path / "a.db")
    (tmp_path / "a.db-wal").write_bytes(b"no log")
    before = path.read_bytes()
    tmp_path.chmod(0o500)
    try:
        assert "log-not-read" in [notice.code for notice in read([path]).notices]
    finally:
        tmp_path.chmod(0o700)
    assert path.read_bytes() == before and sorted(p.name for p in tmp_path.iterdir()) == ["a.db", "a.db-wal"]


def test_views_and_virtual_tables_are_not_seen(tmp_path: Path) -> None:
    endless = (
        "CREATE VIEW TASK AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "
        "SELECT x AS startNs, x AS endNs, 0 AS taskType, x AS globalTaskId FROM n"
    )
    path = changed(tmp_path / "a.db", "DROP TABLE TASK", endless)
    with pytest.raises(SourceError, match="lacks the tables"):
        read([path])
    path = changed(tmp_path / "b.db", "CREATE VIRTUAL TABLE FTS USING fts5(a)")
    with SqliteFile(path, path.stat().st_size) as base:
        assert "FTS" not in base.tables and "TASK" in base.tables


def test_generated_columns_are_not_computed(tmp_path: Path) -> None:
    path = changed(
        tmp_path / "a.db",
        "ALTER TABLE TASK DROP COLUMN taskType",
        "ALTER TABLE TASK ADD COLUMN taskType INTEGER AS (length(zeroblob(900000000))) VIRTUAL",
    )
    with pytest.raises(SourceError, match="lacks the tables"):
        read([path])


@pytest.mark.parametrize(
    "query",
    [
        "SELECT load_extension('/tmp/x')",
        "SELECT writefile('/tmp/x', 'y')",
        "ATTACH DATABASE ':memory:' AS x",
        "PRAGMA journal_mode = WAL",
        "INSERT INTO META_DATA VALUES (1, 2)",
        "CREATE TEMP TABLE x (a)",
        "SELECT zeroblob(1000000000)",
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n",
    ],
)
def test_only_reading_is_allowed(query: str) -> None:
    with SqliteFile(WHOLE, WHOLE.stat().st_size) as base, pytest.raises(sqlite3.Error):
        list(base.rows(query))


def test_a_join_that_explodes_is_ended(tmp_path: Path) -> None:
    """Three thousand tasks and as many kernels of one id would be nine million rows."""
    path = changed(
        tmp_path / "a.db",
        "UPDATE TASK SET globalTaskId = 1",
        "UPDATE COMPUTE_TASK_INFO SET globalTaskId = 1",
        *["INSERT INTO TASK SELECT * FROM TASK LIMIT 1500"] * 7,
        *["INSERT INTO COMPUTE_TASK_INFO SELECT * FROM COMPUTE_TASK_INFO LIMIT 1500"] * 7,
    )
    profile = read([path])
    notice = next(notice for notice in profile.notices if notice.code == "file-cut-off")
    assert "interrupted" in notice.text and sum(op.count for op in profile.operators) < 9_000_000


def test_cells_of_any_type(tmp_path: Path) -> None:
    """SQLite keeps whatever was put into a column: text in a time, a blob in a name, nothing in an id."""
    path = changed(
        tmp_path / "a.db",
        "UPDATE TASK SET startNs = 'soon' WHERE rowid = 1",
        "UPDATE TASK SET endNs = NULL WHERE rowid = 2",
        "UPDATE TASK SET endNs = startNs - 500 WHERE rowid = 3",
        "UPDATE TASK SET globalTaskId = X'00ff' WHERE rowid = 4",
        "UPDATE COMPUTE_TASK_INFO SET name = 1.5, blockNum = 'many' WHERE rowid = 5",
        "UPDATE TASK_PMU_INFO SET value = 'fast' WHERE rowid % 7 = 0",
        "UPDATE STRING_IDS SET value = X'ff00' WHERE rowid = 3",
        "UPDATE COMMUNICATION_OP SET startNs = 1e300",
        "UPDATE CANN_API SET endNs = 9223372036854775807",
    )
    profile = read([path])
    assert profile.files[0].rows_lost == 4 and "rows-lost" in [notice.code for notice in profile.notices]


def test_damaged_databases(tmp_path: Path) -> None:
    whole, dice = WHOLE.read_bytes(), random.Random(7)
    for n in range(60):
        data = bytearray(whole)
        for _ in range(dice.randint(1, 8)):
            place = dice.randrange(len(data))
            data[place : place + dice.choice((1, 2, 16))] = dice.randbytes(1)
        path = tmp_path / f"{n}.db"
        path.write_bytes(bytes(data))
        try:
            assert isinstance(read([path]), Profile)
        except KbError as fault:
            assert fault.where and fault.now


def test_a_database_is_known_by_its_tables_not_its_name(tmp_path: Path) -> None:
    (tmp_path / "x.bin").write_bytes(WHOLE.read_bytes())
    assert read([tmp_path / "x.bin"]).source == "database"
    assert open_source(tmp_path / "x.bin").header == ()


@pytest.mark.parametrize(
    "cells", [("a", "b"), ('say "x"', "1,2"), ("a\nb", "c\r"), ("", ""), ('"', ","), ("a\0b", "")]
)
def test_lines_made_of_cells_split_into_them(cells: tuple[str, ...]) -> None:
    harmless = str.maketrans("\n\r\0", "  \ufffd")
    assert split(line(cells)) == [cell.translate(harmless) for cell in cells]


@pytest.mark.parametrize(
    ("ns", "text"),
    [(0, "0.000"), (1736410576375315901, "1736410576375315.901"), (-500, "-0.500"), (999, "0.999")],
)
def test_times_keep_their_digits(ns: int, text: str) -> None:
    assert microseconds(ns) == text


def test_threads_of_a_block_are_not_its_number_of_blocks(tmp_path: Path) -> None:
    """950 calls the SIMT threads `blockDim`, the word that older exports use for the number of blocks."""
    path = changed(
        tmp_path / "a.db",
        "ALTER TABLE COMPUTE_TASK_INFO ADD COLUMN gridDim INTEGER",
        "ALTER TABLE COMPUTE_TASK_INFO ADD COLUMN blockDim INTEGER",
        "UPDATE COMPUTE_TASK_INFO SET gridDim = 7, blockDim = 1024",
    )
    assert [op.block_dim for op in read([path]).operators] == [op.block_dim for op in read([WHOLE]).operators]
    only = changed(tmp_path / "b.db", "ALTER TABLE COMPUTE_TASK_INFO RENAME COLUMN blockNum TO blockDim")
    assert [op.block_dim for op in read([only]).operators] == [op.block_dim for op in read([WHOLE]).operators]
