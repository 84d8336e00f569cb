"""What the cost model cannot time, it says in words that tell what to do."""

from __future__ import annotations

import pytest

from kb.engine.estimate.classes import _walk_of
from kb.engine.estimate.load import NoLoad


@pytest.mark.parametrize(
    ("op_type", "says"),
    [
        ("CommonLSTM", "recurrent layer"),
        ("DynamicRNN", "recurrent layer"),
        ("CommonGRU", "recurrent layer"),
        ("NonMaxSuppressionV6", "depends on the data"),
        ("Frobnicate", "unknown operator type"),
    ],
)
def test_the_reason_names_what_hinders(op_type: str, says: str) -> None:
    with pytest.raises(NoLoad, match=says):
        _walk_of(op_type, op_type)
