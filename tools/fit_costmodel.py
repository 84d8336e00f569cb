"""Fit the cost model's constants on a table of timings and write them to data/costmodel/constants.tsv.

    python -m tools.fit_costmodel --timings optimings.tsv            fit, score in 5 folds, write
    python -m tools.fit_costmodel --timings optimings.tsv --dry-run  the same without writing

The same table gives the same file. Folds go by operator, shapes and dtypes, so a call is never in two of them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from kb.engine.estimate.evaluate import Score, evaluate
from kb.engine.estimate.fit import fit, fit_folds, samples
from kb.engine.estimate.table import COLUMNS, Table, columns_of

OUT = Path(__file__).resolve().parent.parent / "data" / "costmodel" / "constants.tsv"
SOURCE = "published timings"
HEAD = f"""\
# Constants of the cost model, fitted by tools/fit_costmodel.py on published timings of operators (development half).
# A time is t0_us + block_us x blocks + bytes / (efficiency x memory peak), bytes that fit into L2 l2_factor times faster,
# + cycles x (vectors, pieces, single elements of the busiest core) + padded cube work / (cube_efficiency x peak)
# + traffic and conflict x bytes read again: kb/engine/estimate/load.py. Columns that no timing speaks for keep the start value.
# error: median factor error on calls left out of the fit; low, high: range as factors of the estimate; rows: timings.
# Families ending in "calls" hold whole framework calls.
{chr(9).join(COLUMNS)}
"""


def write(table: Table, path: Path) -> None:
    lines = []
    for (family, name), one in sorted(table.rows.items()):
        values = [f"{value:.4g}" for value in columns_of(one.factors).values()]
        error = "" if one.error is None else f"{one.error:.3f}"
        spread = [error, f"{one.low:.3f}", f"{one.high:.3f}", str(one.rows), one.source]
        lines.append("\t".join([family, name, *values, *spread]))
    path.write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")


def show(scores: Iterable[Score]) -> None:
    heads = ("rows", "share", "error", "cover", "cv err", "cv cov")
    print(f"{'kind':10} {'by':7} {'group':34} " + " ".join(f"{head:>6}" for head in heads))
    for one in scores:
        figures = [one.share, one.error, one.covered, one.cross_error, one.cross_covered]
        text = [str(one.rows), *(f"{value:.3f}" if value is not None else "-" for value in figures)]
        print(f"{one.kind:10} {one.by:7} {one.group:34} " + " ".join(f"{cell:>6}" for cell in text))


def main() -> None:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument(
        "--timings", type=Path, required=True, help="table of timings, columns as for `kb estimate`"
    )
    parser.add_argument("--out", type=Path, default=OUT, help="where to write the constants")
    parser.add_argument("--dry-run", action="store_true", help="write nothing")
    given = parser.parse_args()
    fitted = fit_folds(list(samples(given.timings)))
    table = fit(fitted, SOURCE)
    if not given.dry_run:
        write(table, given.out)
        print(f"{len(table.rows)} classes written to {given.out}")
    for blocks in (True, False):
        print(f"\nblock dim {'as given' if blocks else 'left out'}")
        show(evaluate(given.timings, constants=table, fitted=fitted, blocks=blocks))


if __name__ == "__main__":
    main()
