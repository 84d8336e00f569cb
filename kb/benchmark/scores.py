"""What a benchmark of advice counts, and how one case becomes a part of a figure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

TOPS = (1, 3, 5)
# Figures that should be 0; for all others more is better.
LOWER_IS_BETTER = frozenset(
    {"false_alarms", "advised", "clean_findings", "clean_advised", "known_bad_first", "noisy", "at_limit"}
)


@dataclass(frozen=True, slots=True)
class Failure:
    """A case that missed: what was wanted and what came instead."""

    section: str
    case: str
    wanted: str
    got: str


@dataclass(frozen=True, slots=True)
class Section:
    """Figures of one kind of cases; fractions of one unless the name says a count."""

    name: str
    cases: int
    figures: Mapping[str, float]
    failures: tuple[Failure, ...] = ()
    left_out: tuple[str, ...] = field(default=())  # cases not run, each with the reason


@dataclass(frozen=True, slots=True)
class Scores:
    """All sections, in fixed order."""

    sections: tuple[Section, ...]

    def figures(self) -> dict[str, dict[str, float]]:
        """Figures by section and name."""
        return {section.name: dict(section.figures) for section in self.sections}


def ranking(places: Sequence[int | None]) -> dict[str, float]:
    """Top-1, top-3, top-5 and MRR of the places at which the right answers came (None: not at all)."""
    n = len(places) or 1
    figures = {f"top{k}": sum(place is not None and place <= k for place in places) / n for k in TOPS}
    return {**figures, "mrr": sum(1 / place for place in places if place) / n}


def part(answers: Iterable[bool]) -> float:
    """Part of the answers that is yes; 1 where there is no question."""
    found = list(answers)
    return sum(found) / len(found) if found else 1.0


def below_floor(
    scores: Mapping[str, Mapping[str, float]], floor: Mapping[str, Mapping[str, float]]
) -> list[str]:
    """Figures worse than their floor, in words; sections that were not run are passed over."""
    out = []
    for section, figures in floor.items():
        for name, least in figures.items():
            have = scores.get(section, {}).get(name)
            if have is None:
                continue
            worse = have > least + 1e-4 if name in LOWER_IS_BETTER else have < least - 1e-4
            if worse:
                out.append(f"{section}.{name}: {have:.4f}, floor {least:.4f}")
    return out
