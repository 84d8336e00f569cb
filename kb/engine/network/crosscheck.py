"""The total held against what is published: utilisation of whole networks on 310P, distance from the roofline elsewhere."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from kb import operators
from kb.addition import plain_sum
from kb.engine.estimate import Estimate
from kb.engine.estimate.table import rows_of
from kb.engine.network.types import Timed
from kb.forecast import ForecastCheck
from kb.targets import Target
from kb.units import percent

NEAR = 2.0  # factor beyond the published ones that makes an estimate doubtful
MOST_US = 5.0  # rooflines below that say nothing: the published ratios are of larger kernels


def cross_checks(
    chip: Target, found: Sequence[Timed], total_us: float, samples: int | None, family: str
) -> Iterator[ForecastCheck]:
    """Comparisons that can be made on this chip, each with its verdict."""
    if total_us <= 0:
        return
    peak = chip.cube_flops("fp16")
    work = plain_sum(
        one.count * (one.answer.operations or 0.0) for one in found if isinstance(one.answer, Estimate)
    )
    if peak and work:
        used = work / (total_us * 1e-6) / peak
        yield _utilisation(chip, used, samples, family)
    yield from _rooflines(chip, found, total_us)


def _utilisation(chip: Target, used: float, samples: int | None, family: str) -> ForecastCheck:
    name = "cube utilisation"
    text = f"{percent(used)} of the fp16 cube peak"
    if chip.family != "ascend-310p":
        return ForecastCheck(
            name, f"{text}; no network totals of this chip are published", None if used <= 1 else False
        )
    column = "batch1" if samples == 1 else "best"
    rows = [row for _, row in rows_of("utilisation.tsv") if row[column]]
    same = [row for row in rows if row["family"] == family]
    values = sorted(float(row[column]) for row in same or rows)
    low, high = values[0] / NEAR, min(1.0, values[-1] * NEAR)
    whose = (
        f"{len(same)} published {family} networks"
        if same
        else f"{len(rows)} published networks of all families"
    )
    batch = "batch 1" if samples == 1 else "their best batch"
    span = " to ".join(dict.fromkeys((percent(values[0]), percent(values[-1]))))
    text += f"; {whose} reach {span} on 310P at {batch}"
    return ForecastCheck(name, text, low <= used <= high)


def _rooflines(chip: Target, found: Sequence[Timed], total_us: float) -> Iterator[ForecastCheck]:
    known = [(one, one.answer) for one in found if isinstance(one.answer, Estimate)]
    bound = plain_sum(one.count * (answer.roofline_us or 0.0) for one, answer in known)
    if bound <= 0:
        return
    yield ForecastCheck(
        "roofline bound", f"the total is {total_us / bound:.1f} times the bound (cube at peak, bytes at the memory's peak)",
        total_us >= bound * 0.5,
    )  # fmt: skip
    column = "atlas-a2" if chip.family == "atlas-a3" else chip.family
    published = {row["op_type"]: row[column] for _, row in rows_of("bounds.tsv") if row.get(column)}
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for one, answer in known:
        kind = operators.canonical(one.call.type)
        if kind in published and (answer.roofline_us or 0.0) > MOST_US:
            sums[kind][0] += one.count * answer.mid_us
            sums[kind][1] += one.count * (answer.roofline_us or 0.0)
    for kind, (time, floor) in sorted(sums.items()):
        ratio, usual = time / floor, float(published[kind])
        yield ForecastCheck(
            f"{kind} against its bound", f"{ratio:.1f} times; published median {usual:.1f}",
            usual / NEAR <= ratio <= usual * NEAR,
        )  # fmt: skip
