"""Outcomes as entries for other teams, and back: cases that hold figures and facts, no names and no paths.

An exported file is an ordinary entry: it can be read, validated, put into a folder of KB_DATA and searched. The rows
of `facts.results` are what `kb outcome --import` takes.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from kb import operators, shipped, targets
from kb.errors import UsageError
from kb.experience import Outcome, Result, tally
from kb.knowledge.entry import FOLDERS, MAX_BYTES, entry_files, entry_to_text, parse_file
from kb.model import Entry, PublishedGain, Text3
from kb.units import percent
from kb.vocabulary import bottlenecks

ROWS = 100  # outcomes in one file, which is read up to 64 KiB
_SHAPES = re.compile(r"(?:\d+(?:x\d+)*|scalar|-)(?:; (?:\d+(?:x\d+)*|scalar|-))*")
_WORDS = re.compile(r"[A-Za-z0-9_-]+(?:; [A-Za-z0-9_-]+)*")
_VERSION = re.compile(r"[0-9A-Za-z.<>=, ()-]{1,60}")
_ID = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)*")
_KEY = re.compile(r"[0-9a-f]{12}")
_MONTH = re.compile(r"\d{4}-\d{2}")
_RESULTS = ("faster", "slower", "within-noise")


def exported(outcomes: Iterable[Outcome], entries: Mapping[str, Entry]) -> list[Entry]:
    """An entry for each shipped remedy that was tried here.

    Outcomes of other teams are not passed on, nor those of entries that only this team has: their ids are names.
    """
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.origin == "own" and outcome.entry in entries and _shipped(entries[outcome.entry]):
            groups.setdefault(outcome.entry, []).append(outcome)
    return [
        _entry(entries[name], group[at : at + ROWS])
        for name, group in sorted(groups.items())
        for at in range(0, len(group), ROWS)
    ]


def _shipped(entry: Entry) -> bool:
    return (shipped.root() / FOLDERS[entry.kind] / f"{entry.id}.md").is_file()


def _entry(applied: Entry, group: list[Outcome]) -> Entry:
    rows = [_row(outcome) for outcome in group]
    mark = hashlib.sha256("".join(sorted(str(row["key"]) for row in rows)).encode()).hexdigest()[:8]
    tried = tally(group)
    assert tried is not None  # noqa: S101 - a group has a member
    figures = f"{tried.helped} of {tried.count}, {percent(tried.mean)} on average"
    kinds = list(dict.fromkeys(row["operator"] for row in rows if row.get("operator")))
    chips = list(dict.fromkeys(row["soc"] for row in rows if row.get("soc")))
    patterns = dict.fromkeys(row["pattern"] for row in rows if row.get("pattern") in bottlenecks.IDS)
    months = sorted({str(row["month"]) for row in rows})
    return Entry(
        id=f"outcome-{applied.id}-{mark}"[:80].rstrip("-."),
        kind="case",
        state="draft",
        family=applied.family,
        title=Text3(
            f"Outcomes of {applied.id} ({mark})", f"{applied.id} 的实际结果（{mark}）", f"{applied.id} の結果（{mark}）"
        ),
        symptom=applied.symptom,
        remedy=Text3(
            f"{applied.id} was tried; it helped in {figures}.",
            f"尝试了 {applied.id}；{tried.count} 次中有 {tried.helped} 次有效，平均节省 {percent(tried.mean)}。",
            f"{applied.id} を試した。{tried.count} 回中 {tried.helped} 回有効、平均短縮 {percent(tried.mean)}。",
        ),
        bottlenecks=tuple(patterns),
        operators=tuple(kinds),
        chips=tuple(chips),
        gains=tuple(_gain(row) for row in rows),
        grade="stated",
        sources=(
            f"own measurements of a team, exported with kb outcome; {months[0]} to {months[-1]}, {len(rows)} pairs of runs",
        ),
        facts={
            "model": {"family": "other", "variant": ", ".join(kinds) or "kernels of its own"},
            "results": rows,
        },
        cause=f"See `{applied.id}`: the remedy that was tried.",
        check="Compare your own runs before and after with `kb compare`.",
    )  # fmt: skip


def _row(outcome: Outcome) -> dict[str, Any]:
    """An outcome as a row: whatever could be a name or a path is left out."""
    known = {
        "applied": outcome.entry,
        "key": outcome.id,
        "of": outcome.of,
        "saved": outcome.saved,
        "band": outcome.band,
        "result": outcome.result,
        "month": outcome.created[:7],
        "pattern": outcome.pattern if outcome.pattern in bottlenecks.IDS else "",
        **_facts({name: getattr(outcome, name) for name in ("operator", "core", "soc", "shapes", "dtypes", "cann")}),
    }  # fmt: skip
    return {key: value for key, value in known.items() if value != ""}


def _facts(given: Mapping[str, Any]) -> dict[str, str]:
    """The facts that are of the closed kinds they should be; anything else is dropped."""
    text = {
        name: value if isinstance(value, str) and len(value) <= 300 else "" for name, value in given.items()
    }
    return {
        "operator": text["operator"] if operators.is_known(text["operator"]) else "",
        "core": text["core"] if text["core"] in ("vector", "cube", "mix", "fused", "ai_cpu") else "",
        "soc": text["soc"] if text["soc"] in {*targets.all_targets(), *targets.families()} else "",
        "shapes": text["shapes"] if _SHAPES.fullmatch(text["shapes"]) else "",
        "dtypes": text["dtypes"] if _WORDS.fullmatch(text["dtypes"]) else "",
        "cann": text["cann"] if _VERSION.fullmatch(text["cann"]) else "",
    }  # fmt: skip


def _gain(row: Mapping[str, Any]) -> PublishedGain:
    note = f"{row['result']}, noise {percent(row['band'])}"
    return PublishedGain(
        row["saved"], row["saved"], row["of"],
        shapes=row.get("shapes", ""), chip=row.get("soc", ""), version=row.get("cann", ""), grade="stated", note=note,
    )  # fmt: skip


def text_of(entry: Entry) -> str:
    """The file of an exported entry."""
    text = entry_to_text(entry)
    assert len(text.encode()) <= MAX_BYTES  # noqa: S101 - ROWS is chosen so
    return text


def imported(path: Path) -> list[Outcome]:
    """The outcomes in a file or folder that another team exported.

    Raises:
        UsageError: there is none, or a row is not what an export writes; nothing is taken then.
    """
    found: list[Outcome] = []
    for _, file in entry_files([path]):
        parsed = parse_file(file)
        rows = parsed.entry.facts.get("results") if parsed.entry else None
        if parsed.entry is None or parsed.faults:
            raise UsageError(
                "this is no entry that can be read", where=str(file), now="`kb validate` names its faults."
            )
        found += _rows(rows, str(file))
    if not found:
        raise UsageError(
            "no outcomes in here", where=str(path), now="Give what `kb outcome --export DIR` wrote."
        )
    return found


def _rows(rows: Any, where: str) -> Iterator[Outcome]:
    for at, row in enumerate(rows if isinstance(rows, list) else (), 1):
        if isinstance(row, Mapping) and "applied" in row:
            outcome = _outcome(row)
            if outcome is None:
                raise UsageError(
                    f"outcome {at} is not what an export writes", where=where, now="Ask for the file again."
                )
            yield outcome


def _outcome(row: Mapping[str, Any]) -> Outcome | None:
    saved, band = _number(row.get("saved"), -1000.0, 1.0), _number(row.get("band"), 0.0, 1000.0)
    fits = (
        _ID.fullmatch(str(row["applied"]))
        and _KEY.fullmatch(str(row.get("key")))
        and _MONTH.fullmatch(str(row.get("month")))
        and row.get("of") in ("operator", "run")
        and row.get("result") in _RESULTS
    )
    if not fits or saved is None or band is None:
        return None
    pattern = row.get("pattern", "")
    names = ("operator", "core", "soc", "shapes", "dtypes", "cann")
    return Outcome(
        id=str(row["key"]),
        created=f"{row['month']}-01T00:00:00+00:00",
        entry=str(row["applied"]),
        of="operator" if row["of"] == "operator" else "run",
        saved=saved,
        band=band,
        result=cast(Result, row["result"]),
        origin="imported",
        pattern=pattern if pattern in bottlenecks.IDS else "",
        **_facts({name: row.get(name, "") for name in names}),
    )


def _number(value: Any, low: float, high: float) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if math.isfinite(value) and low <= value <= high else None
