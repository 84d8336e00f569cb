"""What a remedy gave: from a comparison, and the report that it was applied to, to one outcome."""

from __future__ import annotations

from kb import targets
from kb.comparison import Change, Comparison
from kb.errors import NothingToJudge, UsageError
from kb.experience import Outcome, Result
from kb.model import Entry, Finding, Report


def outcome_of(found: Comparison, before: Report, entry: Entry, *, id: str, created: str) -> Outcome:
    """The outcome of `entry`, applied to the run `before`.

    It is of the operator that the report gave the entry for, else of the only kernel, else of the whole run.

    Raises:
        UsageError: both are one run.
        NothingToJudge: the runs cannot be compared, so nothing is known about the remedy.
    """
    total = found.total
    if found.before.run == found.after.run:
        raise UsageError(
            "one run cannot be before and after a change",
            where=found.before.run,
            now="Give the run with the change applied as the second.",
        )
    if found.verdict == "not-comparable" or total is None:
        reasons = ", ".join(dict.fromkeys(check.dimension for check in found.reasons)) or "time"
        raise NothingToJudge(
            f"the two runs cannot be compared ({reasons}), so they say nothing about {entry.id}",
            where=f"{found.before.run} {found.after.run}",
            now="`kb compare` shows why; measure both the same way.",
        )
    finding = finding_of(before, entry)
    change = _changed(found, finding)
    change_of, band = (change.change, change.band) if change else (total.change, total.band)
    result: Result = "within-noise"
    if change_of is not None and band is not None and abs(change_of) > band.value:
        result = "slower" if change_of > 0 else "faster"
    return Outcome(
        id=id,
        created=created,
        entry=entry.id,
        of="operator" if change else "run",
        saved=round(-(change_of or 0.0), 6),
        band=round(band.value if band else total.band.value, 6),
        result=result,
        pattern=finding.pattern if finding else "",
        operator=change.type if change else "",
        core=change.core if change else "",
        soc=_chip(found),
        shapes=change.shapes if change else "",
        dtypes=change.dtypes if change else "",
        cann=found.after.capture.cann_version or "",
        run_before=found.before.run,
        run_after=found.after.run,
    )


def _chip(found: Comparison) -> str:
    """The chip, or the family where only that is sure; empty where neither is."""
    chips = (found.before.chip, found.after.chip)
    if any(chip.soc for chip in chips):
        return chips[0].soc or chips[1].soc or ""
    families = {targets.all_targets()[name].family for chip in chips for name in chip.candidates}
    return families.pop() if len(families) == 1 else ""


def finding_of(before: Report, entry: Entry) -> Finding | None:
    """The finding that the entry was given against, else the largest that it repairs; None where it repairs none."""
    given = next((item.finding for item in before.recommendations if item.id == entry.id), None)
    if given is not None:
        return next((finding for finding in before.findings if finding.id == given), None)
    fitting = [finding for finding in before.findings if finding.pattern in entry.bottlenecks]
    return max(fitting, key=lambda finding: finding.share, default=None)


def _changed(found: Comparison, finding: Finding | None) -> Change | None:
    """The operator concerned, where both runs have it; None for the run as a whole."""
    both = [item for item in found.changes if item.change is not None]
    if finding is not None and finding.scope == "operator" and finding.operators:
        lead = finding.operators[0]
        same = [
            item for item in both
            if (item.type == (lead.type or lead.name) or (item.before and item.before.name == lead.name))
            and (not lead.shapes or not item.shapes or item.shapes == lead.shapes)
        ]  # fmt: skip
        if same:
            return max(same, key=lambda item: item.before.time_us if item.before else 0.0)
    kernels = found.total is not None and found.total.basis == "launch"
    return both[0] if kernels and len(both) == 1 else None
