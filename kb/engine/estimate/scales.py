"""Factors on the parts of an estimate, class by class: fitted on whole networks, or on one profile of the user's chip.

`data/costmodel/scales.tsv` holds those that come with kb, for chips whose single operators nobody timed but whose
networks somebody did; `tools/fit_networks.py` writes it. A calibration of the user's is kept as JSON beside the run store.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from kb.engine.estimate.table import rows_of
from kb.errors import KnowledgeError

LAUNCH, MEMORY = ("launch", "block"), ("memory", "cached")


@dataclass(frozen=True, slots=True)
class Scale:
    """Factors on launch, memory and everything else; `said` is printed with each estimate that uses them.

    `low` and `high` replace the range of the class, as factors of the scaled estimate, where they are known.
    """

    launch: float
    memory: float
    compute: float
    said: str
    low: float | None = None
    high: float | None = None

    def of(self, term: str) -> float:
        """The factor on a term."""
        if term in LAUNCH:
            return self.launch
        return self.memory if term in MEMORY else self.compute


Scales = Mapping[str, Scale]


@cache
def shipped_scales() -> Mapping[str, Scales]:
    """Scales by chip family and class (way of walking over the data)."""
    found: dict[str, dict[str, Scale]] = {}
    for where, row in rows_of("scales.tsv"):
        try:
            launch, memory, compute = (float(row[name]) for name in ("launch", "memory", "compute"))
            said = f"scaled to {row['networks']} networks measured as a whole"
            scale = Scale(launch, memory, compute, said)
        except (KeyError, ValueError) as fault:
            raise KnowledgeError(f"not a row of scales: {fault}", where=where, now="mend the row") from fault
        found.setdefault(row["chip_family"], {})[row["class"]] = scale
    return found


@cache
def doubts() -> Mapping[tuple[str, str], tuple[float, str]]:
    """Least factor of the range, and the words, for operators known to be weak: by chip family and plain type."""
    return {
        (row["chip_family"], row["op_type"]): (float(row["factor"]), row["text"])
        for _, row in rows_of("doubts.tsv")
    }
