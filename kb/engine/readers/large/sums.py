"""Running sums of many groups, as arrays that grow with the number of groups."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kb.engine.readers.launches import Group, Totals

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_SPREAD = 2  # of duration and wait the extremes are kept too


class Sums:
    """Sum and number of duration, wait and counters of each group; NaN stands for a cell without a number."""

    def __init__(self, columns: int) -> None:
        self._groups: list[Group] = []
        self._place: dict[int, int] = {}
        self._sums = np.zeros((0, columns))
        self._numbers = np.zeros((0, columns), dtype=np.int64)
        self._low = np.zeros((0, _SPREAD))
        self._high = np.zeros((0, _SPREAD))

    def add(self, groups: Sequence[Group], which: Integers, cells: Floats) -> None:
        """Rows of a block: `which` of `groups` each belongs to, and its cells, a column each."""
        place = np.array([self._index(group) for group in groups], dtype=np.int64)
        self._grow()
        order = np.argsort(which.astype(np.uint16) if len(groups) < 1 << 16 else which, kind="stable")
        counts = np.bincount(which, minlength=len(groups))
        starts = np.concatenate(([0], np.cumsum(counts)[:-1]))
        cells = cells[order]
        spread = cells[:, :_SPREAD]
        # several of `groups` may be the same one, hence `at`
        np.fmin.at(self._low, place, np.fmin.reduceat(spread, starts))
        np.fmax.at(self._high, place, np.fmax.reduceat(spread, starts))
        absent = np.isnan(cells)
        if absent.any():
            np.add.at(self._numbers, place, np.add.reduceat(~absent, starts, dtype=np.int64))
            cells[absent] = 0.0
        else:
            np.add.at(self._numbers, place, counts[:, np.newaxis])
        np.add.at(self._sums, place, np.add.reduceat(cells, starts))

    def hand_over(self) -> None:
        """Put all sums into the groups they belong to."""
        for k, group in enumerate(self._groups):
            sums, numbers = self._sums[k].tolist(), self._numbers[k].tolist()
            low, high = self._low[k].tolist(), self._high[k].tolist()
            group.add(
                Totals(numbers[0], sums[0], low[0], high[0]),
                Totals(numbers[1], sums[1], low[1], high[1]),
                sums[_SPREAD:],
                numbers[_SPREAD:],
            )

    def _index(self, group: Group) -> int:
        found = self._place.get(id(group))
        if found is None:
            found = self._place[id(group)] = len(self._groups)
            self._groups.append(group)
        return found

    def _grow(self) -> None:
        more = 2 * len(self._groups) - len(self._sums)
        if more > len(self._groups):
            self._sums = np.pad(self._sums, ((0, more), (0, 0)))
            self._numbers = np.pad(self._numbers, ((0, more), (0, 0)))
            self._low = np.pad(self._low, ((0, more), (0, 0)), constant_values=np.inf)
            self._high = np.pad(self._high, ((0, more), (0, 0)), constant_values=-np.inf)
