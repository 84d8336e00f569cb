"""A case drafted from two runs: what the runs show is filled in, what only a person knows is marked TODO."""

from __future__ import annotations

from kb import operators, targets
from kb.comparison import Change, Comparison
from kb.experience import Outcome
from kb.knowledge.template import TODO
from kb.model import Entry, Finding, PublishedGain, Report, Text3
from kb.units import number, percent, us
from kb.vocabulary import bottlenecks


def draft(found: Comparison, outcome: Outcome, before: Report, applied: Entry, entry_id: str) -> Entry:
    """The entry; it passes `kb validate` once every TODO is written."""
    total = found.total
    assert total is not None  # noqa: S101 - there is an outcome, so there is a time
    change = next(
        (item for item in found.changes if item.type == outcome.operator and item.change is not None), None
    )
    one, two = _times(found, change if outcome.of == "operator" else None)
    kind = outcome.operator if operators.is_known(outcome.operator) else ""
    what = kind or ("one kernel" if outcome.of == "operator" else "a whole run")
    figure = (
        f"{us(one)} to {us(two)} ({percent(abs(outcome.saved))} {'less' if outcome.saved >= 0 else 'more'})"
    )
    chip = outcome.soc if outcome.soc in {*targets.all_targets(), *targets.families()} else ""
    findings = _concerned(before, outcome)
    return Entry(
        id=entry_id,
        kind="case",
        state="draft",
        family=applied.family,
        title=Text3(f"{TODO} what it is: {applied.id} on {what}, {entry_id[-6:]}", TODO, TODO),
        symptom=Text3(_short(f"{what}: {'; '.join(item.summary for item in findings)}" if findings else TODO), TODO, TODO),
        remedy=Text3(_short(f"{applied.remedy.en} {figure}. {TODO} what exactly was changed."), TODO, TODO),
        bottlenecks=tuple(dict.fromkeys(item.pattern for item in findings if item.pattern in bottlenecks.IDS)),
        operators=(kind,) if kind else (),
        chips=(chip,) if chip else (),
        who=applied.who,
        effort=applied.effort,
        gains=(
            PublishedGain(
                outcome.saved, outcome.saved, outcome.of, f"{one:.6g}", f"{two:.6g}", "us", outcome.shapes, chip,
                outcome.cann, "stated", f"noise {percent(outcome.band)}: {outcome.result}",
            ),
        ),
        grade="stated",
        sources=(f"{TODO} who measured it, when, and where the profiles are kept (runs {outcome.run_before} and {outcome.run_after})",),
        facts={
            "model": {"family": "other" if outcome.of == "operator" else TODO, "variant": kind or TODO},
            "task": TODO,
            "hardware": {"chip": chip or TODO, "count": before.ranks or 1},
            "toolchain": outcome.cann or TODO,
            "challenges": [
                {"issue": findings[0].pattern if findings else TODO, "solution": applied.id, "gain": figure},
            ],
            "results": [{"metric": "time", "unit": "us", "before": one, "after": two, "condition": outcome.shapes or TODO}],
        },
        cause="\n".join(f"- {item.summary}" for item in findings) or f"{TODO} the mechanism",
        steps=(*applied.steps, f"{TODO} what was done beyond that, or differently"),
        why=f"{figure}. {TODO} why.",
        check=_moved(found) or f"{TODO} which counter moves by how much",
        when_not=applied.when_not or f"{TODO} shapes, chips and conditions where it gains nothing",
    )  # fmt: skip


def _times(found: Comparison, change: Change | None) -> tuple[float, float]:
    """Microseconds before and after, of the operator or of the whole."""
    total = found.total
    if change is not None and change.before is not None and change.after is not None:
        return round(change.before.time_us, 3), round(change.after.time_us, 3)
    assert total is not None  # noqa: S101 - see `draft`
    return round(total.before_us, 3), round(total.after_us, 3)


def _concerned(before: Report, outcome: Outcome) -> list[Finding]:
    """The findings of the earlier run that the remedy was applied to, that which it was given against first."""
    of_operator = [
        item for item in before.findings
        if not outcome.operator or any((ref.type or ref.name) == outcome.operator for ref in item.operators)
    ]  # fmt: skip
    return sorted(of_operator[:5], key=lambda item: item.pattern != outcome.pattern)[:3]


def _moved(found: Comparison) -> str:
    lines = [
        f"- {moved.metric}: {number(moved.before, moved.unit)} to {number(moved.after, moved.unit)}"
        for item in found.changes[:1]
        for moved in item.moved
    ]
    return "\n".join(["The counters that moved with it:", *lines]) if lines else ""


def _short(text: str) -> str:
    return text if len(text) <= 780 else text[:779] + "…"
