"""The pure-Python tokenizer splits as the reference one does."""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.knowledge import tokenizer
from kb.knowledge.embed import Embedder, shipped_model

GOLDEN = Path(__file__).with_name("tokenizer_golden.json")


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return Embedder(shipped_model())


def _golden(embedder: Embedder) -> list[tuple[str, str]]:
    told = json.loads(GOLDEN.read_text(encoding="utf-8"))
    assert told["model"] == embedder.version, (
        "the golden file belongs to another model: `make model` writes both"
    )
    return [(text, digest) for text, digest in told["splits"]]


def test_a_thousand_mixed_strings_split_like_the_reference(embedder: Embedder) -> None:
    splits = _golden(embedder)
    assert len(splits) == 1000
    differ = [
        text
        for text, digest in splits
        if hashlib.blake2b("\0".join(embedder.split(text)).encode(), digest_size=6).hexdigest() != digest
    ]
    assert differ == []


@pytest.mark.model
def test_the_reference_itself_where_it_is_installed(embedder: Embedder) -> None:
    pytest.importorskip("tokenizers", reason="the reference tokenizer is not installed (extra `models`)")
    static = pytest.importorskip(
        "kb.models.static", reason="sentence-transformers is not installed (extra `models`)"
    )
    reference, _ = static.read(shipped_model())
    for text, _ in _golden(embedder):
        assert embedder.split(text) == reference.encode(text).tokens, text


def test_the_likeliest_pieces_win() -> None:
    scores = {"▁ab": -3.0, "▁a": -1.0, "b": -1.5, "c": -1.0, "bc": -2.0}
    assert tokenizer.split("▁abc", scores, -30.0) == ["▁a", "bc"]  # -3.0 beats -3.5 and -4.0


def test_unknown_characters_stay_together() -> None:
    scores = {"▁": -1.0, "x": -1.0}
    assert tokenizer.split("▁éàxß", scores, -30.0) == ["▁", "éà", "x", "ß"]


@given(st.text(max_size=60))
def test_nothing_is_lost_in_splitting(text: str) -> None:
    for word in tokenizer.words(text):
        assert word.startswith(tokenizer.SPACE)
        assert "".join(tokenizer.split(word, {}, -30.0)) == word


@given(st.text(max_size=80))
def test_any_text_has_a_vector_of_length_one_or_none(text: str) -> None:
    vector = Embedder(shipped_model()).embed(text)
    length = math.sqrt(sum(value * value for value in vector))
    assert length == 0 or math.isclose(length, 1.0, abs_tol=1e-9)
