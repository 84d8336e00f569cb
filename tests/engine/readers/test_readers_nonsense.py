"""Numbers that no device measured: a time of 1e300 us, inf, nan, less than zero. They cost their row, and it is said."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import mutants
import pytest
from running import ROOT

from kb.engine.readers import job, read, readers
from kb.errors import KbError

SAMPLES = ROOT / "tests" / "samples"
FOUND = [
    path
    for path in mutants.samples(SAMPLES, [reader.NAME for reader in readers()])
    if path.is_dir() or path.suffix != ".db"
]
NONSENSE = ("1e300", "inf", "-inf", "nan", "-7", "1e18", "0x10", "1_000")
_NUMBER = re.compile(r"(?<=[,\t:\s])-?\d+(?:\.\d+)?(?=[,\t\s}\]]|$)", re.MULTILINE)


def damaged(path: Path, word: str, every: int) -> bool:
    """Put the word in place of every so many-th number below the first line."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return False
    head, mark, body = text.partition("\n") if path.suffix == ".csv" else ("", "", text)
    seen = iter(range(1 << 30))
    changed = _NUMBER.sub(lambda found: word if next(seen) % every == every - 1 else found[0], body)
    path.write_text(head + mark + changed, encoding="utf-8")
    return changed != body


@pytest.mark.parametrize("word", NONSENSE)
@pytest.mark.parametrize("sample", FOUND, ids=lambda path: path.relative_to(SAMPLES).as_posix())
def test_nonsense(tmp_path: Path, sample: Path, word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for every in (1, 3, 7):
        target = tmp_path / str(every) / sample.name
        target.parent.mkdir()
        if sample.is_dir():
            shutil.copytree(sample, target)
        else:
            shutil.copyfile(sample, target)
        for path in [target] if target.is_file() else sorted(target.rglob("*")):
            if path.is_file():
                damaged(path, word, every)
        for large in (0, 1 << 60):  # both ways of reading a table
            monkeypatch.setattr(job, "LARGE", large)
            mutants.outcome(target)


HEADER = "Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Dim,aicore_time(us)\n"
GOOD = "a,MatMul,AI_CORE,1000.000\t,50.0,1.0,20,40.0\n"


@pytest.mark.parametrize("word", ["1e300", "inf", "-inf", "-7", "1e18", "0x10", "1_000", "nan", ""])
@pytest.mark.parametrize("large", [0, 1 << 60])
def test_the_row_is_lost_and_it_is_said(
    tmp_path: Path, word: str, large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job, "LARGE", large)
    path = tmp_path / "kernel_details.csv"
    path.write_text(HEADER + GOOD * 40 + f"b,Add,AI_VECTOR_CORE,2000.000\t,{word},1.0,20,3.0\n" + GOOD)
    profile = read([path])
    assert [op.type for op in profile.operators] == ["MatMul"]
    assert (profile.files[0].rows, profile.files[0].rows_lost) == (41, 1)
    assert "rows-lost" in [notice.code for notice in profile.notices]


@pytest.mark.parametrize("word", ["1e300", "inf", "-7"])
@pytest.mark.parametrize("large", [0, 1 << 60])
def test_a_counter_beyond_all_counters_is_absent(
    tmp_path: Path, word: str, large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job, "LARGE", large)
    path = tmp_path / "kernel_details.csv"
    path.write_text(HEADER + f"b,Add,AI_VECTOR_CORE,2000.000\t,8.0,1.0,20,{word}\n" * 40)
    profile = read([path])
    (operator,) = profile.operators
    assert operator.count == 40 and not operator.counters
    (notice,) = [item for item in profile.notices if item.code == "cells-damaged"]
    assert "aicore_time(us)" in notice.text


@pytest.mark.parametrize("large", [0, 1 << 60])
def test_a_number_of_blocks_that_no_device_has_is_absent_and_it_is_said(
    tmp_path: Path, large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job, "LARGE", large)
    path = tmp_path / "kernel_details.csv"
    path.write_text(HEADER + f"b,Add,AI_VECTOR_CORE,2000.000\t,8.0,1.0,{'9' * 30},N/A\n" * 40)
    profile = read([path])
    assert profile.operators[0].block_dim is None
    (notice,) = [item for item in profile.notices if item.code == "cells-damaged"]
    assert "Block Dim" in notice.text and "aicore" not in notice.text


INFO = "Op Name,Op Type,Task Duration(us),Block Dim,Mix Block Dim,Device Id,Pid,Current Freq,Rated Freq,\n"


@pytest.mark.parametrize("word", ["1e300", "inf", "-7", "x"])
def test_a_launch_without_a_usable_time(tmp_path: Path, word: str) -> None:
    path = tmp_path / "OpBasicInfo.csv"
    path.write_text(INFO + f"Add,vector,{word},8,NA,0,1,1800,1800,\n")
    with pytest.raises(KbError, match="none holds a duration"):
        read([path])
    path.write_text(path.read_text() + "Add,vector,12.5,-3,NA,0,1,1e300,-1,\n")
    profile = read([path])
    (operator,) = profile.operators
    assert (operator.duration.value, operator.block_dim, operator.clock_mhz, operator.rated_clock_mhz) == (
        12.5, None, None, None,
    )  # fmt: skip
    assert "rows-lost" in [notice.code for notice in profile.notices]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ('"My\nOp<a,\nb>"', "My Op<a, b>"),
        ('"My\r\nOp"', "My Op"),
        ("My\nOp_x", "My Op_x"),
        ("a\nb\nc\nd", "a b c d"),
        ("plain", "plain"),
    ],
)
def test_an_operator_name_of_several_lines(tmp_path: Path, name: str, expected: str) -> None:
    path = tmp_path / "OpBasicInfo.csv"
    path.write_text(INFO + f"{name},vector,12.5,8,NA,0,1,1800,1800,\n", newline="")
    profile = read([path])
    (operator,) = profile.operators
    assert (operator.name, operator.duration.value, operator.block_dim) == (expected, 12.5, 8)
    assert (profile.files[0].rows, profile.files[0].rows_lost) == (1, 0)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
def test_wide_text_is_named_with_its_mend(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "kernel_details.csv"
    path.write_bytes((HEADER + GOOD).encode(encoding))
    name = encoding.upper().replace("-LE", "LE").replace("-BE", "BE")
    with pytest.raises(KbError) as caught:
        read([path])
    assert (
        caught.value.what == f"looks like text in {name}" and f"iconv -f {name} -t UTF-8" in caught.value.now
    )
    (tmp_path / "op_statistic.csv").write_bytes((SAMPLES / "op_statistic" / "whole.csv").read_bytes())
    (note,) = [note for note in read([tmp_path]).notices if note.code == "file-skipped"]
    assert name in note.text and "iconv" in note.text
