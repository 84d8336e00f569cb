"""A block of lines as columns: words as codes, numbers as one matrix, start times as integers."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kb.engine.readers.columns import MISSING
from kb.engine.readers.timeline import LATEST

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

END = b"\x02"  # a cell put behind every line: where it does not come out last, the line has not the header's cells
_MARK = b"," + END + b"\n"
STAMP = 32  # bytes kept of a start time

# types, not their names, which pandas would look up for each column of each block; no categories, because pandas
# makes numbers of those that look like numbers
_WORD, _NUMBER, _STAMP, _END = np.dtype("O"), np.dtype("f8"), np.dtype(f"S{STAMP}"), np.dtype("S2")


@dataclass(frozen=True, eq=False)
class Words:
    """A column of words: a code for each line, and the word that each code stands for."""

    codes: Integers
    words: NDArray[Any]


@dataclass(frozen=True, eq=False)
class Columns:
    """What is needed of a block. `whole` says which lines have as many cells as the header."""

    words: dict[int, Words]
    numbers: Floats  # a line each; NaN where there is no number
    stamps: NDArray[np.uint8] | None  # a line each
    whole: Bools

    def __len__(self) -> int:
        return len(self.whole)

    def part(self, start: int, stop: int) -> Columns:
        """The lines from `start` to `stop`."""
        if start == 0 and stop == len(self):
            return self
        return Columns(
            {place: Words(found.codes[start:stop], found.words) for place, found in self.words.items()},
            self.numbers[start:stop],
            None if self.stamps is None else self.stamps[start:stop],
            self.whole[start:stop],
        )


class _Marked:
    """A block as pandas takes it piece by piece, `END` put behind every line; `lines` counts those given.

    A file object of bytes that is none of `io`, because those pandas decodes and encodes again. Small pieces, because
    a second copy of the block would push the first out of the cache.
    """

    def __init__(self, block: bytes | bytearray) -> None:
        self._block = block
        self._at = 0
        self.lines = 0

    def __iter__(self) -> _Marked:
        return self

    def __next__(self) -> bytes:
        raise StopIteration

    def read(self, size: int) -> bytes:
        piece = bytes(self._block[self._at : self._at + size])
        self._at += size
        marked = piece.replace(b"\n", _MARK)
        self.lines += (len(marked) - len(piece)) // (len(_MARK) - 1)
        return marked


def parse(
    block: bytes | bytearray, width: int, words: Collection[int], numbers: Sequence[int], stamp: int | None
) -> Columns | None:
    """The columns of a block of lines of `width` cells; None when it holds what the csv rules of pandas and ours
    might read differently, or no number where one should be.

    Args:
        block: lines that end in a line feed each.
        width: number of cells of a whole line.
        words: places of columns of words.
        numbers: places of columns of numbers.
        stamp: place of the start time.
    """
    if END in block or b"\0" in block:
        return None
    marked = _Marked(block)
    kinds: dict[int, Any] = {**dict.fromkeys(words, _WORD), **dict.fromkeys(numbers, _NUMBER)}
    if stamp is not None:
        kinds[stamp] = _STAMP
    kinds[width] = _END
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # lines with too many cells: END tells
            frame = pd.read_csv(
                cast(Any, marked),
                header=None, names=range(width + 1), usecols=list(kinds), index_col=False, dtype=kinds,
                keep_default_na=False, na_values=dict.fromkeys(numbers, MISSING),
                skip_blank_lines=False, low_memory=False, engine="c",
            )  # fmt: skip
    except (ValueError, OverflowError):
        return None
    if len(frame) != marked.lines:  # a line feed within quotes
        return None
    return Columns(
        {place: Words(*pd.factorize(frame[place].to_numpy())) for place in words},
        frame[list(numbers)].to_numpy(),
        None if stamp is None else _bytes(frame[stamp].to_numpy()),
        frame[width].to_numpy().astype(_END) == END,
    )


def _bytes(stamps: NDArray[Any]) -> NDArray[np.uint8]:
    cells = np.ascontiguousarray(stamps.astype(_STAMP))
    return cells.view(np.uint8).reshape(len(cells), STAMP)


def usual_times(stamps: NDArray[np.uint8]) -> tuple[Integers, Bools]:
    """Start times in ns of the cells that have as many digits as the first one, three of them behind the point,
    and nothing but a tab behind those; and which cells these are.
    """
    points = np.flatnonzero(stamps[0] == ord("."))
    point = int(points[0]) if len(points) else 0
    if not 0 < point <= 16:
        return np.zeros(len(stamps), dtype=np.int64), np.zeros(len(stamps), dtype=bool)
    digits = stamps[:, [*range(point), *range(point + 1, point + 4)]] - np.uint8(
        ord("0")
    )  # others wrap beyond 9
    after = stamps[:, point + 4]
    known = (digits.max(axis=1) <= 9) & (stamps[:, point] == ord(".")) & (stamps[:, point + 5] == 0)
    known &= (after == 0) | (after == ord("\t"))
    starts = np.zeros(len(stamps), dtype=np.int64)
    for column in np.ascontiguousarray(digits.T):
        starts = starts * 10 + column
    return starts, known & (starts >= 0) & (starts < LATEST)
