"""Body sections that the facts do not hold as text: how to check, why, and when it does not help."""

from __future__ import annotations

from collections.abc import Sequence

from kb import targets
from kb.model import Condition, PublishedGain

RISES = ("aic_mac_ratio", "gm_bandwidth_utilisation", "l2_hit_rate", "gm_bandwidth", "clock_ratio", "floor_ratio")
# conditions that say where a recipe applies and do not change with the remedy
STAYS = (
    "matmul_", "op_type", "dtype", "chip_family", "task_duration_us", "io_bytes", "inner_axis", "elements", "launch_count",
    "head_dim", "input_format", "core", "follows", "followed_by", "read_bytes",
)  # fmt: skip
SAY = {"block_dim": "Block Dim", "core": "core kind"}
GRADE_WORDS = {
    "vendor": "vendor documentation",
    "third-party": "third-party measurement",
    "stated": "stated, not measured",
    "practice": "general practice",
}
LAUNCHES = "The separate kernel is gone from the operator list, with its launch."


def check(conditions: Sequence[Condition], gains: Sequence[PublishedGain], note: str) -> str:
    """Which counter should move and by how much, then how to compare."""
    sequence = any(c.metric in ("follows", "followed_by") for c in conditions)
    lines = [LAUNCHES] if sequence else [line for condition in conditions if (line := _move(condition))]
    if any(c.metric == "core" and c.value == "ai_cpu" for c in conditions):
        lines.append("Its Task Type is no longer AI_CPU.")
    if any(c.metric == "inner_axis_bytes" or c.metric.startswith("inner_axis_rest") for c in conditions):
        lines.append("MTE2 time of the kernel falls; compare with an aligned size of about the same bytes.")
    run = bool(gains) and all(gain.of == "run" for gain in gains)
    what = "step time" if run else "task duration"
    verb = "Then compare" if lines else "Compare"
    effect = f"{verb} the {what} on the same shapes before and after (`kb compare BEFORE AFTER`)."
    text = " ".join([*lines, effect])
    return f"{text}\n\n{note}" if note else text


def _move(c: Condition) -> str:
    name = SAY.get(c.metric, c.metric)
    if c.metric.startswith(STAYS) or c.op == "!=":
        return ""
    if c.metric == "block_dim":
        return _blocks(c)
    if c.metric == "blocks_per_core" or c.metric == "tail_blocks":
        return "Block Dim becomes a multiple of the core count (tail_blocks 0)." if c.metric == "tail_blocks" else ""
    if c.metric.startswith("bytes_per_mte"):
        return f"{name} rises to 16384 or more."
    if c.metric == "pipe_sum":
        return "pipe_sum rises well above 1: copies and computation overlap."
    value = _value(c)
    if c.op in (">", ">=") or (c.op in ("~", "==") and c.metric not in RISES):
        return f"{name} falls {'below' if c.op != '~' else 'from about'} {value}."
    return f"{name} rises {'above' if c.op != '~' else 'from about'} {value}."


def _blocks(c: Condition) -> str:
    if c.op in ("<", "=="):
        return "Block Dim reaches the number of cores of the kernel's kind."
    if c.op == ">":
        return "Block Dim falls to the number of cores of the kernel's kind."
    return ""


def _value(c: Condition) -> str:
    if isinstance(c.value, float):
        return f"{c.value:.4g}"
    return str(c.value).removeprefix("@")


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
    what = {"operator": "of the operator's time", "run": "of the whole run", "part": "of that part only"}[gain.of]
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
    parts = [tradeoffs] if tradeoffs else ["The sources name no limit; it cannot win more than the cause above costs."]
    if anti:
        parts.append("Known not to help when: " + "; ".join(f"{titles[a]} (`{a}`)" for a in anti) + ".")
    if against:
        parts.append("Read against: " + "; ".join(f"{titles[a]} (`{a}`)" for a in against) + ".")
    return "\n\n".join(parts)
