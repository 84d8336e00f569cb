"""Each recipe's own profile back to the engine: is that recipe what it advises?

The profile is made of what the recipe's source observed before the change (conditions of basis `observed`, readings in
words, the time before), typed in as a user would (`--metrics`), on the recipe's operator and chip. That recipe's
observed conditions are hidden from the matcher, so it has to be found by operator, bottleneck and what else is known.
The stricter view hides signature and figures of every entry of the same source document.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kb import operators, targets
from kb.engine import tensors
from kb.engine.rank import NO_REMEDY
from kb.model import Condition, Entry, PublishedGain
from kb.vocabulary.metrics import BY_ID

NEAR = 0.15  # how far inside a one-sided condition the made-up reading lies
_NUMBER = r"([0-9]+(?:\.[0-9]+)?)"
_READING = re.compile(rf"^(?:[A-Za-z]+\.)?(?P<name>[A-Za-z0-9 ]+?)(?P<us> in us)? (?:about|is) {_NUMBER}$")
_PIPE_TIME = re.compile(r"^(ai[cv])_([a-z0-9]+)_time_us$")


@dataclass(frozen=True, slots=True)
class Case:
    """A recipe and the profile its source saw before it was applied, as an object of a `--metrics` file."""

    entry: str
    document: dict[str, Any]
    equals: tuple[str, ...]  # entries that name the same remedy in other words
    gain: tuple[float, float] | None  # published range for this operator


def cases(entries: Mapping[str, Entry]) -> tuple[list[Case], list[str]]:
    """The cases, and the recipes left out because all they observed is one absolute time of unknown size."""
    found, left_out = [], []
    for entry in entries.values():
        if entry.kind != "recipe" or entry.state == "retired" or entry.facts.get("role") in NO_REMEDY:
            continue
        if "observed" not in {*(item.basis for item in entry.when), *(item.basis for item in entry.observe)}:
            continue
        document = before(entry)
        if document is None:
            left_out.append(entry.id)
        else:
            found.append(Case(entry.id, document, _equals(entry, entries), _gain(entry)))
    return found, left_out


def before(entry: Entry) -> dict[str, Any] | None:
    """What the source saw before the change; None when one absolute time is all there is, and no size to hold it against."""
    seen = dict(_observations(entry))
    lead = _lead_gain(entry, seen.get("task_duration_us"))
    chip = (lead.chip if lead and lead.chip else "") or next(iter(entry.chips), "")
    kind = _operator(entry)
    readings = dict(_conditions(entry, _cores(chip, kind))) | seen
    if kind and (share := readings.get("compute_time_share")) is not None:
        return _model(kind, share, entry, chip)
    _complete(readings, _cores(chip, kind))
    if "task_duration_us" not in readings and (time := _time_before(lead)) is not None:
        readings["task_duration_us"] = time
    core = next(
        (c.value for c in entry.when if c.metric == "core" and c.op == "==" and c.basis != "inferred"), None
    )
    timed = all(name.endswith("_us") for name in readings) and len(readings) < 2
    if not readings or (timed and core != "ai_cpu" and not _has_floor(kind, lead, chip)):
        return None
    document: dict[str, Any] = {"operator": kind or "my_kernel", "metrics": readings}
    if chip:
        document["hardware"] = chip
    if lead is not None and lead.shapes:
        document["shape"] = lead.shapes
    if core is not None:
        document["core"] = str(core)
    return document


def _has_floor(kind: str | None, lead: PublishedGain | None, chip: str) -> bool:
    """Whether the time can be held against a floor: type, sizes and chip are told."""
    pattern = operators.pattern(kind) if kind else None
    return bool(chip and lead and pattern and tensors.read(lead.shapes, pattern).outputs)


def _model(kind: str, share: float, entry: Entry, chip: str) -> dict[str, Any]:
    """A share of the compute time is a fact of a run: the operator beside one of the kind that does the work."""
    named = [name for name in entry.operators if operators.category(name) == "cube"]
    rest = {"type": named[0] if named else "MatMul", "share": round(1 - share, 6)}
    document: dict[str, Any] = {"operators": [{"type": kind, "share": share}, rest]}
    return {**document, "hardware": chip} if chip else document


def hidden(entries: Mapping[str, Entry], case: Case) -> dict[str, Entry]:
    """The entries without what the case's recipe observed itself: its readings, and the sizes its figures are of."""
    own = entries[case.entry]
    when = tuple(condition for condition in own.when if condition.basis != "observed")
    gains = tuple(replace(gain, shapes="") for gain in own.gains)
    return {**entries, own.id: replace(own, when=when, gains=gains)}


def source_hidden(entries: Mapping[str, Entry], case: Case) -> dict[str, Entry]:
    """The entries, those of the recipe's source documents without signature and figures."""
    documents = _documents(entries[case.entry])
    return {
        name: replace(entry, when=(), gains=()) if documents & _documents(entry) else entry
        for name, entry in entries.items()
    }


def place(ranked: Sequence[str], right: Iterable[str]) -> int | None:
    """Place of the first right entry, from 1."""
    wanted = set(right)
    return next((n for n, name in enumerate(ranked, 1) if name in wanted), None)


def _documents(entry: Entry) -> set[str]:
    return {source.rsplit("@", 1)[0] for source in entry.sources}


def _equals(entry: Entry, entries: Mapping[str, Entry]) -> tuple[str, ...]:
    """Remedies of a shared bottleneck linked with this entry, both ways."""
    return tuple(
        other.id
        for name in entry.links
        if (other := entries.get(name)) is not None
        and other.kind in ("recipe", "tip")
        and entry.id in other.links
        and set(other.bottlenecks) & set(entry.bottlenecks)
    )


def _lead_gain(entry: Entry, time: float | None = None) -> PublishedGain | None:
    """The first figure of a whole operator that was a saving, the case the recipe is told by; that of `time` if one is."""
    usable = [gain for gain in entry.gains if gain.of == "operator" and (gain.saved_high or 0) > 0]
    same = [
        gain for gain in usable if time and (before := _time_before(gain)) and abs(before / time - 1) < NEAR
    ]
    return next(iter(same or usable or entry.gains), None)


def _gain(entry: Entry) -> tuple[float, float] | None:
    lead = _lead_gain(entry)
    if lead is None or lead.of != "operator" or lead.saved_low is None or lead.saved_high is None:
        return None
    return lead.saved_low, lead.saved_high


def _time_before(gain: PublishedGain | None) -> float | None:
    """The time before in microseconds, where the figure of the whole operator has one."""
    if gain is None or gain.of != "operator" or gain.unit not in ("us", "ms"):
        return None
    found = re.fullmatch(_NUMBER, gain.before)
    return float(found[1]) * (1000.0 if gain.unit == "ms" else 1.0) if found else None


def _conditions(entry: Entry, cores: int | None) -> Iterator[tuple[str, float]]:
    for condition in entry.when:
        if condition.basis == "observed" and BY_ID[condition.metric].kind == "number":
            value = _value(condition, cores)
            if value is not None:
                yield condition.metric, value


def _value(condition: Condition, cores: int | None) -> float | None:
    """A reading that fulfils the condition, a little inside it; whole where the metric counts something."""
    wanted = condition.value
    if wanted == "@core_count" and cores is not None:
        wanted = float(cores)
    if not isinstance(wanted, int | float):
        return None
    unit = BY_ID[condition.metric].unit
    share = unit == "1" and wanted <= 1
    if not unit and condition.op in ("<", ">"):  # a count: clearly inside
        return float(max(1, int(wanted / 2 if condition.op == "<" else wanted * 2)))
    if condition.op == "<" or (condition.op == "<=" and share):
        return wanted * (1 - NEAR)
    if condition.op == ">" or (condition.op == ">=" and share):
        return wanted + (1 - wanted) * NEAR if share else wanted * (1 + NEAR)
    return wanted if condition.op in ("~", "==", "<=", ">=") else None


def _observations(entry: Entry) -> Iterator[tuple[str, float]]:
    """Readings that the entry tells in words: "aic mte2 time in us about 130.77", "Block Dim is 2"."""
    for item in entry.observe:
        found = _READING.match(item.text) if item.basis == "observed" else None
        if found is None:
            continue
        name = "_".join(found["name"].lower().split()) + ("_us" if found["us"] else "")
        name = "task_duration_us" if name == "duration_us" else name
        if name in BY_ID:
            yield name, float(found.group(found.lastindex or 0))


def _complete(readings: dict[str, float], cores: int | None) -> None:
    """What follows from the readings: the core time from a pipe's time and share, the blocks from blocks a core."""
    for name in list(readings):
        found = _PIPE_TIME.match(name)
        share = readings.get(f"{found[1]}_{found[2]}_ratio") if found else None
        if found and share:
            readings.setdefault(f"{found[1]}_time_us", readings[name] / share)
    if cores and "blocks_per_core" in readings:
        readings.setdefault("block_dim", float(round(readings.pop("blocks_per_core") * cores)))


def _cores(chip: str, kind: str | None) -> int | None:
    """Cores of the operator's kind on the chip; the fewest where the chip is a family."""
    if not targets.is_known(chip):
        return None
    side = "cube" if kind and operators.category(kind) in ("cube", "mix") else "vector"
    members = [targets.all_targets()[name].cores(side) or 0 for name in targets.resolve(chip)]
    return min(members, default=0) or None


def _operator(entry: Entry) -> str | None:
    """The operator the profile is of: an observed type, else the first plain type the entry names."""
    for condition in entry.when:
        if condition.metric == "op_type" and condition.basis == "observed":
            return str(condition.value[0] if isinstance(condition.value, tuple) else condition.value)
    return next((name for name in entry.operators if operators.is_known(name)), None)
