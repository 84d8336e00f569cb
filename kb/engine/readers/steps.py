"""Steps of a run: how long each took, and which of the first ones only warmed up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from statistics import median

from kb.addition import plain_sum
from kb.engine.readers.columns import missing
from kb.model import Measure
from kb.units import us as shown

MOST_STEPS = 100_000
FEWEST = 4  # steps that it takes to tell a slow first one from chance
WARM_UP = 1.5  # times the median of the later steps, from which a step at the beginning is a warm-up
_WARM_UP_SHARE = 3  # at most one step in three warms up; more is a run that changes


@dataclass
class Steps:
    """First start and last end of every step seen, in ns, by the step's name."""

    spans: dict[str, tuple[int, int]] = field(default_factory=dict)

    def saw(self, name: str, start: int, end: int) -> None:
        """Take in something of a step, from `start` to `end`."""
        found = self.spans.get(name)
        if found is not None:
            if start < found[0] or end > found[1]:
                self.spans[name] = (min(start, found[0]), max(end, found[1]))
        elif len(self.spans) < MOST_STEPS:
            self.spans[name] = (start, end)


def together(parts: Iterable[Steps]) -> Steps:
    """The steps of several tables of one rank."""
    out = Steps()
    for part in parts:
        for name, (start, end) in part.spans.items():
            out.saw(name, start, end)
    return out


def lengths(steps: Steps) -> list[tuple[str, float]]:
    """Name and microseconds of each step in order of start: from its first start to that of the next one, so that
    waiting between two steps belongs to the first; the last one to its last end.
    """
    named = ((name, span) for name, span in steps.spans.items() if not missing(name))
    order = sorted(named, key=lambda item: item[1])
    ends = [start for _, (start, _) in order[1:]] + [end for _, (_, end) in order[-1:]]
    return [(name, (until - start) / 1000) for (name, (start, _)), until in zip(order, ends, strict=True)]


def warm_up(found: Sequence[tuple[str, float]]) -> int:
    """How many steps at the beginning are much longer than what follows."""
    if len(found) < FEWEST:
        return 0
    most = len(found) // _WARM_UP_SHARE
    usual = median(us for _, us in found[most:])
    slow = list(takewhile(lambda us: us > WARM_UP * usual, (us for _, us in found)))
    return len(slow) if usual > 0 and len(slow) <= most else 0


def step_time(found: Sequence[tuple[str, float]], origin: str) -> Measure | None:
    """Mean length of a step with its spread, warm-up steps left out; None for fewer than two steps."""
    if len(found) < 2:
        return None
    skipped = warm_up(found)
    values = [us for _, us in found[skipped:]]
    how = f"{origin}: first start of a step to that of the next; {len(values)} steps of {shown(min(values))} to {shown(max(values))}"
    how += f", without {skipped} of warm-up" if skipped else ""
    return Measure(
        plain_sum(values) / len(values), "us", how, min(values), max(values), len(values), computed=True
    )


def warm_up_text(found: Sequence[tuple[str, float]]) -> str | None:
    """What a notice says about the steps that warmed up; None when none did."""
    count = warm_up(found)
    if not count:
        return None
    names = ", ".join(name for name, _ in found[:count][:4]) + (", ..." if count > 4 else "")
    spent = plain_sum(us for _, us in found[:count])
    usual = median(us for _, us in found[count:])
    return (
        f"the first {'step' if count == 1 else f'{count} steps'} ({names}) took {spent / count / usual:.1f} times as "
        f"long as the others: warm-up (compiling, allocating). The time of a step leaves out such steps; operators, "
        f"idle time and shares are those of the whole file, so profile after the warm-up to judge idle time"
    )
