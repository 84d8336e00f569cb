"""analysis.db of the PyTorch profiler: step times and collectives, already added up by the tool.

It says what step_trace_time.csv and communication.json say.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from kb.addition import plain_sum
from kb.engine.readers import chip, collectives
from kb.engine.readers.collectives import Collectives
from kb.engine.readers.columns import LONGEST_US, lookup
from kb.engine.readers.source import Bundle, Source
from kb.engine.readers.sqlite_file import MAGIC, SqliteFile, quoted
from kb.engine.readers.step_trace import all_settings, in_order, rank_name
from kb.engine.readers.words import clean
from kb.errors import SourceError
from kb.model import Capture, Measure, Notice, Profile, RunTimes, SourceFile

NAME = "analysis_db"
TITLE = "step times and collectives of the PyTorch profiler as a database (analysis.db)"
FAMILY = "job"
RANK = 9
ADDS = True

MOST_ROWS = 1_000_000
_STEPS, _TIMES, _LINKS = "StepTraceTime", "CommAnalyzerTime", "CommAnalyzerBandwidth"
_PARTS = ("computing_us", "communication_exposed_us", "communication_us", "free_us")


def recognise(source: Source) -> int:
    """By the names of its tables."""
    if not source.head.startswith(MAGIC):
        return 0
    try:
        with SqliteFile(source.path, source.size) as base:
            return 90 if {_STEPS, _TIMES}.intersection(base.tables) and "TASK" not in base.tables else 0
    except (sqlite3.Error, ValueError):
        return 0


@dataclass
class _Found:
    talk: Collectives
    steps: dict[str, list[dict[str, float]]] = field(default_factory=dict)  # by rank
    files: list[SourceFile] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)


def contribute(profile: Profile, bundle: Bundle) -> Profile:
    """Waiting, transit, packets and links, and the step times where the profile has none."""
    found = _gather(bundle)
    out = collectives.add_to(profile, found.talk)
    ranks = _ranks(found)
    if out.times.span is None and len(ranks) == 1:
        (times,) = ranks.values()
        out = replace(out, times=replace(times, waiting=out.times.waiting, transit=out.times.transit))
    return replace(out, files=(*out.files, *found.files), notices=(*out.notices, *found.notices))


def read(bundle: Bundle, soc: str | None = None) -> Profile:
    """Where the time of each rank went, and its collectives.

    Raises:
        SourceError: when no row of any table can be used.
    """
    found = _gather(bundle)
    if not any(file.rows for file in found.files):
        raise SourceError(
            "looks like analysis.db but holds no step and no collective",
            where=str(bundle.of(NAME)[0].path),
            now="export the profile again",
        )
    ranks = _ranks(found)
    the_chip, chip_notices = chip.resolve(None, soc)
    profile = Profile(
        target=bundle.target,
        source=NAME,
        scope="run",
        capture=Capture("Ascend PyTorch Profiler"),
        chip=the_chip,
        operators=(),
        times=next(iter(ranks.values())) if len(ranks) == 1 else RunTimes(),
        ranks=in_order(ranks) if len(ranks) > 1 else (),
        files=tuple(found.files),
        notices=(*bundle.notices, *found.notices, *chip_notices),
    )
    return collectives.add_to(profile, found.talk)


def _gather(bundle: Bundle) -> _Found:
    sources = bundle.of(NAME)
    known = all_settings(bundle)
    found = _Found(Collectives(", ".join(bundle.label(source.path) for source in sources[:2])))
    for source in sources:
        label, rank = bundle.label(source.path), rank_name(source.path, known)
        used = 0
        try:
            with SqliteFile(source.path, source.size) as base:
                for take in (_steps, _collectives, _links):
                    used += take(base, found, rank)
        except (sqlite3.Error, ValueError) as fault:
            text = f"damaged ({clean(str(fault), 80)}); the {used} rows before it are used"
            found.notices.append(Notice("file-cut-off", text, label))
        found.files.append(SourceFile(label, NAME, used))
    return found


def _cells(base: SqliteFile, table: str) -> Iterator[dict[str, object]]:
    """The rows of a table by column id, for the columns that are known."""
    at = {found: name for name in base.tables.get(table, ()) if (found := lookup(name, table))}
    if at:
        columns = ", ".join(map(quoted, at.values()))
        for row in base.rows(f"SELECT {columns} FROM {quoted(table)} LIMIT {MOST_ROWS}"):
            yield dict(zip(at, row, strict=True))


def _steps(base: SqliteFile, found: _Found, rank: str) -> int:
    used = 0
    for cells in _cells(base, _STEPS):
        values = {name: value for name in _PARTS if (value := _amount(cells.get(name))) is not None}
        if len(values) == len(_PARTS):
            device = cells.get("device_id")
            mine = f"{rank} device {device}" if isinstance(device, int) and device else rank
            found.steps.setdefault(mine, []).append(values)
            used += 1
    return used


def _collectives(base: SqliteFile, found: _Found, rank: str) -> int:
    used = 0
    for cells in _cells(base, _TIMES):
        elapsed = _amount(cells.get("elapse_ms"))
        if elapsed is not None:
            transit, waiting = (_amount(cells.get(name)) or 0.0 for name in ("transit_ms", "waiting_ms"))
            name = str(cells.get("collective", ""))
            found.talk.call(rank, name, elapsed * 1000, transit * 1000, waiting * 1000)
            used += 1
    return used


def _links(base: SqliteFile, found: _Found, rank: str) -> int:
    """One row a packet size; size and time of the whole transfer are repeated in each."""
    used = 0
    before: tuple[object, ...] = ()
    for cells in _cells(base, _LINKS):
        transport = str(cells.get("transport", ""))[:20]
        size, spent = _amount(cells.get("transit_mb")), _amount(cells.get("transit_ms"))
        if size is None or spent is None:
            continue
        transfer = (cells.get("collective"), cells.get("group_name"), transport, size, spent)
        if transfer != before:
            found.talk.moved(transport, size, spent)
            before = transfer
        package, count = _amount(cells.get("package_mb")), _amount(cells.get("packages"))
        found.talk.packets(transport, package or 0.0, count or 0.0)
        used += 1
    return used


def _ranks(found: _Found) -> dict[str, RunTimes]:
    origin = found.talk.origin
    return {rank: _times(rows, origin) for rank, rows in found.steps.items()}


def _times(rows: list[dict[str, float]], origin: str) -> RunTimes:
    def add(what: str, *parts: str) -> Measure:
        value = plain_sum(row[part] for row in rows for part in parts)
        return Measure(value, "us", f"{origin}:{what}", n=len(rows), computed=len(parts) > 1)

    return RunTimes(
        span=add(
            "computing + communication_not_overlapped + free",
            "computing_us",
            "communication_exposed_us",
            "free_us",
        ),
        busy=add("computing + communication_not_overlapped", "computing_us", "communication_exposed_us"),
        compute=add("computing", "computing_us"),
        communication=add("communication", "communication_us"),
        exposed=add("communication_not_overlapped", "communication_exposed_us"),
        idle=add("free", "free_us"),
        steps=len(rows),
    )


def _amount(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if 0 <= value < LONGEST_US else None
