"""Two reports in, one `Comparison` out: is it faster, by how much, can that be said at all, and what moved.

Nothing is read here and nothing is drawn. The order: pair the operators, check that the runs were measured alike, put
the times on a common basis, hold each change against the noise, then say what else changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kb.addition import plain_sum
from kb.comparison import (
    Band,
    Change,
    Check,
    Comparison,
    OperatorTime,
    Parts,
    RunSide,
    Step,
    TimeBasis,
    Total,
    Verdict,
)  # fmt: skip
from kb.engine.compare.checks import SAME_LENGTH, checks, work_ratio
from kb.engine.compare.extract import PIPE_SHARES
from kb.engine.compare.gate import gated
from kb.engine.compare.moved import moved
from kb.engine.compare.noise import RESOLUTION, STATED, band
from kb.engine.compare.pairs import Pair, pairs
from kb.engine.compare.sides import Side, alike, plain_type, side
from kb.engine.compare.troubles import troubles
from kb.errors import NothingToJudge, UsageError
from kb.measured import Measured
from kb.model import Report

__all__ = ["compare", "gated"]

STEPS = 8  # of the waterfall, besides the rest
PIPES = frozenset(PIPE_SHARES)


def compare(before: Report, after: Report, noise: float | None = None) -> Comparison:
    """The verdict on two runs.

    Args:
        noise: band to hold every change against, as a fraction, instead of what launches and cores show.

    Raises:
        UsageError: `noise` is no fraction between 0 and 1.
        NothingToJudge: a run has no time of any operator.
    """
    if noise is not None and not 0 <= noise < 1:
        raise UsageError("a noise band lies between 0 % and 100 %", where="--noise", now="Give 3%.")
    one, two = alike(_side(before), _side(after))
    found = pairs(one, two)
    checked = checks(one, two, found)
    basis = _basis(one, two, found)
    scales = _scales(one, two, basis)
    before_us, after_us = _times(one, two, found, basis, scales)
    changes = tuple(_change(pair, basis, scales, before_us, noise) for pair in found)
    total = _total(changes, before_us, after_us, basis, noise)
    renamed = {pair.before.type or pair.before.name: pair.after.type or pair.after.name
               for pair in found if pair.before and pair.after}  # fmt: skip
    return Comparison(
        before=_run(before), after=_run(after),
        verdict=_verdict(total, checked), checks=checked, total=total,
        changes=tuple(sorted(changes, key=_order)),
        findings=troubles(before, after, renamed, _blind(before, after)),
        waterfall=_waterfall(changes, before_us, after_us),
        elapsed=_elapsed(before, after, total, basis),
        parts=_parts(changes, basis, noise) if total is not None else None,
    )  # fmt: skip


def _blind(before: Report, after: Report) -> tuple[frozenset[str], frozenset[str]]:
    """Operators that show nothing of their pipes in one run and something in the other, for either run."""
    known = [
        {plain_type(row): False for row in one.measured}
        | {plain_type(row): True for row in one.measured if row.readings.keys() & PIPES}
        for one in (before, after)
    ]
    return (
        frozenset(name for name, seen in known[0].items() if not seen and known[1].get(name)),
        frozenset(name for name, seen in known[1].items() if not seen and known[0].get(name)),
    )


def _side(report: Report) -> Side:
    made = side(report)
    if not made.rows:
        raise NothingToJudge(
            "the run holds no time of an operator",
            where=report.target,
            now="Compare runs with a duration: OpBasicInfo.csv, op_summary.csv or kernel_details.csv.",
        )
    return made


def _run(report: Report) -> RunSide:
    return RunSide(report.target, report.run, report.chip, report.capture, report.total_us)


def _basis(before: Side, after: Side, found: Sequence[Pair]) -> TimeBasis:
    if before.kernels and after.kernels:
        return "launch"
    if not before.total_us or not after.total_us:
        return "launches"
    if before.report.steps and after.report.steps and before.report.steps != after.report.steps:
        return "step"
    return "run" if abs(work_ratio(found) - 1) <= SAME_LENGTH else "launches"


def _scales(before: Side, after: Side, basis: TimeBasis) -> tuple[float, float]:
    """What the times of either run are divided by."""
    if basis == "step":
        return float(before.report.steps or 1), float(after.report.steps or 1)
    return 1.0, 1.0


def _compared(row: Measured, basis: TimeBasis, scale: float, count: int) -> float:
    """The time of an operator on the basis; `count` are the launches that both sides are reckoned with."""
    if basis == "launch":
        return row.mean_us
    if basis == "launches":
        return row.mean_us * count
    return row.total_us / scale


def _times(
    before: Side, after: Side, found: Sequence[Pair], basis: TimeBasis, scales: tuple[float, float]
) -> tuple[float, float]:
    """Time of the whole on either side.

    On the basis of launches only operators that both runs have can count: of the others nobody knows how often they
    would have run in the other one.
    """
    if basis in ("run", "step"):
        return (before.total_us or 0.0) / scales[0], (after.total_us or 0.0) / scales[1]
    both = [(pair.before, pair.after) for pair in found if pair.before and pair.after]
    return (
        plain_sum(_compared(one, basis, 1.0, one.count) for one, _ in both),
        plain_sum(_compared(two, basis, 1.0, one.count) for one, two in both),
    )


def _change(
    pair: Pair, basis: TimeBasis, scales: tuple[float, float], total_us: float, noise: float | None
) -> Change:
    one, two = pair.before, pair.after
    told = two or one
    assert told is not None  # noqa: S101 - a pair has a side
    count = one.count if one else told.count
    before = _operator(one, _compared(one, basis, scales[0], count)) if one else None
    after = _operator(two, _compared(two, basis, scales[1], count)) if two else None
    counted = basis in ("run", "step") or (before is not None and after is not None)
    delta = (after.time_us if after else 0.0) - (before.time_us if before else 0.0)
    change = after.time_us / before.time_us - 1 if before and after and before.time_us > 0 else None
    limits = band(one, two, noise) if one and two else None
    differs = pair.differs
    if before and after and basis == "run" and before.count != after.count:
        differs = (*differs, "launches")
    return Change(
        type=told.type or told.name, core=told.core, shapes=told.shapes, dtypes=told.dtypes,
        verdict="gone" if after is None else "new" if before is None else _judged(change, limits),
        before=before, after=after, delta_us=delta if counted else 0.0, change=change, band=limits,
        moved=moved(one, two) if one and two else (), differs=differs,
        share=before.time_us / total_us if before and total_us > 0 else None,
    )  # fmt: skip


def _operator(row: Measured, time_us: float) -> OperatorTime:
    return OperatorTime(row.name, time_us, row.count, row.mean_us)


def _judged(change: float | None, limits: Band | None) -> Verdict:
    if change is None or limits is None or abs(change) <= limits.value:
        return "within-noise"
    return "slower" if change > 0 else "faster"


def _total(
    changes: Sequence[Change], before_us: float, after_us: float, basis: TimeBasis, noise: float | None
) -> Total | None:
    if before_us <= 0:
        return None
    return Total(before_us, after_us, after_us / before_us - 1, _total_band(changes, noise), basis)


def _parts(changes: Sequence[Change], basis: TimeBasis, noise: float | None) -> Parts | None:
    """Kernels and collectives, each by itself; operators of one run alone count where they do in the total."""
    counted = [
        item
        for item in changes
        if basis in ("run", "step") or (item.before is not None and item.after is not None)
    ]
    kernels = _part([item for item in counted if item.core != "communication"], basis, noise)
    collectives = _part([item for item in counted if item.core == "communication"], basis, noise)
    return Parts(kernels, collectives) if kernels is not None and collectives is not None else None


def _part(changes: Sequence[Change], basis: TimeBasis, noise: float | None) -> Total | None:
    before = plain_sum(item.before.time_us for item in changes if item.before)
    after = plain_sum(item.after.time_us for item in changes if item.after)
    return _total(changes, before, after, basis, noise) if after > 0 else None


def _total_band(changes: Sequence[Change], noise: float | None) -> Band:
    """Bands of the operators together, by their time.

    What launches show is chance of each operator by itself and adds up in squares; what is only stated may move all
    operators at once and adds up as it is.
    """
    if noise is not None:
        return Band(noise, "given")
    known = [(item.before.time_us, item.band) for item in changes if item.before and item.band]
    weight = plain_sum(time for time, _ in known)
    if weight <= 0:
        return Band(STATED, "stated")
    if len(known) == 1:
        return known[0][1]
    alone = plain_sum((time * of.value) ** 2 for time, of in known if of.basis == "launches") ** 0.5
    together = plain_sum(time * of.value for time, of in known if of.basis != "launches")
    return Band(max(RESOLUTION, (alone + together) / weight), "operators")


def _verdict(total: Total | None, checked: Sequence[Check]) -> Verdict:
    if total is None or any(check.blocks and check.state == "differs" for check in checked):
        return "not-comparable"
    return _judged(total.change, total.band)


_ORDER: Mapping[str, int] = {"slower": 0, "new": 1, "faster": 2, "gone": 3, "within-noise": 4}


def _order(item: Change) -> tuple[int, float, str, str]:
    """Regressions first, then gains, then what did not change; within these by time."""
    return (_ORDER[item.verdict], -abs(item.delta_us), item.name, item.shapes)


def _waterfall(changes: Sequence[Change], before_us: float, after_us: float) -> tuple[Step, ...]:
    """The largest steps from the total before to the total after, gone and new operators of a run included."""
    largest = sorted(changes, key=lambda item: (-abs(item.delta_us), item.name, item.shapes))
    named = [item for item in largest[:STEPS] if item.delta_us]
    steps, at = [], before_us
    for item in sorted(named, key=lambda item: -item.delta_us):
        label = item.type if not item.shapes else f"{item.type} {item.shapes}"
        steps.append(Step(label, item.delta_us, at, at + item.delta_us))
        at += item.delta_us
    rest = after_us - at
    if abs(rest) > 1e-6 * max(before_us, after_us):
        steps.append(Step("", rest, at, after_us))
    return tuple(steps)


def _elapsed(before: Report, after: Report, total: Total | None, basis: TimeBasis) -> Total | None:
    """The elapsed time on the basis of the total, where both runs have it and are of one length."""
    if total is None or not before.elapsed_us or not after.elapsed_us or basis not in ("run", "step"):
        return None
    one, two = before.elapsed_us, after.elapsed_us
    if basis == "step":
        one, two = one / (before.steps or 1), two / (after.steps or 1)
    return Total(one, two, two / one - 1, total.band, basis)
