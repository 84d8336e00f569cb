"""Where the index lies: built when needed, fresh, damaged files replaced, foreign files left alone, many at once."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from search_samples import ENTRIES, make_root

from kb import shipped
from kb.errors import KnowledgeError
from kb.knowledge import embed, freshness, index, search, store


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A small knowledge base with its own cache folder."""
    folder = make_root(tmp_path / "data")
    monkeypatch.setattr(shipped, "root", lambda: folder)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("KB_INDEX", raising=False)
    store.close()
    yield folder
    store.close()


def _cached(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "cache" / "kb").glob("*.db"))


def test_the_index_is_built_once_into_the_cache(root: Path, tmp_path: Path) -> None:
    assert store.index().size == len(ENTRIES)
    (path,) = _cached(tmp_path)
    before = path.stat().st_mtime_ns
    store.close()
    assert store.index().size == len(ENTRIES)
    assert path.stat().st_mtime_ns == before


def test_a_changed_entry_is_seen(root: Path) -> None:
    assert not search.search("zirconium").results[0].parts["matched"]
    store.close()
    path = root / "tips" / "log-ez9999.md"
    path.write_text(
        path.read_text(encoding="utf-8").replace("EZ9999 in the log", "Zirconium in the log"),
        encoding="utf-8",
    )
    assert search.search("zirconium").results[0].id == "log-ez9999"


@pytest.mark.parametrize("damage", ["head", "tail", "empty", "text"])
def test_a_damaged_cache_is_built_anew(root: Path, tmp_path: Path, damage: str) -> None:
    store.index()
    (path,) = _cached(tmp_path)
    store.close()
    whole = path.read_bytes()
    spoiled = {
        "head": b"\0" * 4096 + whole[4096:],
        "tail": whole[:8192] + b"\xff" * (len(whole) - 8192),
        "empty": b"",
        "text": b"not a database",
    }
    path.write_bytes(spoiled[damage])
    assert search.search("tiling of MatMul").results[0].id == "matmul-tiling"
    assert search.search("tiling of MatMul").results[0].id == "matmul-tiling"


def test_entries_of_a_damaged_cache_are_read_all_the_same(root: Path, tmp_path: Path) -> None:
    """The head is whole, so the file opens; the entries behind it are not."""
    store.index()
    (path,) = _cached(tmp_path)
    for read in (
        store.load_entries,
        lambda: store.record_of("matmul-tiling"),
        lambda: search.similar("matmul-tiling"),
    ):
        store.close()
        whole = path.read_bytes()
        path.write_bytes(whole[:8192] + b"\xff" * (len(whole) - 8192))
        assert read()


def test_a_full_disk_is_no_obstacle(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(index, "build", full)
    assert store.index().where == ":memory:"
    assert store.index().db.execute("PRAGMA temp_store").fetchone() == (2,)  # nothing of it on the disk
    assert search.search("tiling of MatMul").results[0].id == "matmul-tiling"
    store.close()
    monkeypatch.setenv("KB_INDEX", str(tmp_path / "index.db"))
    with pytest.raises(KnowledgeError, match="disk is full"):
        store.index()


def test_a_cache_that_cannot_be_written_is_no_obstacle(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert search.search("tiling of MatMul").results[0].id == "matmul-tiling"
    assert len(list(tmp_path.glob("kb-*/index-*.db"))) == 1
    store.close()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "file"))
    assert store.index().where == ":memory:"
    assert search.search("tiling of MatMul").results[0].id == "matmul-tiling"


def test_a_temporary_folder_of_somebody_else_is_not_trusted(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (tmp_path / f"kb-{os.getuid()}").symlink_to(theirs)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert store.index().where == ":memory:"
    assert list(theirs.iterdir()) == []


def test_a_read_only_index_that_is_fresh_is_used_without_writing(root: Path, tmp_path: Path) -> None:
    store.index()
    (path,) = _cached(tmp_path)
    store.close()
    for item in path.parent.iterdir():
        if item != path:
            item.unlink()
    assert store.index().where == str(path)
    assert list(path.parent.iterdir()) == [path]


def test_kb_index_names_the_file(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mine" / "index.db"
    monkeypatch.setenv("KB_INDEX", str(path))
    assert store.index().where == str(path)
    assert _cached(tmp_path) == []


def test_a_foreign_file_named_by_kb_index_is_left_alone(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("my notes")
    monkeypatch.setenv("KB_INDEX", str(path))
    with pytest.raises(KnowledgeError, match="no search index"):
        store.index()
    assert path.read_text() == "my notes"
    monkeypatch.setenv("KB_INDEX", str(path / "below" / "index.db"))
    with pytest.raises(KnowledgeError, match="cannot be written"):
        store.index()


def test_a_shipped_index_is_used_while_it_fits(root: Path, tmp_path: Path) -> None:
    mark = freshness.fingerprint(root, times=False)
    index.build(ENTRIES, root / "index.db", embed.Embedder(embed.shipped_model()), fingerprint=mark)
    assert store.index().where == str(root / "index.db")
    store.close()
    (root / "tips" / "log-ez9999.md").unlink()
    assert store.index().size == len(ENTRIES) - 1
    assert len(_cached(tmp_path)) == 1


_SEARCH = """
import sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from kb import shipped
shipped.root = lambda: Path({root!r})
from kb.knowledge.search import search
print(search("tiling of MatMul").results[0].id)
"""


def test_many_processes_may_build_at_once(root: Path, tmp_path: Path) -> None:
    code = _SEARCH.format(tests=str(Path(__file__).parent), root=str(root))
    environment = os.environ | {
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
        )
        for _ in range(4)
    ]
    said = [process.communicate(timeout=120) for process in running]
    assert [out.decode().strip() for out, _ in said] == ["matmul-tiling"] * 4, said
    assert len(_cached(tmp_path)) == 1
    assert not list((tmp_path / "cache" / "kb").glob(".index*"))


def test_a_damaged_shipped_index_is_replaced_once(root: Path, tmp_path: Path) -> None:
    """The file opens, what lies behind its head does not read: the fresh one in the cache is read from then on."""
    mark = freshness.fingerprint(root, times=False)
    path = root / "index.db"
    index.build(ENTRIES, path, embed.Embedder(embed.shipped_model()), fingerprint=mark)
    whole = path.read_bytes()
    path.write_bytes(whole[:8192] + b"\xff" * (len(whole) - 8192))
    assert search.search("tiling of MatMul").results[0].id == "matmul-tiling"
    (made,) = _cached(tmp_path)
    before = made.stat().st_mtime_ns
    for _ in range(2):
        store.close()
        assert store.index().where == str(made)
        assert search.search("tiling of MatMul").results[0].id == "matmul-tiling"
    assert made.stat().st_mtime_ns == before


def test_an_index_made_on_demand_is_read_in_place_of_the_shipped_one(root: Path, tmp_path: Path) -> None:
    mark = freshness.fingerprint(root, times=False)
    index.build(ENTRIES, root / "index.db", embed.Embedder(embed.shipped_model()), fingerprint=mark)
    store.rebuilt()
    (made,) = _cached(tmp_path)
    store.close()
    assert store.index().where == str(made)
    store.close()
    (root / "tips" / "log-ez9999.md").unlink()  # stale now, both of them
    assert store.index().size == len(ENTRIES) - 1


def test_entries_are_made_once_an_index(root: Path) -> None:
    first = store.load_entries()
    again = store.load_entries()
    assert again == first and again is not first
    assert all(again[name] is entry for name, entry in first.items())
    first.clear()  # what a caller does with his dictionary is his
    assert len(store.load_entries()) == len(ENTRIES)
    store.close()
    (root / "tips" / "log-ez9999.md").unlink()
    assert len(store.load_entries()) == len(ENTRIES) - 1
