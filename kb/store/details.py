"""The parts of a report that are kept as rows, so that they can be asked for across runs."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Detail:
    """A table of details: its columns with their types, and how an item of the report becomes a row."""

    columns: Mapping[str, type]
    row: Callable[[Mapping[str, Any]], Row]


def _operator(item: Mapping[str, Any]) -> Row:
    return {key: item.get(key) for key in ("type", "name", "core", "shapes", "count", "time_us")}


def _finding(item: Mapping[str, Any]) -> Row:
    keys = ("id", "pattern", "scope", "share", "confidence", "headroom", "summary")
    return {("finding" if key == "id" else key): item.get(key) for key in keys}


def _recommendation(item: Mapping[str, Any]) -> Row:
    gain = item.get("gain", {})
    return {
        "entry": item.get("id"),
        "kind": item.get("kind"),
        "title": item.get("title"),
        "finding": item.get("finding"),
        "gain_low": gain.get("low"),
        "gain_likely": gain.get("likely"),
        "gain_high": gain.get("high"),
        "gain_of": gain.get("of"),
        "basis": gain.get("basis"),
    }


DETAILS: dict[str, Detail] = {
    "operators": Detail(
        {"type": str, "name": str, "core": str, "shapes": str, "count": int, "time_us": float}, _operator
    ),
    "findings": Detail(
        {
            "finding": str, "pattern": str, "scope": str, "share": float, "confidence": float, "headroom": float,
            "summary": str,
        },
        _finding,
    ),
    "recommendations": Detail(
        {
            "entry": str, "kind": str, "title": str, "finding": str, "gain_low": float, "gain_likely": float,
            "gain_high": float, "gain_of": str, "basis": str,
        },
        _recommendation,
    ),
}  # fmt: skip


def fill(connection: sqlite3.Connection, table: str, run: str, document: str) -> None:
    """Put the rows of one run into one table of details, in place of those it had."""
    detail = DETAILS[table]
    columns = ("run", "position", *detail.columns)
    marks = ", ".join(f":{column}" for column in columns)
    items = json.loads(document).get(table, [])
    rows = [{"run": run, "position": at} | detail.row(item) for at, item in enumerate(items, 1)]
    connection.execute(f"delete from {table} where run = ?", [run])  # noqa: S608 - a name of DETAILS
    connection.executemany(f"insert into {table} ({', '.join(columns)}) values ({marks})", rows)  # noqa: S608
