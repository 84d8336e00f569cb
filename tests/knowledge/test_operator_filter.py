"""`--op` with a name that no operator has: refused like an unknown chip, with the names that come near."""

from __future__ import annotations

import pytest

from kb import operators
from kb.commands._entries import matching
from kb.errors import UsageError
from kb.knowledge.search import search
from kb.knowledge.store import load_entries


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("MatMull", "MatMul"),
        ("FlashAttention", "FlashAttentionScore"),
        ("NMS", "NonMaxSuppression"),
        ("Sofmax", "Softmax"),
        ("zzzz", "TritonKernel stands for a kernel of your own"),
    ],
)
def test_unknown(name: str, near: str) -> None:
    with pytest.raises(UsageError) as caught:
        search("tiling", op=name)
    assert name in caught.value.what and near in caught.value.now and caught.value.where == "--op"
    with pytest.raises(UsageError):
        matching(load_entries().values(), kind=None, operator=name, soc="", bottleneck="")


@pytest.mark.parametrize(
    "name", ["MatMul", "matmulv3", "aten.mm", "aten::bmm", "torch.mm", "NonMaxSuppression", "TritonKernel"]
)
def test_known(name: str) -> None:
    operators.require(name)
    assert search("tiling", op=name) is not None


def test_every_operator_of_an_entry_can_be_asked_for() -> None:
    entries = load_entries().values()
    own = {name for entry in entries for name in entry.operators}
    for name in own:
        operators.require(name, own)
    operators.require("TeamsOwnOp", ["TeamsOwnOp"])
