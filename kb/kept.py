"""Runs in the store as reports: one goes in, one comes out again."""

from __future__ import annotations

from kb.model import Report
from kb.report.json import kept
from kb.report.load import report_from_dict
from kb.store.runs import judged_for, load_run, save


def keep(report: Report, *, db: str | None = None, option: str = "soc") -> str:
    """Keep a report as a run.

    Returns:
        The remark to show where it took the place of the same run judged for another chip, which `option` states; empty
        where it did not.

    Raises:
        SourceError: the store cannot be written; the caller still has the report.
    """
    before = judged_for(report.run, db=db)
    save(kept(report), db=db)
    if before is None or before == (report.chip.soc,):
        return ""
    return _replaced(report.run, before[0], report.chip.soc, option)


def _replaced(run: str, before: str | None, now: str | None, option: str) -> str:
    chips = [f"for {soc}" if soc else "without a stated chip" for soc in (before, now)]
    again = f"with {option} {before}" if before else f"without {option}"
    return f"run {run} was kept as judged {chips[0]} and is now kept as judged {chips[1]}; {again} it is as before"


def load(run: str, *, db: str | None = None) -> Report:
    """The report of a run that is named by its id, the beginning of it, or "last", the newest.

    Raises:
        UsageError: no run, or more than one, has an id that begins so.
        SourceError: the store cannot be read, or what it holds of the run is damaged.
    """
    return report_from_dict(load_run(run, db=db), where=f"run {run}")
