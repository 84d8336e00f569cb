"""Shapes as exports write them, and what is no shape."""

from __future__ import annotations

import pytest

from kb.engine.readers import tensors
from kb.engine.readers.mindspore_tensors import _size


@pytest.mark.parametrize("shape", ["2\x1d", "--2", "2-", "-", "1" * 19, "2,x", "²"])
def test_what_is_no_number_is_no_axis(shape: str) -> None:
    (found,) = tensors.parse(f'"{shape},--3"', "FLOAT16", "ND")
    assert found.shape is None
    assert _size("--2") is None and _size("²") is None


def test_blanks_around_an_axis_do_not_matter() -> None:
    (found,) = tensors.parse('"2, -1 ,3"', "FLOAT16", "ND")
    assert found.shape == (2, -1, 3)
