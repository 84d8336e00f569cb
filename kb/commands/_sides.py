"""The two sides of a comparison as users name them: kept runs, profiles, or reports in files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from kb.commands._console import Common
from kb.commands._files import existing_path
from kb.commands._kept import kept
from kb.commands._progress import working
from kb.commands._reports import request_for
from kb.errors import SourceError, UsageError

if TYPE_CHECKING:
    from kb.model import Report

MOST_BYTES = 64 << 20  # of a file with a report


def report_of(common: Common, text: str, soc: str = "") -> Report:
    """The report of one side; a profile is judged and kept, so that its run has an id to go on with.

    Raises:
        UsageError: neither a path nor the id of a kept run.
        SourceError, NothingToJudge: the profile cannot be read or judged.
    """
    path = existing_path(text)
    if not path.exists():
        return _kept_run(common, text)
    found = _from_file(path) if path.suffix.lower() == ".json" and path.is_file() else None
    if found is not None:
        return found
    from kb.engine import pipeline

    request = request_for(common, soc=soc).in_full()
    with working(common, f"reading {path}") as progress:
        looking = progress.looking if progress else None
        report = pipeline.advise([path], request, progress=progress, looking=looking)
    return kept(common, report)


def _kept_run(common: Common, text: str) -> Report:
    from kb.kept import load

    try:
        return load(text, db=common.db or None)
    except UsageError as fault:
        if "/" in text or text.endswith((".csv", ".db", ".zip", ".json")):
            raise SourceError("no such file or folder", where=text, now="Check the path.") from fault
        raise UsageError(
            f"{fault.what}, and there is no such path",
            where=fault.where,
            now=f"{fault.now} A folder or CSV of a profile does too.",
        ) from fault


def _from_file(path: Path) -> Report | None:
    """A report that was saved as JSON; None for any other JSON file, which may be a profile."""
    from kb.report.json import SCHEMA
    from kb.report.load import report_from_dict

    if path.stat().st_size > MOST_BYTES:
        return None
    try:
        document = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError, OSError):
        return None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        return None
    return report_from_dict(document, where=str(path))


def percent(text: str, option: str) -> float | None:
    """A fraction out of `5%` or `5`; None for an empty text.

    Raises:
        UsageError: no number, or not between 0 % and 100 %.
    """
    if not text:
        return None
    try:
        value = float(text.strip().removesuffix("%").strip()) / 100
    except ValueError:
        value = -1.0
    if not 0 <= value < 1:
        raise UsageError(f"{text!r} is no percentage", where=option, now="Give one such as 5%.")
    return value
