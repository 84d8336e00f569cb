"""The outcome of a remedy, from the runs before and after it."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING

from kb.commands._console import Common
from kb.commands._sides import report_of

if TYPE_CHECKING:
    from kb.comparison import Comparison
    from kb.experience import Outcome
    from kb.model import Entry, Report


def measured_outcome(
    common: Common, before: str, after: str, applied: str, soc: str
) -> tuple[Entry, Outcome, Comparison, Report]:
    """The entry applied, what it gave, the comparison, and the report of the earlier run.

    Raises:
        UsageError: no such entry or run. NothingToJudge: the runs cannot be compared.
    """
    from kb.engine.compare import compare
    from kb.engine.compare.result import outcome_of
    from kb.knowledge.near import no_such_id
    from kb.knowledge.store import load_entries
    from kb.store.outcomes import outcome_id

    entries = load_entries()
    entry = entries.get(applied)
    if entry is None:
        raise no_such_id("entry", applied, entries)
    one, two = report_of(common, before, soc), report_of(common, after, soc)
    found = compare(one, two)
    made = outcome_id(entry.id, one.run, two.run)
    now = datetime.now(timezone.utc).isoformat(timespec="seconds")
    return entry, outcome_of(found, one, entry, id=made, created=now), found, one
