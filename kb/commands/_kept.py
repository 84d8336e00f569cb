"""The store as commands use it: a report goes in, outcomes come out; without the store the answer is still given."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kb.commands._console import Common, say
from kb.errors import SourceError

if TYPE_CHECKING:
    from kb.experience import Outcome
    from kb.model import Report


def kept(given: Common, report: Report) -> Report:
    """The report, kept in the store; a store that cannot be written costs only a warning, and the id of the run.

    Where it takes the place of the same run judged for another chip, that is said.
    """
    from kb.kept import keep

    try:
        if remark := keep(report, db=given.db or None, option="--soc"):
            say(given, remark)
    except SourceError as fault:
        say(given, f"this run was not kept: {fault.where}: {fault.what}. {fault.now}")
        return replace(report, run="")  # an id that no command would find
    return report


def kept_outcomes(given: Common, entry: str | None = None) -> tuple[Outcome, ...]:
    """What remedies gave here; a store that cannot be read costs only a warning."""
    from kb.store.outcomes import load

    try:
        return load(entry, db=given.db or None)
    except SourceError as fault:
        say(given, f"outcomes are not used: {fault.where}: {fault.what}")
        return ()
