"""Building an index: whole or not at all, unchanged texts not embedded again, models never mixed."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from search_samples import ENTRIES

from kb.errors import KnowledgeError
from kb.knowledge import index, search, store
from kb.knowledge.embed import Embedder, shipped_model


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
    asked = int.from_bytes(index.sign_bits(vector), "big")
    assert min(range(len(ENTRIES)), key=lambda i: (opened.codes[i] ^ asked).bit_count()) == 0


def _dump(path: Path) -> list[str]:
    db = sqlite3.connect(path)
    try:
        return list(db.iterdump())
    finally:
        db.close()
