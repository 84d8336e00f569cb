"""Sums do not depend on the version of Python."""

from __future__ import annotations

from kb.addition import plain_sum


def test_every_sum_is_rounded_from_left_to_right() -> None:
    assert plain_sum([0.1] * 10) == 0.9999999999999999  # the builtin gives 1.0 since Python 3.12
    assert plain_sum(iter([1e16, 1.0, -1e16])) == 0.0


def test_whole_numbers_stay_whole() -> None:
    assert plain_sum([]) == 0 and isinstance(plain_sum([2**60, 1]), int)
