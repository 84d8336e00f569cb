"""Body sections that the facts do not hold as text: signs of a pattern, why a recipe helps, and when not."""

from __future__ import annotations

from collections.abc import Sequence

from kb import targets
from kb.knowledge.body import tidy
from kb.model import Condition, PublishedGain

GRADE_WORDS = {
    "vendor": "vendor documentation",
    "third-party": "third-party measurement",
    "stated": "stated, not measured",
    "practice": "general practice",
}


def holds(conditions: Sequence[Condition], bands: str) -> str:
    """How to see that a pattern is there, and how bad it is."""
    signs = "; ".join(f"{c.metric} {_op(c)} {_value(c)} ({c.basis})" for c in conditions)
    return tidy(f"{f'It holds with {signs}. ' if signs else ''}Bands: {bands}.")


def _op(c: Condition) -> str:
    return {"~": "about", "==": "=", "in": "one of"}.get(c.op, c.op)


def _value(c: Condition) -> str:
    if isinstance(c.value, tuple):
        return ", ".join(str(item) for item in c.value)
    return f"{c.value:.4g}" if isinstance(c.value, float) else c.value.removeprefix("@")


def why(gains: Sequence[PublishedGain], role: str) -> str:
    """What was published, one line a figure."""
    lines = [_figure(gain) for gain in gains]
    if not lines:
        return "No public measurement: the time that can be won is at most what the cause above costs in this profile."
    head = "What it did where it was tried:" if role == "warning" else "Published:"
    return "\n".join([head, *(f"- {line}" for line in lines)]) if len(lines) > 1 else f"{head} {lines[0]}"


def _figure(gain: PublishedGain) -> str:
    parts = []
    if gain.before and gain.after:
        unit = f" {gain.unit}" if gain.unit else ""
        parts.append(f"{gain.before} to {gain.after}{unit}")
    elif gain.before or gain.after:
        parts.append(gain.before or gain.after)
    saved = _saved(gain)
    if saved:
        parts.append(saved)
    where = [gain.shapes, _chip(gain.chip), gain.version, GRADE_WORDS[gain.grade]]
    text = ", ".join(part for part in [*parts, *where] if part)
    return f"{text}; {gain.note}." if gain.note else f"{text}."


def _saved(gain: PublishedGain) -> str:
    low, high = gain.saved_low, gain.saved_high
    if low is None or high is None:
        return ""
    what = {"operator": "of the operator's time", "run": "of the whole run", "part": "of that part only"}[
        gain.of
    ]
    if low == high:
        return f"{percent(abs(high))} {'saved' if high >= 0 else 'more time'} ({what})"
    return f"{percent(low)} to {percent(high)} saved ({what})"


def percent(fraction: float) -> str:
    value = 100 * fraction
    return f"{value:.1f} %" if abs(value) < 10 or abs(value) >= 99 else f"{value:.0f} %"


def _chip(name: str) -> str:
    if not name:
        return ""
    known = targets.families()
    return known[name].title if name in known else name


def when_not(tradeoffs: str, anti: Sequence[str], against: Sequence[str], titles: dict[str, str]) -> str:
    """The source's limits, the situations known not to profit, and the entries that say the opposite."""
    parts = (
        [tradeoffs]
        if tradeoffs
        else ["The sources name no limit; it cannot win more than the cause above costs."]
    )
    if anti:
        parts.append("Known not to help when: " + "; ".join(f"{titles[a]} (`{a}`)" for a in anti) + ".")
    if against:
        parts.append("Read against: " + "; ".join(f"{titles[a]} (`{a}`)" for a in against) + ".")
    return "\n\n".join(parts)
