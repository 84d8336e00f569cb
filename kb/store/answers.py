"""Rows of an answer, bounded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kb.postgres.protocol import Cursor

BYTES = 64 * 1024**2  # of one value, and of all rows together


@dataclass(frozen=True, slots=True)
class Answer:
    """Rows under their columns; `cut` when there are more than the limit."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    cut: bool = False


def fetched(cursor: Cursor, most: int) -> tuple[tuple[tuple[Any, ...], ...], bool]:
    """Rows up to the limits, and whether there are more."""
    found: list[tuple[Any, ...]] = []
    size = 0
    for row in cursor:
        size += sum(len(value) for value in row if isinstance(value, (str, bytes)))
        if len(found) == most or size > BYTES:
            return tuple(found), True
        found.append(tuple(map(_plain, row)))
    return tuple(found), False


def _plain(value: Any) -> Any:
    return f"x'{value.hex()}'" if isinstance(value, bytes) else value
