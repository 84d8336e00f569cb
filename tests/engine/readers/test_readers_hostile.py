"""Whatever lies on disk: a Profile or a clear error, nothing else; no hang, no way out of the folder."""

from __future__ import annotations

import os
import random
import sqlite3
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from running import ROOT

from kb.engine.readers import read, readers, source
from kb.errors import KbError, SourceError
from kb.model import Profile
from tools.samples import headers

SAMPLES = ROOT / "tests" / "samples"
SEEDS = sorted(
    path
    for reader in readers()
    for path in (SAMPLES / reader.NAME).rglob("*")
    if path.is_file() and path.name != "README.txt" and path.stat().st_size < 40_000
)
NO_FIXTURE_CHECK = [HealthCheck.function_scoped_fixture]


def outcome(path: Path) -> Profile | KbError:
    try:
        return read([path])
    except KbError as fault:
        assert fault.where and fault.now, fault
        assert "Traceback" not in str(fault)
        return fault


@settings(max_examples=150, deadline=None, suppress_health_check=NO_FIXTURE_CHECK)
@given(st.binary(max_size=300))
def test_any_bytes(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "f").write_bytes(data)
    assert isinstance(outcome(tmp_path / "f"), SourceError)


@settings(max_examples=150, deadline=None, suppress_health_check=NO_FIXTURE_CHECK)
@given(
    header=st.sampled_from(
        [
            headers.KERNEL_DETAILS,
            headers.OP_SUMMARY_310P,
            headers.KERNEL_DETAILS_LEVEL0,
            *headers.CANN_85.values(),
            headers.BASIC,
        ]
    ),
    body=st.text(alphabet='0123456789.,"\n\r\tNA/E+-vectorcube;é', max_size=400),
)
def test_any_text_below_a_good_header(tmp_path: Path, header: str, body: str) -> None:
    (tmp_path / "f.csv").write_bytes(f"{header}\n{body}".encode())
    outcome(tmp_path / "f.csv")


@pytest.mark.parametrize("seed", range(4))
def test_damaged_samples(tmp_path: Path, seed: int) -> None:
    """Cuts, swaps, repeats and foreign bytes at random places of every sample."""
    dice = random.Random(seed)
    for path in SEEDS:
        data = bytearray(path.read_bytes())
        for _ in range(dice.randint(1, 4)):
            start = dice.randrange(len(data) + 1)
            end = min(len(data), start + dice.choice((1, 3, 40, 400)))
            how = dice.randrange(4)
            if how == 0:
                del data[start:end]
            elif how == 1:
                data[start:end] = dice.randbytes(end - start)
            elif how == 2:
                data[start:start] = data[start:end]
            else:
                data[start:end] = dice.choice(
                    (b'"', b",", b"\n", b"\0", b"\xff\xfe", b"99999999999999999999")
                )
        target = tmp_path / f"{seed}{path.suffix}"
        target.write_bytes(bytes(data))
        outcome(target)


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (b"", "empty"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12159\n", "Git LFS pointer"),
        (b" model name, data type, op name, start time, total time(us), device type\n", "edge NPU"),
        (b"\x7fELF" + b"x" * 50, "program"),
        ("Op Name,Op Type".encode("utf-16"), "UTF-16"),
        (b'[{"ph": "X", "name": "a", "ts": 1}]', "without a task of an Ascend device"),
        (b"op_id,num_workers,output_queue_size,x\n", "minddata_pipeline"),
        (b"Stream Id,Task Id,Hit Rate,Victim Rate,Op Name\n", "l2_cache"),
        (b"instr,addr,pipe,call_count,cycles,running_time(us),detail\n", "no row with cycles"),
        (b"a,b,c\n1,2,3\n", "begins with 'a, b, c'"),
        (b"\0\1\2\3" * 9, "binary file"),
        (b"just words", "no profile kb knows"),
        (b"SQLite format 3\0" + b"\0" * 100, "SQLite"),
    ],
)
def test_foreign_files_are_refused_by_name(tmp_path: Path, data: bytes, match: str) -> None:
    (tmp_path / "f.csv").write_bytes(data)
    for path in (tmp_path / "f.csv", tmp_path):
        with pytest.raises(SourceError, match=match) as caught:
            read([path])
        assert caught.value.exit_status == 3 and caught.value.now


def test_databases_by_their_tables(tmp_path: Path) -> None:
    path = tmp_path / "p.db"
    for statement, match in (
        ("CREATE TABLE x(a INTEGER PRIMARY KEY AUTOINCREMENT)", "no profile"),
        ("DROP TABLE x", "without a single table"),
        ("CREATE TABLE COMPUTE_TASK_INFO(a)", "lacks the tables"),
    ):
        base = sqlite3.connect(path)
        base.execute(statement)
        base.commit()
        base.close()
        with pytest.raises(SourceError, match=match):
            read([path])
    assert sorted(p.name for p in tmp_path.iterdir()) == ["p.db"]  # nothing was written beside it


def test_a_folder_names_what_it_holds_instead(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("op_id,num_workers,output_queue_size\n")
    (tmp_path / "b.csv").write_text("Stream Id,Task Id,Hit Rate,Victim Rate,Op Name\n")
    with pytest.raises(SourceError, match=r"only minddata_pipeline.*; l2_cache"):
        read([tmp_path])


def test_empty_folder_missing_path_and_nothing(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="holds no file"):
        read([tmp_path])
    with pytest.raises(SourceError, match="no such file"):
        read([tmp_path / "none"])
    with pytest.raises(SourceError, match="nothing was given"):
        read([])
    with pytest.raises(SourceError, match="not a usable path"):
        read([Path("a\0b")])


def test_permission_denied_is_said_with_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "OpBasicInfo.csv"
    path.write_text(headers.BASIC)

    def refuse(*args: object, **kwargs: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)  # root may read everything, so a mode would prove nothing
    with pytest.raises(SourceError, match="no permission") as caught:
        read([path])
    assert "chmod" in caught.value.now


def test_an_unreadable_file_beside_a_good_one_costs_only_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.csv").write_bytes((SAMPLES / "op_summary" / "odd-level0.csv").read_bytes())
    (tmp_path / "b.csv").write_text("x")
    whole = source.open_source

    def refuse(path: Path) -> source.Source:
        if path.name == "b.csv":
            raise SourceError("no permission to read", where=str(path), now="chmod")
        return whole(path)

    monkeypatch.setattr(source, "open_source", refuse)
    assert "file-skipped" in [notice.code for notice in read([tmp_path]).notices]


@pytest.mark.skipif(sys.platform == "win32", reason="no FIFO here")
def test_a_pipe_is_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "f.csv")
    with pytest.raises(SourceError, match="pipe, socket or device"):
        read([tmp_path / "f.csv"])
    (tmp_path / "g.csv").write_bytes((SAMPLES / "op_summary" / "odd-level0.csv").read_bytes())
    assert "file-skipped" in [notice.code for notice in read([tmp_path]).notices]


def test_links_inside_a_folder_lead_nowhere(tmp_path: Path) -> None:
    inside = tmp_path / "in"
    inside.mkdir()
    (inside / "a.csv").write_bytes((SAMPLES / "op_summary" / "odd-level0.csv").read_bytes())
    (inside / "loop").symlink_to(inside)
    (tmp_path / "secret.csv").write_bytes(
        (SAMPLES / "op_summary" / "whole-detector" / "op_summary_20260102030405.csv").read_bytes()
    )
    (inside / "out.csv").symlink_to(tmp_path / "secret.csv")
    profile = read([inside])
    assert [file.path for file in profile.files] == ["a.csv"]
    assert [notice.code for notice in profile.notices].count("link-skipped") == 2
    (tmp_path / "link").symlink_to(inside / "a.csv")
    assert read([tmp_path / "link"]).operators  # what the user names is followed


def test_a_walk_is_bounded_in_depth_and_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "DEEPEST", 3)
    monkeypatch.setattr(source, "MOST_FILES", 4)
    deep = tmp_path / "1" / "2" / "3" / "4"
    deep.mkdir(parents=True)
    for n in range(9):
        (tmp_path / f"{n}.csv").write_bytes((SAMPLES / "op_statistic" / "whole.csv").read_bytes())
    found = [notice.code for notice in read([tmp_path]).notices]
    assert "folder-skipped" in found and "too-many-files" in found


def test_a_walk_is_bounded_in_folders_and_says_so_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "MOST_FOLDERS", 3)
    for n in range(6):
        (tmp_path / f"{n}").mkdir()
        (tmp_path / f"{n}" / "a.csv").write_bytes((SAMPLES / "op_statistic" / "whole.csv").read_bytes())
    profile = read([tmp_path])
    assert [file.path for file in profile.files] == ["0/a.csv", "1/a.csv"]  # the folder itself is the first
    found = [notice.text for notice in profile.notices if notice.code == "too-many-files"]
    assert found == ["only the first 3 folders were looked at"]


def test_a_folder_of_all_there_is_holds_no_profile_among_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "MOST_FILES", 4)
    for n in range(9):
        (tmp_path / f"{n}.jpg").write_bytes(b"\xff\xd8\xff\xe0")
    with pytest.raises(SourceError, match="no profile among the first 4 files, and no more") as caught:
        read([tmp_path])
    assert caught.value.now == "Give the folder of the profiler run itself."


def test_a_file_without_a_size_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as /proc/kmsg, where a read waits for what comes next."""

    class Waits:
        def __enter__(self) -> Waits:
            return self

        def __exit__(self, *_: object) -> None: ...

        def read(self, _: int) -> bytes:
            raise AssertionError("this would wait for ever")

    (tmp_path / "kmsg").touch()
    monkeypatch.setattr(Path, "open", lambda *_: Waits())
    assert source.open_source(tmp_path / "kmsg").head == b""


def test_a_line_without_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_bytes(headers.KERNEL_DETAILS.encode() + b"\n" + b"1," * (1 << 20))
    with pytest.raises(SourceError, match="longer than a megabyte") as caught:
        read([path])
    assert caught.value.where.endswith(":2")


def test_the_walk_has_an_order_that_is_not_the_disk_s(tmp_path: Path) -> None:
    for name in ("b", "a", "c"):
        (tmp_path / f"{name}.csv").write_bytes((SAMPLES / "op_statistic" / "whole.csv").read_bytes())
    assert [file.path for file in read([tmp_path]).files] == ["a.csv", "b.csv", "c.csv"]
