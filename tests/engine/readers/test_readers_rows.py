"""Streaming rows: the csv rules line by line, and what a cut or hostile file does."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.engine.readers import rows
from kb.engine.readers.rows import Rows, split
from kb.errors import SourceError


@given(st.lists(st.text(alphabet='ab,";\t é', max_size=12), min_size=1, max_size=8))
def test_split_reads_what_csv_writes(cells: list[str]) -> None:
    line = ",".join('"' + c.replace('"', '""') + '"' if {",", '"'} & set(c) else c for c in cells)
    if line:
        assert split(line) == cells


@given(st.text(alphabet='a1,"', min_size=1, max_size=40))
def test_split_follows_the_csv_rules_on_any_line(line: str) -> None:
    assert split(line) == next(csv.reader([line]))


def test_shapes_keep_their_own_quotes() -> None:
    assert split('a,"""1024,64;;64""",ND,"""""",x') == ["a", '"1024,64;;64"', "ND", '""', "x"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_blank_lines_and_byte_order_mark(tmp_path: Path, end: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(("\ufeff" + end + " a ,b" + end + "1,2" + end + end + "3,4" + end).encode())
    table = Rows(path)
    assert table.header == ("a", "b")
    assert list(table) == [["1", "2"], ["3", "4"]]
    assert not table.unfinished


def test_a_last_line_without_end_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n3")
    table = Rows(path)
    assert list(table) == [["1", "2"], ["3"]] and table.unfinished


@given(lines=st.lists(st.text(alphabet="ab,1 ", max_size=30), max_size=30), chunk=st.integers(1, 20))
def test_chunks_do_not_show(lines: list[str], chunk: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("rows") / "t.csv"
    path.write_text("h\n" + "".join(f"{line}\n" for line in lines))
    whole, rows.CHUNK = rows.CHUNK, chunk
    try:
        assert list(Rows(path).lines()) == lines
    finally:
        rows.CHUNK = whole


def test_a_line_without_end_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n1,2\n" + b"," * (rows.LONGEST_LINE + rows.CHUNK + 10))
    with pytest.raises(SourceError, match="longer than a megabyte") as caught:
        list(Rows(path))
    assert caught.value.where.endswith("t.csv:3")


def test_bytes_that_are_no_utf8_do_not_stop_the_reading(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n\xff\xfe1,2\n")
    assert next(iter(Rows(path)))[1] == "2"


def test_a_lost_quote_costs_one_row(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('a,b\n"1,2\n3,4\n')
    assert list(Rows(path)) == [["1,2"], ["3", "4"]]
