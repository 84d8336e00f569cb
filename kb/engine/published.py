"""What the published figures of an entry say of one operator: which of them speak of it, and in what range."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from kb.engine import signature
from kb.engine.alike import ALIKE, apart
from kb.model import Features, PublishedGain
from kb.targets import family_of, is_known
from kb.units import percent

# What a published figure promises at least on another kernel: a part of it that grows with the number of figures.
LOW_OF_PUBLISHED = {
    1: (1 / 3, "the low end is a third of the figure: there is one, of another kernel"),
    2: (1 / 2, "the low end is half of the lower figure: there are two, of other kernels"),
}
LOW_OF_MANY = 2 / 3
MEASURED = ("vendor", "third-party")
GRADE_WORDS = {
    "vendor": "vendor measurement",
    "third-party": "third-party measurement",
    "stated": "stated",
    "practice": "general practice",
}
# Figures for the time of one pipe: what the unit names, and the shares that such a time may be of.
_OF_PIPE = re.compile(r"of (\w+)")
_PIPES = {
    "mte2": ("aic_mte2_ratio", "aiv_mte2_ratio"),
    "scalar": ("aic_scalar_ratio", "aiv_scalar_ratio"),
    "vector": ("aiv_vec_ratio",),
}


@dataclass(frozen=True, slots=True)
class Published:
    """Published figures of an entry, as fractions of time saved, and the part of the least one to promise."""

    least: float
    middle: float
    most: float
    kept: float
    part: str  # `kept` in words, and why; empty for nothing
    words: str

    @property
    def low(self) -> float:
        """What is promised at least."""
        return self.least * self.kept


def published(gains: Sequence[PublishedGain], of: str, f: Features | None) -> Published | None:
    """The figures that speak of this operator (or run), together; None without any.

    A figure for a whole run says nothing about one operator; one for an operator does for the operators of a run.
    """
    usable = [
        gain
        for gain in _nearest(gains, f)
        if gain.of in ("operator", of) and gain.saved_low is not None and gain.saved_high is not None
    ]
    if not usable:
        return None
    lows = [gain.saved_low for gain in usable if gain.saved_low is not None]
    highs = [gain.saved_high for gain in usable if gain.saved_high is not None]
    middle = median((low + high) / 2 for low, high in zip(lows, highs, strict=True))
    measured = [gain for gain in usable if gain.grade in MEASURED]
    kind = "measured" if measured else "stated"  # never of this profile
    ranges = ", ".join(_one(gain) for gain in (measured or usable)[:2])
    more = f" and {len(usable) - 2} more" if len(usable) > 2 else ""
    kept, part = _kept(len(usable)) if measured else (0.0, "")
    return Published(min(lows), middle, max(highs), kept, part, f"{kind}: elsewhere, {ranges}{more}")


def _kept(figures: int) -> tuple[float, str]:
    """The part of the least figure to promise, and why, by the number of figures."""
    many = f"the low end is two thirds of the lowest figure: there are {figures}, of other kernels"
    return LOW_OF_PUBLISHED.get(figures, (LOW_OF_MANY, many))


def of_pipe(gains: Sequence[PublishedGain], f: Features | None) -> Published | None:
    """What figures for the time of one pipe mean for the operator, where that pipe's share was measured here.

    The saved part of the pipe's time x the pipe's share is what the operator wins if nothing lies beside that pipe; half
    of it is likely, and none of it sure, because something may.
    """
    found = []
    for gain in gains:
        named = _OF_PIPE.search(gain.unit) if gain.of == "part" and (gain.saved_low or 0) > 0 else None
        names = _PIPES.get(named[1].lower(), ()) if named and f is not None else ()
        share = max((have for name in names if f is not None and (have := f.get(name))), default=None)
        if named and share is not None and gain.saved_low is not None:
            found.append((gain.saved_low * min(1.0, share), gain, named[1], min(1.0, share)))
    if not found:
        return None
    best, gain, pipe, share = max(found, key=lambda item: (item[0], item[1].unit))
    saved = _one(gain)
    words = f"modelled: of the {pipe} time {saved} was saved elsewhere, and {pipe} is {percent(share)} of the time here"
    return Published(0.0, best / 2, best, 0.0, "", words)


def _nearest(gains: Sequence[PublishedGain], f: Features | None) -> Sequence[PublishedGain]:
    """The figures that speak most of this operator: their conditions hold, own chip family, sizes like these.

    Each step keeps all where it would keep none. Only a condition that the source states (`threshold`) leaves the last
    figure out too: it is of other operators.
    """
    whole = [gain for gain in gains if gain.of != "part"]
    if f is None:
        return whole
    whole = [gain for gain in whole if not of_others(gain, f)]
    for speaks in (_conditions_hold, _own_family, _alike):
        whole = [gain for gain in whole if speaks(gain, f)] or whole
    return whole


def of_others(gain: PublishedGain, f: Features) -> bool:
    """Whether the figure's source says that it is of operators unlike this one."""
    stated = (condition for condition in gain.when if condition.basis == "threshold")
    return any(signature.holds(condition, f) is False for condition in stated)


def _conditions_hold(gain: PublishedGain, f: Features) -> bool:
    return all(signature.holds(condition, f) is not False for condition in gain.when)


def _own_family(gain: PublishedGain, f: Features) -> bool:
    family = f.labels.get("chip_family")
    return bool(family and gain.chip and _is_family(gain.chip, family))


def _alike(gain: PublishedGain, f: Features) -> bool:
    gap = apart(gain, f)
    return gap is not None and gap <= ALIKE


def _is_family(chip: str, family: str) -> bool:
    return chip == family or (is_known(chip) and family_of(chip) == family)


def _one(gain: PublishedGain) -> str:
    low, high = gain.saved_low or 0.0, gain.saved_high or 0.0
    figure = percent(high) if abs(high - low) < 0.005 else f"{percent(low)} to {percent(high)}"
    where = " on ".join(part for part in (gain.shapes, gain.chip) if part)
    return f"{figure} ({GRADE_WORDS[gain.grade]}{', ' + where if where else ''})"
