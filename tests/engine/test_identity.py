"""What the name of an own kernel says of its work."""

from __future__ import annotations

import pytest

from kb.engine.metrics.identity import _pattern, identify


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("chunk_gated_delta_rule_fwd", "attention_linear"),
        ("linear_attention_kernel", "attention_linear"),
        ("rotary_embedding_kernel", "rope"),
        ("resize_bilinear", "pool_resize"),
        ("w8a8_matmul", "matmul"),
        ("QuantBatchMatmulV9", "quant_matmul"),
        ("alloc_extend", None),
    ],
)
def test_words_of_a_name(name: str, pattern: str | None) -> None:
    assert _pattern(name) == pattern


def test_one_word_of_many_is_no_operator() -> None:
    assert identify("moe_align_block_size") == "moe_align_block_size"
    assert identify("Cummin_kernel") == "Cummin"
