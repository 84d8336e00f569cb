"""Input made to take all memory or time: every reader gives up, or goes on, within bounds that do not depend on it."""

from __future__ import annotations

import json
import os
import struct
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from running import ROOT

from kb.engine.readers import read
from kb.errors import SourceError
from kb.model import Profile
from tools.samples import headers, tables
from tools.samples.visual import block

SAMPLES = ROOT / "tests" / "samples"
GIANT = 10 << 30
PEAK = 96 << 20


@pytest.fixture(autouse=True)
def bounded_memory() -> Iterator[None]:
    """No test of this file may hold more than `PEAK` bytes at a time."""
    tracemalloc.start()
    yield
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < PEAK, f"{peak >> 20} MiB"


def sparse(path: Path, data: bytes) -> Path:
    """A file of ten gigabytes that takes no room on the disk: `data`, then zeros."""
    path.write_bytes(data)
    os.truncate(path, GIANT)
    return path


HEADERS = {
    "kernel_details": headers.KERNEL_DETAILS,
    "op_summary": headers.OP_SUMMARY,
    "msopprof": headers.CANN_85["PipeUtilization"],
    "api_statistic": tables.API.strip(),
    "operator_details": tables.OPERATORS.strip(),
    "task_time": tables.TASK_TIME.strip(),
    "mindspore": "full_op_name,execution_time",
    "simulator": "instr,addr,pipe,call_count,cycles,running_time(us),detail",
    "shape_statistic": tables.SHAPES.strip(),
}


@pytest.mark.parametrize("name", HEADERS)
def test_a_row_of_endless_columns(tmp_path: Path, name: str) -> None:
    path = tmp_path / "f.csv"
    path.write_bytes(HEADERS[name].encode() + b"\n" + b"1," * (2 << 20))
    with pytest.raises(SourceError, match="longer than"):
        read([path])
    path.write_bytes(HEADERS[name].encode() + b",x" * (2 << 20) + b"\n1,2\n")
    with pytest.raises(SourceError, match=r"longer than|no profile kb knows"):
        read([path])


@pytest.mark.parametrize("name", HEADERS)
def test_gigabytes_of_nothing_below_a_header(tmp_path: Path, name: str) -> None:
    with pytest.raises(SourceError, match="longer than"):
        read([sparse(tmp_path / "f.csv", HEADERS[name].encode() + b"\n" + b"1,1\n" * 8_000)])


def test_a_block_that_declares_ten_gigabytes(tmp_path: Path) -> None:
    whole = (SAMPLES / "visualize_data" / "whole-vector.bin").read_bytes()
    declared = struct.pack("<QBBBB", GIANT, 5, 0, 0x5A, 0x5A)
    (tmp_path / "short.bin").write_bytes(whole + declared)
    profile = read([tmp_path / "short.bin"])
    assert "file-cut-off" in [notice.code for notice in profile.notices]
    there = struct.pack("<QBBBB", GIANT - len(whole) - 12, 5, 0, 0x5A, 0x5A)
    assert read([sparse(tmp_path / "long.bin", whole + there)]).operators
    with pytest.raises(SourceError):
        read([sparse(tmp_path / "first.bin", struct.pack("<QBBBB", GIANT - 12, 5, 0, 0x5A, 0x5A))])


def test_a_block_of_deep_json(tmp_path: Path) -> None:
    deep = b'{"duration": 5, "advice": ' + b"[" * 500_000
    path = tmp_path / "v.bin"
    path.write_bytes(block(5, {"duration": 31.25, "op_type": "vector"}) + block(9, deep))
    assert "block-skipped" in [notice.code for notice in read([path]).notices]


DEEP: dict[str, Callable[[str], str]] = {
    "trace": lambda deep: '[{"ph": "X", "name": "a", "args": ' + deep,
    "trace in an object": lambda deep: '{"traceEvents": [{"ph": "X", "args": ' + deep,
    "simulator": lambda deep: '{"profilingType": "op", "traceEvents": [' + deep,
    "communication": lambda deep: '{"Communication Time Info": 1, "step": {"collective": {"a": ' + deep,
    "settings": lambda deep: '{"common_config": 1, "experimental_config": ' + deep,
}


@pytest.mark.parametrize("name", DEEP)
@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_deep_json(tmp_path: Path, name: str, opening: str) -> None:
    path = tmp_path / "f.json"
    path.write_text(DEEP[name](opening * 300_000))
    try:
        assert isinstance(read([path]), Profile)
    except SourceError as fault:
        assert fault.where and fault.now


@pytest.mark.parametrize(
    "start", ['[{"ph": "X"},', '{"traceEvents": [{"ph": "X"},', '{"Communication Time Info": "']
)
def test_gigabytes_of_nothing_in_json(tmp_path: Path, start: str) -> None:
    try:
        profile = read([sparse(tmp_path / "f.json", start.encode().ljust(20_000))])
    except SourceError:
        return
    assert "file-cut-off" in [notice.code for notice in profile.notices]


@pytest.mark.parametrize("mark", [b"SQLite format 3\0", b"PK\x03\x04", b"\x1f\x8b\x08", b"\x7fELF", b""])
def test_gigabytes_of_nothing_behind_a_mark(tmp_path: Path, mark: bytes) -> None:
    with pytest.raises(SourceError):
        read([sparse(tmp_path / "f", mark)])


def test_a_database_that_declares_giant_pages(tmp_path: Path) -> None:
    data = bytearray((SAMPLES / "database" / "whole.db").read_bytes())
    struct.pack_into(">I", data, 28, 0xFFFFFFFF)
    path = tmp_path / "a.db"
    path.write_bytes(bytes(data))
    try:
        assert isinstance(read([path]), Profile)
    except SourceError as fault:
        assert fault.where and fault.now


def test_a_number_of_a_million_digits(tmp_path: Path) -> None:
    digits = "7" * 900_000
    (tmp_path / "t.json").write_text(f'[{{"ph": "X", "ts": {digits}}}]')
    assert "file-cut-off" in [notice.code for notice in read([tmp_path / "t.json"]).notices]
    (tmp_path / "a.csv").write_text(tables.API + f"host,acl,aclrtMalloc,{digits},1,1,1,1,0\n")
    assert read([tmp_path / "a.csv"]).files[0].rows_lost == 1


def test_a_folder_of_loops_pipes_and_thousands_of_files(tmp_path: Path) -> None:
    inner = tmp_path / "in"
    inner.mkdir()
    (inner / "a.csv").write_bytes((SAMPLES / "op_statistic" / "whole.csv").read_bytes())
    for n in range(50):
        (inner / f"loop{n}").symlink_to(inner)
    (inner / "self").symlink_to("self")
    os.mkfifo(inner / "pipe.json")
    for n in range(300):
        (inner / f"{n}.json").write_text(json.dumps({"n": n}))
    profile = read([tmp_path])
    codes = [notice.code for notice in profile.notices]
    assert codes.count("link-skipped") == 51 and codes.count("file-skipped") == 1
