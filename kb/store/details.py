"""The parts of a report that are kept as rows, so that they can be asked for across runs.

All of them are derived from the document of the run: they can be thrown away and filled again. Columns with their
meaning stand here once; the tables, the exports and docs/database.md are made from them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kb.postgres.protocol import Connection
from kb.vocabulary.metrics import BY_ID

Row = dict[str, Any]
Document = Mapping[str, Any]
COUNTED = 200  # operators of a run, those with the most time, whose readings are kept as rows


@dataclass(frozen=True, slots=True)
class Column:
    """A column: what it holds, and its type."""

    name: str
    kind: type
    what: str


@dataclass(frozen=True, slots=True)
class Detail:
    """A table of details: what a row is, its columns, and how a document becomes rows."""

    what: str
    columns: tuple[Column, ...]
    rows: Callable[[Document], Iterable[Row]]


def _items(document: Document, key: str) -> list[Row]:
    found = document.get(key)
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def _pick(item: Mapping[str, Any], *names: str) -> Row:
    return {name: item.get(name) for name in names}


def _operators(document: Document) -> list[Row]:
    """All operators that were measured; of runs kept before they were, the longest ones that the report names."""
    measured = _items(document, "measured")
    if not measured:
        return [
            _pick(item, "type", "name", "core", "shapes", "count", "time_us")
            for item in _items(document, "operators")
        ]
    names = ("type", "name", "core", "shapes", "dtypes", "formats", "count", "mean_us", "low_us", "high_us", "block_dim", "clock_mhz")  # fmt: skip
    return [_pick(item, *names) | {"time_us": item.get("total_us")} for item in measured]


def _counters(document: Document) -> Iterable[Row]:
    for at, item in enumerate(_items(document, "measured")[:COUNTED], 1):
        for metric, value in (item.get("readings") or {}).items():
            known = BY_ID.get(metric)
            unit = known.unit if known else None
            yield {"operator": at, "metric": metric, "value": value, "unit": unit}


def _finding(item: Row) -> Row:
    names = ("pattern", "scope", "base", "share", "confidence", "headroom", "parent", "summary")
    return {"finding": item.get("id")} | _pick(item, *names)


def _reading(item: Mapping[str, Any]) -> Row:
    value = item.get("value")
    number = isinstance(value, (int, float))
    return {
        "metric": item.get("metric"),
        "value": value if number else None,
        "word": None if number else value,
        "unit": item.get("unit"),
        "threshold": item.get("limit") or None,
        "source": item.get("source"),
    }


def _of_findings(document: Document, key: str) -> Iterable[tuple[Row, Row]]:
    for finding in _items(document, "findings"):
        for item in _items(finding, key):
            yield finding, item


def _recommendation(item: Row) -> Row:
    gain = item.get("gain") or {}
    return _pick(item, "kind", "title", "finding", "who", "effort") | {
        "entry": item.get("id"),
        "gain_low": gain.get("low"),
        "gain_likely": gain.get("likely"),
        "gain_high": gain.get("high"),
        "gain_of": gain.get("of"),
        "basis": gain.get("basis"),
        "verify": item.get("check"),
        "when_not": item.get("when_not"),
    }


def _ranks(document: Document) -> Iterable[Row]:
    """Where the time of each rank went, and by how much those stand out that are named for it."""
    job = document.get("job")
    if not isinstance(job, dict):
        return
    over = {item.get("name"): item.get("over") for item in _items(job, "slow")}
    held = {item.get("name"): item.get("idle_share") for item in _items(job, "held_up")}
    for item in _items(job, "ranks"):
        name = item.get("name")
        times = _pick(item, "span_us", "compute_us", "communication_us", "exposed_us", "idle_us")
        yield {"name": name, **times, "slower": over.get(name), "held_up": held.get(name)}


_NAME = Column("name", str, "name of the kernel, as the profiler prints it")
_TYPE = Column("type", str, "operator type; empty where the profile does not say")
_CORE = Column("core", str, "vector, cube, mix, fused, ai_cpu, communication, dsa, dvpp, other or unknown")
_METRIC = Column("metric", str, "id of the metric (kb.vocabulary.metrics)")
_FINDING = Column("finding", str, "id of the finding in the report")
_READING = (
    _METRIC,
    Column("value", float, "the reading, where it is a number"),
    Column("word", str, "the reading, where it is a word"),
    Column("unit", str, "unit of the reading; 1 is a fraction of one"),
    Column("threshold", str, "what it was held against"),
    Column("source", str, "file and column, or formula; for the limit where it comes from"),
)

DETAILS: dict[str, Detail] = {
    "operators": Detail(
        "a group of equal launches: same type, core, shapes, dtypes and formats; by falling time",
        (
            _TYPE,
            _NAME,
            _CORE,
            Column("shapes", str, "shapes of the inputs"),
            Column("dtypes", str, "dtypes of the inputs"),
            Column("formats", str, "formats of the inputs"),
            Column("count", int, "launches"),
            Column("time_us", float, "microseconds of all its launches"),
            Column("mean_us", float, "microseconds a launch, mean"),
            Column("low_us", float, "the shortest launch, where there are several"),
            Column("high_us", float, "the longest launch, where there are several"),
            Column("block_dim", int, "blocks launched"),
            Column("clock_mhz", float, "clock while it ran"),
        ),
        _operators,
    ),
    "counters": Detail(
        f"a reading of an operator, for the {COUNTED} with the most time",
        (
            Column("operator", int, "position of the operator in `operators`"),
            _METRIC,
            Column("value", float, "the reading"),
            Column("unit", str, "unit of the reading; 1 is a fraction of one"),
        ),
        _counters,
    ),
    "findings": Detail(
        "a bottleneck that holds, by falling share",
        (
            _FINDING,
            Column("pattern", str, "id of the bottleneck: `kb explain` tells more"),
            Column("scope", str, "run or operator"),
            Column("base", str, "what share and headroom are parts of: run, or elapsed (idle time included)"),
            Column("share", float, "part of the run's time spent in the operators concerned"),
            Column("confidence", float, "a rule's confidence, no probability"),
            Column("headroom", float, "part of their own time that could at most be won"),
            Column("parent", str, "a bottleneck that must hold before this one counts"),
            Column("summary", str, "one sentence"),
        ),
        lambda document: map(_finding, _items(document, "findings")),
    ),
    "finding_operators": Detail(
        "an operator that a finding names",
        (_FINDING, _TYPE, _NAME, _CORE, Column("shapes", str, "shapes of the inputs"),
         Column("count", int, "launches"), Column("time_us", float, "microseconds of all its launches")),
        lambda document: (
            {"finding": finding.get("id")} | _pick(item, "type", "name", "core", "shapes", "count", "time_us")
            for finding, item in _of_findings(document, "operators")
        ),
    ),
    "evidence": Detail(
        "a reading that supports a finding",
        (_FINDING, *_READING),
        lambda document: (
            {"finding": finding.get("id")} | _reading(item)
            for finding, item in _of_findings(document, "evidence")
        ),
    ),
    "recommendations": Detail(
        "a piece of advice, best first",
        (
            Column("entry", str, "id of the entry: `kb show` prints it whole"),
            Column("kind", str, "recipe or tip"),
            Column("title", str, "title of the entry"),
            _FINDING,
            Column("gain_low", float, "fraction of time saved, low end"),
            Column("gain_likely", float, "fraction of time saved, likely"),
            Column("gain_high", float, "fraction of time saved, high end"),
            Column("gain_of", str, "what the gain is a part of: run or operator"),
            Column("basis", str, "measured, modelled or stated, and by what"),
            Column("who", str, "kernel-developer, model-developer or deployment"),
            Column("effort", str, "low, medium or high"),
            Column("verify", str, "how to see that it helped"),
            Column("when_not", str, "when not to do it"),
        ),
        lambda document: map(_recommendation, _items(document, "recommendations")),
    ),
    "not_judged": Detail(
        "a bottleneck that could not be judged",
        (
            Column("pattern", str, "id of the bottleneck"),
            Column("reason", str, "why"),
            Column("collect", str, "what brings the missing counters"),
        ),
        lambda document: (
            {"pattern": item.get("id")} | _pick(item, "reason", "collect")
            for item in _items(document, "not_judged")
        ),
    ),
    "key_data": Detail(
        "one of the most telling readings of the run",
        _READING,
        lambda document: map(_reading, _items(document, "key_data")),
    ),
    "similar_cases": Detail(
        "a case that resembles the run",
        (
            Column("entry", str, "id of the case"),
            Column("title", str, "title of the case"),
            Column("score", float, "nearness, at most 1"),
            Column("why", str, "what it shares"),
        ),
        lambda document: (
            {"entry": item.get("id")} | _pick(item, "title", "score", "why")
            for item in _items(document, "similar_cases")
        ),
    ),
    "ranks": Detail(
        "a rank of a job of several, as its files name it",
        (
            Column("name", str, "the rank"),
            Column("span_us", float, "first start to last end"),
            Column("compute_us", float, "computing"),
            Column("communication_us", float, "in collectives"),
            Column("exposed_us", float, "in collectives that no computing hides"),
            Column("idle_us", float, "neither"),
            Column("slower", float, "part of its computing by which it is slower than the median rank, where that is told of it"),
            Column("held_up", float, "part of its time that its device idles, where its host holds it up"),
        ),
        _ranks,
    ),
    "warnings": Detail(
        "something to know about the input",
        (Column("text", str, "the warning"),),
        lambda document: ({"text": str(text)} for text in document.get("warnings") or ()),
    ),
    "files": Detail(
        "a file that was read",
        (
            Column("path", str, "where it lay"),
            Column("kind", str, "table of the reader"),
            Column("rows", int, "rows used"),
            Column("rows_lost", int, "rows that were damaged"),
        ),
        lambda document: (_pick(item, "path", "kind", "rows", "rows_lost") for item in _items(document, "files")),
    ),
}  # fmt: skip


def read(text: str) -> Row:
    """A stored document; empty where it is damaged, which must not cost the others."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    return found if isinstance(found, dict) else {}


def detail_rows(table: str, run: str, document: Document) -> list[Row]:
    """The rows of one run in one table of details, numbered from 1 in `position`."""
    return [{"run": run, "position": at} | row for at, row in enumerate(DETAILS[table].rows(document), 1)]


def fill(connection: Connection, table: str, run: str, document: Document) -> None:
    """Put the rows of one run into one table of details, in place of those it had."""
    columns = ("run", "position", *(column.name for column in DETAILS[table].columns))
    marks = ", ".join(f":{column}" for column in columns)
    blank: Row = dict.fromkeys(columns)
    rows = [blank | row for row in detail_rows(table, run, document)]
    connection.execute(f"delete from {table} where run = ?", [run])  # noqa: S608 - a name of DETAILS
    connection.executemany(f"insert into {table} ({', '.join(columns)}) values ({marks})", rows)  # noqa: S608
