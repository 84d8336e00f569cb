"""Whether two runs were measured alike: each condition by itself, with what the runs say.

Which differences block: mode, tool, chip, replay mode, metrics and a clock more than 5 % apart change the time of an
unchanged kernel; other shapes or dtypes of a kernel are other work. In the export of a whole model an operator may
well get another dtype or vanish: that is the change, and its total is still the same work. Where a kernel moved to other
cores and is launched another number of times, without shapes, nobody can tell: one launch may have become twelve.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from statistics import median

from kb import operators, targets
from kb.addition import plain_sum
from kb.comparison import Check, Dimension, State
from kb.engine.compare.pairs import Pair
from kb.engine.compare.sides import Side
from kb.measured import Measured
from kb.model import Capture, Chip

ESTIMATE = "estimate"  # tool of a run that was foretold, not measured
CLOCK = 0.05  # further apart, times differ by the clock alone
COMMON = 0.5  # of either run's time, that operators of both runs should take
LITTLE = 0.2  # below it the runs are not of one model
SAME_LENGTH = 0.01  # launches of the operators, median over them


def checks(before: Side, after: Side, found: Sequence[Pair]) -> tuple[Check, ...]:
    """All conditions in the order in which they matter."""
    one, two = before.report, after.report
    mine, other = one.capture, two.capture
    out = [
        _words("mode", _mode(mine), _mode(other), blocks=True),
        _words("tool", _kind(mine), _kind(other), blocks=True),
        _chip(one.chip, two.chip),
        _clock(before, after),
        _words("timed", before.rows[0].timed, after.rows[0].timed, blocks=True),
        _words("replay", mine.replay_mode, other.replay_mode, blocks=True),
        _metrics(mine, other),
        _words("level", mine.level, other.level, blocks=False),
        *_operators(before, after, found),
        _words("ranks", str(one.ranks or 1), str(two.ranks or 1), blocks=True),
        _words("warm-up", _count(mine.warm_up), _count(other.warm_up), blocks=False),
        _words("cann", mine.cann_version, other.cann_version, blocks=False),
    ]
    return tuple(check for check in out if check is not None)


def work_ratio(found: Sequence[Pair]) -> float:
    """Launches after / before, median over the operators that both runs have; 1 without any."""
    both = [(pair.before, pair.after) for pair in found if pair.before and pair.after]
    ratios = [two.count / one.count for one, two in both if one.count and _computes(one)]
    return median(ratios) if ratios else 1.0


def _words(dimension: Dimension, before: str | None, after: str | None, *, blocks: bool) -> Check:
    state: State = "unknown" if not before or not after else "same" if before == after else "differs"
    return Check(dimension, state, before or "", after or "", blocks)


def _count(number: int | None) -> str | None:
    return None if number is None else str(number)


def _mode(capture: Capture) -> str:
    if capture.tool == ESTIMATE:
        return "estimated"
    return "simulated" if capture.simulated else "device"


def _kind(capture: Capture) -> str | None:
    """Captures of kernels flush the L2 cache and replay; exports of a run do not. Typed counters do not say."""
    if capture.tool == "typed in":
        return None
    return "msopprof" if capture.tool.startswith("msopprof") else "msprof"


def _chip(before: Chip, after: Chip) -> Check:
    names = [chip.soc or " / ".join(targets.in_short(chip.candidates)) for chip in (before, after)]
    mine, other = set(_candidates(before)), set(_candidates(after))
    state: State = "unknown"
    if mine and other and not mine & other:
        state = "differs"
    elif len(mine) == 1 and mine == other:
        state = "same"
    return Check("chip", state, names[0], names[1], True)


def _candidates(chip: Chip) -> tuple[str, ...]:
    return (chip.soc,) if chip.soc else chip.candidates


def _clock(before: Side, after: Side) -> Check:
    mine, other = _mean_clock(before), _mean_clock(after)
    if mine is None or other is None:
        return Check("clock", "unknown", _mhz(mine), _mhz(other), True)
    apart = abs(other - mine) / mine
    return Check("clock", "differs" if apart > CLOCK else "same", _mhz(mine), _mhz(other), True)


def _mean_clock(side: Side) -> float | None:
    """Current clock in MHz, mean over the operators by their time."""
    known = [(row.clock_mhz, row.total_us) for row in side.rows if row.clock_mhz]
    weight = plain_sum(time for _, time in known)
    return plain_sum(clock * time for clock, time in known) / weight if weight > 0 else None


def _mhz(clock: float | None) -> str:
    return "" if clock is None else f"{clock:.0f} MHz"


def _metrics(before: Capture, after: Capture) -> Check:
    mine, other = _tables(before.metric_groups), _tables(after.metric_groups)
    return _words("metrics", mine, other, blocks=True)


def _tables(groups: Sequence[str]) -> str:
    """Metric groups as the tables they write, so that an option and the files it left mean the same."""
    from kb.engine.collect.metric_groups import GROUPS, TABLES

    tables: set[str] = set()
    for name in groups:
        known = GROUPS.get(name.lower())
        tables.update(known.tables or (known.name,) if known else (name,))
    return "Default" if tables == set(TABLES) else ", ".join(sorted(tables))


def _operators(before: Side, after: Side, found: Sequence[Pair]) -> Iterator[Check]:
    both = [(pair.before, pair.after) for pair in found if pair.before and pair.after]
    names = [_leading(side) for side in (before, after)]
    kernels = before.kernels and after.kernels
    parts = [
        _compute_us(rows) / (_compute_us(side.rows) or 1.0)
        for side, rows in ((before, [one for one, _ in both]), (after, [two for _, two in both]))
    ]
    other_work = any(_other_operator(one, two) for one, two in both)
    state: State = "differs" if other_work or max(parts) < COMMON else "same"
    if state == "same" and any("name" in pair.differs for pair in found):
        state = "differs"  # the kernel is called otherwise now: worth saying, no obstacle
    little = max(parts) < (COMMON if kernels else LITTLE)
    yield Check("operators", state, names[0], names[1], other_work or little)
    if not both:
        return
    pairs_of = [pair for pair in found if pair.before and pair.after]
    yield _of_operators("shape", pairs_of, blocks=kernels)
    yield _of_operators("dtype", pairs_of, blocks=kernels)
    ratio = work_ratio(found)
    counts = [str(sum(row.count for row in side.rows)) for side in (before, after)]
    length: State = "differs" if abs(ratio - 1) > SAME_LENGTH else "same"
    yield Check("work", length, counts[0], counts[1], not kernels and any(map(_rewritten, pairs_of)))


def _rewritten(pair: Pair) -> bool:
    """A kernel that moved to other cores, of which no shapes tell whether a launch still does the same work."""
    known = pair.before is not None and pair.after is not None and pair.before.shapes and pair.after.shapes
    return "core" in pair.differs and not known


def _computes(row: Measured) -> bool:
    """Collectives are called the same in every model."""
    return row.core != "communication"


def _compute_us(rows: Iterable[Measured]) -> float:
    return plain_sum(row.total_us for row in rows if _computes(row))


def _other_operator(one: Measured, two: Measured) -> bool:
    """Whether two kernels are operators of different types, by types that are known as such."""
    known = operators.is_known(one.type or "") and operators.is_known(two.type or "")
    return known and one.type != two.type


def _leading(side: Side) -> str:
    return ", ".join(f"{row.type or row.name} {row.shapes}".strip() for row in side.rows[:2])


def _of_operators(dimension: Dimension, both: Sequence[Pair], *, blocks: bool) -> Check:
    """Shapes or dtypes of the paired operators: the first that differ, else those of the largest."""
    attribute = {"shape": "shapes", "dtype": "dtypes"}[dimension]
    told = [(getattr(pair.before, attribute), getattr(pair.after, attribute)) for pair in both]
    other = next((texts for texts, pair in zip(told, both, strict=True) if dimension in pair.differs), None)
    if other is not None:
        return Check(dimension, "differs", other[0], other[1], blocks)
    state: State = "same" if all(before and after for before, after in told) else "unknown"
    return Check(dimension, state, told[0][0], told[0][1], blocks)
