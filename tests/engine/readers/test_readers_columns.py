"""The table of columns: complete, consistent with the vocabulary, and looked up by name in any spelling."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.engine.readers import columns
from kb.vocabulary.metrics import BY_ID
from tools.samples import headers

UNITS = {"", "1", "%", "us", "ms", "ns", "10 ns", "GiB/s", "KiB", "MB", "MHz", "cycles", "text"}
VERSIONS = {**headers.CANN_85, **headers.MSOPPROF_26}


def test_every_column_has_a_unit_and_a_table() -> None:
    for column in columns.all_columns().values():
        assert column.unit in UNITS, column
        assert column.tables and all(column.spellings), column


def test_ids_of_times_end_in_us_and_no_other() -> None:
    wrong = [c.id for c in columns.all_columns().values() if (c.unit == "us") != c.id.endswith("_us")]
    assert wrong == []


def test_a_column_that_is_a_metric_has_its_unit() -> None:
    shared = set(BY_ID) & set(columns.all_columns())
    assert {"aic_mac_ratio", "aiv_vec_time_us", "aiv_icache_miss_rate", "block_dim"} <= shared
    for name in shared:
        if BY_ID[name].kind == "number":
            assert columns.all_columns()[name].unit == BY_ID[name].unit, name


def test_no_spelling_stands_for_two_columns_of_one_table() -> None:
    seen: dict[tuple[str, str], str] = {}
    for column in columns.all_columns().values():
        for table in column.tables:
            for spelling in column.spellings:
                assert seen.setdefault((table, spelling.casefold()), column.id) == column.id


@pytest.mark.parametrize("tables", [headers.CANN_85, headers.MSOPPROF_26, headers.A310P, headers.A950])
def test_all_headers_of_msopprof_are_known_and_tell_their_table(tables: dict[str, str]) -> None:
    for table, header in tables.items():
        for cells in (header.split(","), f"{header},".split(","), header.split(",")[::-1]):
            known, unknown = columns.index(cells, table)
            assert not unknown and len(known) == len(header.split(","))
            assert columns.msopprof_table(cells) == table


@pytest.mark.parametrize(
    ("header", "table"),
    [
        (headers.OP_SUMMARY, "op_summary"),
        (headers.OP_SUMMARY_310P, "op_summary"),
        (headers.KERNEL_DETAILS, "kernel_details"),
        (headers.KERNEL_DETAILS_OLD, "kernel_details"),
        (headers.KERNEL_DETAILS_LEVEL0, "kernel_details"),
    ],
)
def test_all_headers_of_job_exports_are_known(header: str, table: str) -> None:
    known, unknown = columns.index(header.split(","), table)
    assert not unknown and len(known) == len(header.split(","))
    assert columns.msopprof_table(header.split(",")) is None


@pytest.mark.parametrize(
    ("spelling", "table", "id"),
    [
        ("aic_cube_ratio", "PipeUtilization", "aic_mac_ratio"),
        ("aic_mac_ratio", "kernel_details", "aic_mac_ratio"),
        ("mac_ratio", "op_summary", "aic_mac_ratio"),
        ("Block Num", "op_summary", "block_dim"),
        ("Block Dim", "kernel_details", "block_dim"),
        ("OP Name", "op_summary", "op_name"),
        ("Name", "kernel_details", "op_name"),
        ("Accelerator Core", "kernel_details", "task_type"),
        ("Op Type", "OpBasicInfo", "kernel_kind"),
        ("Op Type", "op_summary", "op_type"),
        ("Task Start Time", "op_summary", "start_us"),
        ("  aiv_time (us) ", "Memory", "aiv_time_us"),
        ("AIV_VEC_RATIO", "PipeUtilization", "aiv_vec_ratio"),
        ("L1_to_GM_datas(KB)(estimate)", "Memory", "l1_to_gm_datas"),
        ("task_duration_us", None, "task_duration_us"),
        ("Task Duration", None, "task_duration_us"),
    ],
)
def test_spellings(spelling: str, table: str | None, id: str) -> None:
    assert columns.lookup(spelling, table) == id


@pytest.mark.parametrize("spelling", ["aiv_time(ms)", "aiv_time(GB/s)", "speed", "", "aiv_vec_ratio(us)"])
def test_what_is_not_ours_is_unknown(spelling: str) -> None:
    assert columns.lookup(spelling, "PipeUtilization") is None


@pytest.mark.parametrize(
    "cell", ["NA", "N/A", "", "  ", "nan", "inf", "-inf", "1e999", "1_000", "12 us", "-"]
)
def test_no_number_is_absent_not_zero(cell: str) -> None:
    assert columns.number(cell) is None


@pytest.mark.parametrize(("cell", "value"), [("0", 0.0), (" 3.5\t", 3.5), ("4.29E+09", 4.29e9), ("-2", -2.0)])
def test_numbers(cell: str, value: float) -> None:
    assert columns.number(cell) == value


def test_families_are_told_by_columns_only_one_has() -> None:
    def of(tables: dict[str, str], table: str) -> set[str]:
        return set(columns.families(tables[table].split(","), table))

    assert of(headers.CANN_85, "ArithmeticUtilization") == {"atlas-a2", "atlas-a3"}
    assert of(headers.A950, "ResourceConflictRatio") == {"ascend-950"}
    assert of(headers.A310P, "PipeUtilization") == {"ascend-310p"}


@given(st.text(max_size=40))
def test_any_text_can_be_looked_up(text: str) -> None:
    found = columns.lookup(text)
    assert found is None or re.fullmatch(r"[a-z0-9_]+", found)
