"""Rank correlation of two lists of answers, and of two indexes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from search_samples import ENTRIES

from kb.errors import SourceError, UsageError
from kb.knowledge import chosen, index, store
from kb.knowledge.agreement import agreement, other_index, rank_correlation
from kb.knowledge.reading import Index


@pytest.mark.parametrize(
    ("one", "two", "expected"),
    [
        ("abcd", "abcd", 1.0),
        ("abcd", "dcba", -1.0),
        ("abc", "acb", 0.5),  # 1 - 6 * (1 + 1) / (3 * 8)
        ("a", "b", -1.0),  # each stands behind the other's end
        ("", "", 1.0),
        ("a", "a", 1.0),
        ("", "ab", 0.0),
    ],
)
def test_correlation_of_two_lists(one: str, two: str, expected: float) -> None:
    assert rank_correlation(list(one), list(two)) == pytest.approx(expected)
    assert rank_correlation(list(two), list(one)) == pytest.approx(expected)


def test_what_one_list_lacks_stands_behind_its_end() -> None:
    """Ranks (0, 1, 2) and (0, 2, 1): c is missing from the first, b from the second."""
    assert rank_correlation(["a", "b"], ["a", "c"]) == pytest.approx(0.5)


def _index(path: Path, count: int) -> Index:
    model = chosen.encoder(chosen.BUILTIN)
    index.build(ENTRIES[:count], path, model)
    return store.opened(path, model)


@pytest.fixture
def whole(tmp_path: Path) -> Iterator[Index]:
    found = _index(tmp_path / "whole.db", len(ENTRIES))
    yield found
    found.db.close()


def test_an_index_agrees_with_its_copy_and_less_with_a_part(whole: Index, tmp_path: Path) -> None:
    asked = ["NMS falls back", "tiling of a matrix product", "transpose"]
    for count, alike in ((len(ENTRIES), True), (2, False)):
        part = _index(tmp_path / f"{count}.db", count)
        found = agreement(whole, part, asked)
        assert found.questions == 3 and -1 <= found.lowest <= found.mean <= 1
        assert (found.same == 3 and found.lowest == 1.0) is alike
        part.db.close()


def test_nothing_to_ask_and_nothing_to_compare_with(whole: Index, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no question"):
        agreement(whole, whole, [])
    with pytest.raises(UsageError, match="agrees with itself"):
        other_index(whole.where, whole)
    broken = tmp_path / "broken.db"
    broken.write_text("no database")
    for place in (broken, tmp_path / "missing.db"):
        with pytest.raises(SourceError, match="no search index"):
            other_index(str(place), whole)
