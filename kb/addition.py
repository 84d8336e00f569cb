"""Sums of floating-point numbers that are the same on every Python.

The builtin `sum` rounds otherwise since Python 3.12 (it carries the lost part along), so the last digit of a total, and
with it the id of a run, would depend on the interpreter.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import add


def plain_sum(values: Iterable[float]) -> float:
    """The numbers added from left to right, each sum rounded once; 0 where there are none, whole where all are."""
    return reduce(add, values, 0)
