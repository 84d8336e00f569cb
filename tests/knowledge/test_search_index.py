"""Building an index: whole or not at all, unchanged texts not embedded again, models never mixed."""

from __future__ import annotations

import json
import sqlite3
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from search_samples import ENTRIES

from kb import shipped
from kb.errors import KnowledgeError
from kb.knowledge import index, search, store, terms
from kb.knowledge.embed import Embedder, quantise, shipped_model, sign_bits
from kb.knowledge.entry import load_entries
from kb.model import to_dict


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return Embedder(shipped_model())


def test_only_changed_texts_are_embedded_again(tmp_path: Path, embedder: Embedder) -> None:
    path = tmp_path / "index.db"
    assert index.build(ENTRIES, path, embedder) == len(ENTRIES)
    assert index.build(ENTRIES, path, embedder, old=path) == 0
    title = replace(ENTRIES[0].title, en="Something else altogether")
    changed = (replace(ENTRIES[0], title=title), *ENTRIES[1:])
    assert index.build(changed, path, embedder, old=path) == 1
    fresh = tmp_path / "fresh.db"
    index.build(changed, fresh, embedder)
    assert _dump(path) == _dump(fresh)


def test_the_same_entries_give_the_same_index(tmp_path: Path, embedder: Embedder) -> None:
    for name in ("a.db", "b.db"):
        index.build(ENTRIES, tmp_path / name, embedder)
    assert _dump(tmp_path / "a.db") == _dump(tmp_path / "b.db")


def test_vectors_of_another_model_are_not_taken_over(tmp_path: Path, embedder: Embedder) -> None:
    path = tmp_path / "index.db"
    index.build(ENTRIES, path, embedder)
    with sqlite3.connect(path) as db:
        db.execute("UPDATE meta SET value = ? WHERE key = 'model_version'", (json.dumps("another"),))
    db.close()
    with pytest.raises(KnowledgeError, match="must not be mixed"):
        store.opened(path, embedder)
    assert index.build(ENTRIES, path, embedder, old=path) == len(ENTRIES)
    store.opened(path, embedder).db.close()


def test_a_failed_build_leaves_what_was_there(tmp_path: Path, embedder: Embedder) -> None:
    path = tmp_path / "index.db"
    index.build(ENTRIES, path, embedder)
    before = path.read_bytes()
    twice = (ENTRIES[0], ENTRIES[0])
    with pytest.raises(sqlite3.IntegrityError):
        index.build(twice, path, embedder)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["index.db"]


def test_every_entry_comes_back_as_it_was(embedder: Embedder) -> None:
    back = store.load_entries(store.in_memory(ENTRIES, embedder))
    assert tuple(back.values()) == ENTRIES


def test_an_empty_knowledge_base_answers_with_nothing(embedder: Embedder) -> None:
    found = search.search("anything", use=store.in_memory((), embedder))
    assert found.results == ()
    assert found.no_good_match


def test_stems_are_counted_once_for_all_their_forms(embedder: Embedder) -> None:
    db = store.in_memory(ENTRIES, embedder).db
    counts = dict(db.execute("SELECT term, df FROM term"))
    assert counts["copies"] == counts["copy"]
    assert counts["ez9999"] == 1


def test_bit_codes_follow_the_vectors(embedder: Embedder) -> None:
    opened = store.in_memory(ENTRIES, embedder)
    assert len(opened.codes) == len(ENTRIES)
    vector = embedder.embed(index.vector_text(ENTRIES[0]))
    asked = int.from_bytes(sign_bits(vector), "big")
    assert min(range(len(ENTRIES)), key=lambda i: (opened.codes[i] ^ asked).bit_count()) == 0


@pytest.mark.parametrize("numpy", [True, False])
def test_many_entries_give_the_rows_of_a_few_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, embedder: Embedder, numpy: bool
) -> None:
    """Batches, what FTS5 is told of them and numpy change the speed alone."""
    many = [replace(entry, id=f"{entry.id}-{n}") for n in range(4) for entry in ENTRIES]
    index.build(many, tmp_path / "one.db", embedder)
    monkeypatch.setattr(index, "BATCH", len(ENTRIES))
    monkeypatch.setattr(index, "LARGE_BATCH", 1)
    if not numpy:
        monkeypatch.setitem(sys.modules, "kb.knowledge.bulk", None)
    index.build(many, tmp_path / "more.db", embedder)
    tables = (
        "entry",
        "vector",
        "codes",
        "term",
        "means",
        "field",
        "tag",
        "meta",
        "fts_config",
        "fts_docsize",
    )
    found = []
    for name in ("one.db", "more.db"):
        db = sqlite3.connect(tmp_path / name)
        db.execute("CREATE VIRTUAL TABLE temp.held USING fts5vocab('main', 'fts', 'instance')")
        found.append([list(db.execute(f"SELECT * FROM {table}")) for table in (*tables, "temp.held")])
        db.close()
    assert found[0] == found[1]


def test_the_shipped_entries_are_indexed_as_the_plain_rules_say(embedder: Embedder) -> None:
    """What the build does at once against the same, entry by entry, by the functions that say what it means."""
    known = load_entries([shipped.root()])
    db = store.in_memory(known, embedder).db
    seen: set[str] = set()
    for n, entry in enumerate(known, 1):
        told = to_dict(entry) | {"file": Path(entry.file).relative_to(shipped.root()).as_posix()}
        text = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
        assert db.execute("SELECT id, json FROM entry WHERE n = ?", (n,)).fetchone() == (entry.id, text)
        stored = db.execute("SELECT length, vec FROM vector WHERE n = ?", (n,)).fetchone()
        assert stored == quantise(embedder.embed(index.vector_text(entry)))
        for text in index.fields(entry):
            assert terms.Written().text(text).split() == terms.terms(text)
            seen.update(terms.terms(text))
    assert seen == {term for (term,) in db.execute("SELECT term FROM term")}


def _dump(path: Path) -> list[str]:
    db = sqlite3.connect(path)
    try:
        return list(db.iterdump())
    finally:
        db.close()
