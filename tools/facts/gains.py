"""Figures of the facts -> published gains as fractions of time saved."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from kb.model import Grade, PublishedGain

RATES = re.compile(r"^(fps|TFLOPS|TPS|tps|tokens/s.*|img/s|req/s|seq/s|samples/s.*|relative speed|x)$")
GRADES: dict[str, Grade] = {
    "measured-by-vendor-doc": "vendor",
    "measured-by-third-party": "third-party",
    "stated-without-measurement": "stated",
    "general-practice": "practice",
    "vendor-measured": "vendor",
    "third-party-measured": "third-party",
    "stated": "stated",
}


def published(
    rows: Iterable[dict[str, Any]], grade: Grade, chip: str, of: str = "operator"
) -> tuple[PublishedGain, ...]:
    """Rows of the gain tables; `chip` and `of` are what a row that says nothing refers to."""
    return tuple(_one(row, grade, chip, of) for row in rows)


def saved_fraction(before: float, after: float, unit: str) -> float:
    """Fraction of time saved; for a rate the time is its inverse."""
    saved = 1 - (before / after if RATES.match(unit) else after / before)
    return round(saved, 4)


def _one(row: dict[str, Any], grade: Grade, chip: str, of: str) -> PublishedGain:
    low, high = _range(row)
    return PublishedGain(
        saved_low=low,
        saved_high=high,
        of=row.get("of", of),
        before=_text(row.get("before")),
        after=_text(row.get("after")),
        unit=row.get("unit", ""),
        shapes=row.get("shapes", ""),
        chip=row.get("chip", chip),
        version=row.get("version", ""),
        grade=row.get("grade", grade),
        note=row.get("note", ""),
    )


def _range(row: dict[str, Any]) -> tuple[float | None, float | None]:
    saved = row.get("saved")
    if isinstance(saved, list):
        return float(saved[0]), float(saved[1])
    if saved is not None:
        return float(saved), float(saved)
    before, after = row.get("before"), row.get("after")
    if isinstance(before, (int, float)) and isinstance(after, (int, float)):
        value = saved_fraction(before, after, row.get("unit", ""))
        return value, value
    return None, None


def _text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return "" if value is None else str(value)
