"""How far estimates lie from published timings: factor error, coverage of the range, share estimated.

Two figures stand side by side: with the constants given, and with constants fitted on four fifths of the table and tried
on the rest (`cross`), five times. Kinds of timings and chips are never mixed.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from kb import targets
from kb.engine.estimate import Estimate, NotEstimated, estimate
from kb.engine.estimate.classes import place
from kb.engine.estimate.fit import FOLDS, Fitted, fit_folds, fold_of, measured, samples
from kb.engine.estimate.load import NoLoad
from kb.engine.estimate.rows import Row, read_rows
from kb.engine.estimate.table import Table
from kb.errors import NothingToJudge


@dataclass(frozen=True, slots=True)
class Score:
    """One line of the evaluation: `group` is a chip, or a class within a family.

    `error` is the median of exp(|ln(mid / measured)|), `covered` the part of the measured times inside the range;
    the `cross_` figures are the same on calls left out of the fit. None where nothing was estimated.
    """

    kind: str
    by: str
    group: str
    rows: int
    estimated: int
    error: float | None
    covered: float | None
    cross_error: float | None
    cross_covered: float | None

    @property
    def share(self) -> float:
        """Part of the rows that got an estimate."""
        return self.estimated / self.rows


@dataclass(frozen=True, slots=True)
class _Tried:
    row: Row
    time: float
    walk: str
    given: Estimate | NotEstimated
    crossed: Estimate | NotEstimated


def evaluate(
    timings: Path,
    *,
    constants: Table | None = None,
    fitted: Fitted | None = None,
    cross: bool = True,
    blocks: bool = True,
) -> list[Score]:
    """Scores by kind and chip, by kind and family, and by class of the device kernels.

    Args:
        timings: table with the columns of an operator table and `kind`, `dur_us_med`, `note`.
        constants: those to try instead of the shipped ones.
        fitted: the fits without each fold, if they are at hand.
        cross: also fit and try in five folds (needs numpy, some seconds).
        blocks: false forgets the block dim of the rows.

    Raises:
        SourceError: the table cannot be read.
        UsageError: a chip is unknown.
        NothingToJudge: no row has a time.
    """
    known = fitted or (fit_folds(list(samples(timings))) if cross else None)
    tables = {fold: known.without(fold) for fold in range(FOLDS)} if known else {}
    tried = list(_try(timings, constants, tables, blocks))
    if not tried:
        raise NothingToJudge(
            "no row has a time in dur_us_med", where=str(timings), now="Give a table with measured times."
        )
    return list(_scores(tried, cross=cross))


def _try(timings: Path, constants: Table | None, tables: dict[int, Table], blocks: bool) -> Iterator[_Tried]:
    for row in read_rows(timings):
        time = measured(row)
        if time is None or "suspect" in row.cells.get("note", ""):
            continue
        spec = row.spec if blocks else replace(row.spec, blocks=None)
        chip = targets.typical(row.chip)
        try:
            walk = place(spec, chip).walk
        except NoLoad:
            walk = "not modelled"
        given = estimate(spec, chip, constants)
        crossed = estimate(spec, chip, tables[fold_of(row)]) if tables else given
        yield _Tried(row, time, walk, given, crossed)


def _scores(tried: list[_Tried], *, cross: bool) -> Iterator[Score]:
    groups: dict[tuple[str, str, str], list[_Tried]] = defaultdict(list)
    for one in tried:
        kind = one.row.cells.get("kind", "kernel")
        family = targets.typical(one.row.chip).family
        groups[kind, "chip", one.row.chip].append(one)
        groups[kind, "family", family].append(one)
        if kind == "kernel":
            groups[kind, "class", f"{family}: {one.walk}"].append(one)
    for (kind, by, group), members in sorted(
        groups.items(), key=lambda item: (item[0][0] != "kernel", item[0])
    ):
        pairs = [(one.given, one.time) for one in members]
        error, covered = _figures(pairs)
        crossed = _figures([(one.crossed, one.time) for one in members]) if cross else (None, None)
        estimated = sum(isinstance(one.given, Estimate) for one in members)
        yield Score(kind, by, group, len(members), estimated, error, covered, *crossed)


def _figures(pairs: Iterable[tuple[Estimate | NotEstimated, float]]) -> tuple[float | None, float | None]:
    """(median factor error, share of times inside the range)."""
    found = [(one, time) for one, time in pairs if isinstance(one, Estimate)]
    if not found:
        return None, None
    errors = sorted(abs(math.log(one.mid_us / time)) for one, time in found)
    middle = (errors[(len(errors) - 1) // 2] + errors[len(errors) // 2]) / 2
    return math.exp(middle), sum(one.low_us <= time <= one.high_us for one, time in found) / len(found)
