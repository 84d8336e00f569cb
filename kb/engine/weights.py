"""How much each sign of a fit counts: the weights of the order of recommendations.

The worth of a recommendation is exp(sum of weight x sign). A sign that is a factor (share, gain, nearness, ...) enters
as its logarithm, a sign that is counted (conditions that hold or fail) as its number. The numbers stand in
`weights.tsv`, by rule and fitted, with the meaning of each; `tools/fit_weights.py` makes the fitted column and
docs/advice-quality.md says which of the two is used and why.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from functools import cache
from importlib import resources

from kb.addition import plain_sum

SMALLEST = 1e-4  # a factor below this counts as this


def log(factor: float) -> float:
    """The logarithm of a factor, bounded below."""
    return math.log(max(SMALLEST, factor))


@cache
def columns() -> Mapping[str, Mapping[str, float]]:
    """The columns of the table, "rules" and "fitted": sign to weight."""
    text = resources.files("kb.engine").joinpath("weights.tsv").read_text(encoding="utf-8")
    rows = list(
        csv.DictReader((line for line in text.splitlines() if not line.startswith("#")), delimiter="\t")
    )
    return {name: {row["sign"]: float(row[name]) for row in rows} for name in ("rules", "fitted")}


@cache
def used() -> Mapping[str, float]:
    """The weights that order recommendations: the column named in the table's first line."""
    text = resources.files("kb.engine").joinpath("weights.tsv").read_text(encoding="utf-8")
    return columns()[text.splitlines()[0].removeprefix("# used:").strip()]


def worth(signs: Mapping[str, float], weights: Mapping[str, float] | None = None) -> float:
    """exp(sum of weight x sign); KeyError for a sign that the table does not hold."""
    table = used() if weights is None else weights
    return math.exp(plain_sum(table[name] * value for name, value in signs.items()))
