"""Archives: read like the folder they hold, bounded, never written outside, nothing left behind."""

from __future__ import annotations

import gzip
import io
import os
import random
import signal
import stat
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from running import ROOT

from kb.engine.readers import archive, read, tar
from kb.errors import SourceError
from kb.model import Profile

SAMPLES = ROOT / "tests" / "samples"
TABLE = SAMPLES / "op_summary" / "odd-level0.csv"
CAPTURE = SAMPLES / "msopprof" / "whole-vector"


@pytest.fixture(autouse=True)
def private(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for the temporary files of this test alone, so that leftovers can be seen."""
    place = tmp_path_factory.mktemp("private")
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place


def zipped(path: Path, folder: Path, top: str = "run/") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for file in sorted(folder.rglob("*")):
            out.write(file, f"{top}{file.relative_to(folder)}")
    return path


def tarred(path: Path, folder: Path, form: int) -> Path:
    with tarfile.open(path, "w:gz" if path.suffix != ".tar" else "w", format=form) as out:
        out.add(folder, "run")
    return path


MAKERS: dict[str, Callable[[Path, Path], Path]] = {
    "zip": zipped,
    "tar": lambda path, folder: tarred(path, folder, tarfile.USTAR_FORMAT),
    "tar.gz": lambda path, folder: tarred(path, folder, tarfile.GNU_FORMAT),
    "tgz": lambda path, folder: tarred(path, folder, tarfile.PAX_FORMAT),
}


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("sample", ["msopprof/whole-vector", "communication/whole-rank", "database"])
def test_an_archive_reads_like_its_folder(tmp_path: Path, kind: str, sample: str, private: Path) -> None:
    folder = SAMPLES / sample
    if sample == "database":
        folder = tmp_path / "run"
        folder.mkdir()
        (folder / "p.db").write_bytes((SAMPLES / "database" / "whole.db").read_bytes())
    made = MAKERS[kind](tmp_path / f"run.{kind}", folder)
    profile, plain = read([made]), read([folder])
    assert [(op.total_us, op.cores, op.block_dim) for op in profile.operators] == [
        (op.total_us, op.cores, op.block_dim) for op in plain.operators
    ]
    assert [file.rows for file in profile.files] == [file.rows for file in plain.files]
    assert profile.target == str(made)
    assert str(private) not in repr(profile) and list(private.iterdir()) == []


def test_a_single_table_in_gzip(tmp_path: Path) -> None:
    made = tmp_path / "op_summary.csv.gz"
    made.write_bytes(gzip.compress(TABLE.read_bytes()))
    profile, plain = read([made]), read([TABLE])
    assert [(file.path, file.rows) for file in profile.files] == [("op_summary.csv", plain.files[0].rows)]
    assert profile.operators and profile.times.span and plain.times.span
    assert profile.times.span.value == plain.times.span.value


def test_the_same_archive_gives_the_same_profile(tmp_path: Path) -> None:
    made = zipped(tmp_path / "OPPROF_1.zip", CAPTURE, top="")
    assert read([made]) == read([made])


def test_ranks_may_come_in_an_archive_each(tmp_path: Path) -> None:
    ranks = SAMPLES / "step_trace" / "whole-ranks"
    made = [zipped(tmp_path / f"{n}.zip", ranks / f"rank_{n}", f"rank_{n}/") for n in (0, 1)]
    assert [rank.name for rank in read(made).ranks] == ["rank 0", "rank 1"]


def hostile_zip(path: Path, names: dict[str, bytes], modes: dict[str, int] | None = None) -> Path:
    with zipfile.ZipFile(path, "w") as out:
        for name, data in names.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = (modes or {}).get(name, stat.S_IFREG | 0o600) << 16
            out.writestr(info, data)
    return path


def hostile_tar(path: Path, names: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w") as out:
        for name, data in names.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            out.addfile(info, io.BytesIO(data))
    return path


OUTSIDE = ("../out.csv", "a/../../out.csv", "/out.csv", "\\out.csv", "..\\out.csv", "C:\\out.csv")


@pytest.mark.parametrize("name", OUTSIDE)
@pytest.mark.parametrize("make", [hostile_zip, hostile_tar])
def test_no_name_leads_out(tmp_path: Path, name: str, make: Callable[..., Path]) -> None:
    profile = read([make(tmp_path / "a", {name: b"x", "good.csv": TABLE.read_bytes()})])
    assert [file.path for file in profile.files] == ["good.csv"]
    assert "member-skipped" in [notice.code for notice in profile.notices]
    assert not list(tmp_path.parent.rglob("out.csv")) and not Path("/out.csv").exists()


def test_links_and_devices_in_a_zip_are_left_out(tmp_path: Path) -> None:
    modes = {"link.csv": stat.S_IFLNK | 0o777, "pipe.csv": stat.S_IFIFO | 0o600}
    names = {"link.csv": b"/etc/passwd", "pipe.csv": b"", "good.csv": TABLE.read_bytes()}
    profile = read([hostile_zip(tmp_path / "a.zip", names, modes)])
    notice = next(notice for notice in profile.notices if notice.code == "member-skipped")
    assert notice.text == "2 members were left out: links or devices" and notice.file.endswith("a.zip")


def test_links_and_devices_in_a_tar_are_left_out(tmp_path: Path) -> None:
    made = tmp_path / "a.tar"
    kinds = {"l": tarfile.SYMTYPE, "h": tarfile.LNKTYPE, "p": tarfile.FIFOTYPE, "c": tarfile.CHRTYPE}
    with tarfile.open(made, "w") as out:
        for name, kind in kinds.items():
            info = tarfile.TarInfo(f"{name}.csv")
            info.type, info.linkname = kind, "/etc/passwd"
            out.addfile(info)
        out.add(TABLE, "good.csv")
    profile = read([made])
    assert [file.path for file in profile.files] == ["good.csv"]
    assert any(notice.text.startswith("4 members") for notice in profile.notices)


def test_archives_inside_are_not_opened(tmp_path: Path) -> None:
    inner = zipped(tmp_path / "inner.zip", CAPTURE)
    outer = hostile_zip(tmp_path / "outer.zip", {"inner.zip": inner.read_bytes()})
    with pytest.raises(SourceError, match="zip archive inside"):
        read([outer])
    both = hostile_zip(tmp_path / "both.zip", {"inner.zip": inner.read_bytes(), "a.csv": TABLE.read_bytes()})
    notice = next(notice for notice in read([both]).notices if notice.code == "archive-skipped")
    assert notice.file.startswith(str(both)) and notice.file.endswith("inner.zip")


def test_two_members_of_one_name(tmp_path: Path) -> None:
    made = tmp_path / "a.zip"
    with zipfile.ZipFile(made, "w") as out, pytest.warns(UserWarning, match="Duplicate"):
        out.writestr("a.csv", TABLE.read_bytes())
        out.writestr("a.csv", b"other")
        out.writestr("a.csv/b.csv", b"below a file")
    left_out = "2 members were left out: two of the same name"
    assert left_out in [notice.text for notice in read([made]).notices]


def bomb(path: Path, kind: str, size: int) -> Path:
    """Zeros that unpack to `size`."""
    chunk = b"\0" * (1 << 20)
    if kind == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out, out.open("a.csv", "w") as member:
            for _ in range(size >> 20):
                member.write(chunk)
        return path
    with gzip.open(path, "wb", compresslevel=9) as file:
        if kind != "gz":
            info = tarfile.TarInfo("a.csv")
            # a member that is not wanted costs as much time as one that is
            info.size, info.type = size, tarfile.REGTYPE if kind == "tar.gz" else tarfile.SYMTYPE
            file.write(info.tobuf(tarfile.USTAR_FORMAT))
        for _ in range(size >> 20):
            file.write(chunk)
    return path


@pytest.mark.parametrize("kind", ["zip", "gz", "tar.gz", "links.gz"])
def test_a_bomb_is_refused_and_nothing_stays(tmp_path: Path, kind: str, private: Path) -> None:
    made = bomb(tmp_path / f"a.{kind}", kind, 48 << 20)
    with pytest.raises(SourceError, match=r"more than 250 times its size|damaged") as caught:
        read([made])
    assert caught.value.where == str(made) and list(private.iterdir()) == []


@pytest.mark.parametrize("flag", [b"L", b"x"])
def test_a_header_that_declares_gigabytes_is_refused(tmp_path: Path, flag: bytes) -> None:
    info = tarfile.TarInfo("long")
    info.size, info.type = 8 << 30, flag
    made = tmp_path / "a.tar"
    made.write_bytes(info.tobuf(tarfile.GNU_FORMAT) + b"\0" * 4096)
    with pytest.raises(SourceError, match="header is too large"):
        read([made])


def test_a_member_longer_than_its_archive_is_refused(tmp_path: Path) -> None:
    info = tarfile.TarInfo("a.csv")
    info.size = 10 << 30
    made = tmp_path / "a.tar"
    made.write_bytes(info.tobuf(tarfile.GNU_FORMAT) + b"x" * 2048)
    with pytest.raises(SourceError, match="no profile kb knows"):  # its 2048 bytes were looked at
        read([made])


def test_bounds_on_bytes_and_members(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = zipped(tmp_path / "a.zip", CAPTURE)
    monkeypatch.setattr(archive, "MOST_BYTES", 1000)
    with pytest.raises(SourceError, match="unpacks to more than"):
        read([made])
    monkeypatch.undo()
    monkeypatch.setattr(archive, "MOST_MEMBERS", 3)
    with pytest.raises(SourceError, match="more than 3 members"):
        read([made])
    with pytest.raises(SourceError, match="more than 3 members"):
        read([tarred(tmp_path / "a.tar", CAPTURE, tarfile.USTAR_FORMAT)])


def test_the_directory_of_a_zip_is_measured_before_it_is_read(tmp_path: Path) -> None:
    made = zipped(tmp_path / "a.zip", CAPTURE)
    data = bytearray(made.read_bytes())
    struct.pack_into("<L", data, data.rfind(b"PK\5\6") + 12, 1 << 30)
    made.write_bytes(bytes(data))
    with pytest.raises(SourceError, match="members"):
        read([made])


@pytest.mark.parametrize("kind", MAKERS)
def test_an_archive_cut_short_gives_what_is_whole_or_is_refused(
    tmp_path: Path, kind: str, private: Path
) -> None:
    """A zip has its directory at the end; of a tar the members before the cut are used, and the loss is said."""
    made = MAKERS[kind](tmp_path / f"a.{kind}", CAPTURE)
    whole = made.read_bytes()
    made.write_bytes(whole[: len(whole) // 2])
    if kind == "zip":
        with pytest.raises(SourceError, match="directory at the end") as caught:
            read([made])
        assert caught.value.where == str(made) and caught.value.now
    else:
        assert "file-cut-off" in [notice.code for notice in read([made]).notices]
    assert list(private.iterdir()) == []


def test_errors_inside_name_the_archive(tmp_path: Path, private: Path) -> None:
    table = TABLE.read_bytes() + b"," * (2 << 20)
    made = hostile_zip(tmp_path / "a.zip", {"sub/f.csv": table})
    with pytest.raises(SourceError, match="longer than a megabyte") as caught:
        read([made])
    assert caught.value.where.startswith(f"{made}/sub/f.csv") and str(private) not in str(caught.value)


def test_the_folder_is_private_and_gone_when_asked_to_end(tmp_path: Path) -> None:
    """SIGTERM while the folder is there: nothing stays, and nobody else could look inside."""
    made = zipped(tmp_path / "a.zip", CAPTURE)
    place = tmp_path / "place"
    place.mkdir()
    program = (
        "import sys, time\nfrom pathlib import Path\nfrom kb.engine.readers import archive\n"
        "from kb.engine.readers.source import open_source\n"
        "with archive.unpacked(open_source(Path(sys.argv[1]))) as (folder, _):\n"
        "    print(oct(folder.parent.stat().st_mode & 0o777), len(list(folder.rglob('*.csv'))), flush=True)\n"
        "    time.sleep(60)\n"
    )
    env = {**os.environ, "TMPDIR": str(place), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", program, str(made)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=env, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline().split() == ["0o700", "8"]
        child.send_signal(signal.SIGTERM)
        assert child.wait() == 128 + signal.SIGTERM
    assert list(place.iterdir()) == []


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(head=st.sampled_from([b"PK\x03\x04", b"\x1f\x8b\x08", b"\x1f\x8b"]), data=st.binary(max_size=400))
def test_any_bytes_behind_the_mark_of_an_archive(tmp_path: Path, head: bytes, data: bytes) -> None:
    (tmp_path / "f").write_bytes(head + data)
    with pytest.raises(SourceError):
        read([tmp_path / "f"])


@pytest.mark.parametrize("kind", MAKERS)
def test_damaged_archives(tmp_path: Path, kind: str, private: Path) -> None:
    """Archives with a few bytes changed: a profile or an error, and no file left."""
    made = MAKERS[kind](tmp_path / f"a.{kind}", CAPTURE)
    whole, dice = made.read_bytes(), random.Random(kind)
    for _ in range(60):
        data = bytearray(whole)
        for _ in range(dice.randint(1, 4)):
            data[dice.randrange(len(data))] = dice.randrange(256)
        made.write_bytes(bytes(data))
        try:
            assert isinstance(read([made]), Profile)
        except SourceError as fault:
            assert fault.where and fault.now
    assert list(private.iterdir()) == []


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=2000))
def test_any_bytes_as_a_tar(data: bytes) -> None:
    with suppress(tar.Damaged):
        for member in tar.members(io.BytesIO(data)):
            member.read(100)


def test_folders_are_as_deep_as_a_walk_goes(tmp_path: Path) -> None:
    names = {"/".join("abcdefghijklmnop") + "/f.csv": b"x", "good.csv": TABLE.read_bytes()}
    profile = read([hostile_zip(tmp_path / "a.zip", names)])
    assert any("deeper than" in notice.text for notice in profile.notices)


@pytest.mark.parametrize("name", ["...zip", "a..zip", ".zip", "a\nb.zip", "x" * 240 + ".zip"])
def test_odd_names_of_archives(tmp_path: Path, name: str) -> None:
    made = hostile_zip(tmp_path / name, {"good.csv": TABLE.read_bytes()})
    assert [file.path for file in read([made]).files] == ["good.csv"]
