"""Splitting text into terms, and reading a query."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from search_samples import ENTRIES

from kb.knowledge import query, store, terms
from kb.knowledge.embed import Embedder, shipped_model


@pytest.fixture(scope="module")
def index() -> store.Index:
    return store.in_memory(ENTRIES, Embedder(shipped_model()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("FlashAttentionScore", ["flashattentionscore", "flash", "attention", "score"]),
        ("MatMulV2", ["matmulv2", "matmul", "mat", "mul"]),
        ("aic_mte2_ratio", ["aic_mte2_ratio", "aicmte2ratio", "aic", "mte2", "ratio", "mte"]),
        ("NC1HWC0 EZ9999 W8A8", ["nc1hwc0", "ez9999", "w8a8"]),
        ("--jit_compile=False", ["jit_compile", "jitcompile", "jit", "compile", "false"]),
        ("算子回退", ["算子", "子回", "回退"]),
        ("核", ["核"]),
        ("how to do it on 8 of the 16", []),
        ("ＡＩ　ＣＰＵ", ["ai", "cpu"]),
    ],
)
def test_terms(text: str, expected: list[str]) -> None:
    assert terms.terms(text) == expected


@given(st.text(max_size=200))
def test_terms_are_single_words_without_quotes(text: str) -> None:
    for term in terms.terms(text):
        assert term
        assert not any(char.isspace() or char in "\"'*():^" for char in term)


def _asked(index: store.Index, text: str) -> query.Query:
    return query.read(index.db, index.size, text)


def test_words_written_apart_are_tried_as_one(index: store.Index) -> None:
    assert _asked(index, "mat mul v3").also["matmulv3"] == "mat mul v3"
    assert _asked(index, "NMS With Mask").also["nmswithmask"] == "NMS With Mask"


def test_a_typing_error_is_repaired_only_where_the_word_is_unknown(index: store.Index) -> None:
    assert _asked(index, "tilling of the cube").also["tiling"] == "tilling"
    assert _asked(index, "tilnig of the cube").also["tiling"] == "tilnig"
    assert "tiling" not in _asked(index, "tiling of the cube").also
    assert _asked(index, "EZ9998").unknown == ("EZ9998",)


def test_glossary_and_other_names_add_terms(index: store.Index) -> None:
    assert _asked(index, "切分不好").also["tiling"] == "切分"
    assert _asked(index, "タイリングが悪い").also["tiling"] == "タイリング"
    assert "nonmaxsuppression" in _asked(index, "torchvision.ops.batched_nms").also


def test_the_longest_known_word_is_taken(index: store.Index) -> None:
    assert (
        _asked(index, "在线编译").also.get("compiling") is None
    )  # the glossary says compile, the stem does the rest
    assert _asked(index, "在线编译").also["compile"] == "在线编译"


def test_what_no_entry_holds_lowers_what_can_be_reached_no_further(index: store.Index) -> None:
    known, more = _asked(index, "tiling"), _asked(index, "tiling zebra")
    assert more.reachable > known.reachable
    assert more.unknown == ("zebra",)


def test_an_endless_query_is_cut(index: store.Index) -> None:
    asked = _asked(index, " ".join(f"word{i}" for i in range(5000)))
    assert len(asked.own) <= 3 * query.MOST_TOKENS
