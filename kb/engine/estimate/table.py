"""Constants of the cost model: `data/costmodel/*.tsv`, one row a chip family and class.

`constants.tsv` is written by `tools/fit_costmodel.py`; `assumed.tsv` is kept by hand for chips without timings. Both
have the columns of `COLUMNS`. `families.tsv` says which family's constants a chip family uses, and with what remark.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from kb import shipped as data
from kb.engine.estimate.load import TERMS
from kb.errors import KnowledgeError

COLUMNS = (
    "family", "class", "t0_us", "block_us", "efficiency", "l2_factor", "vector_cycles", "piece_cycles", "scalar_cycles",
    "cube_efficiency", "traffic", "conflict", "error", "low", "high", "rows", "source",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Constants:
    """Factors of the terms for one class, the range as factors of the middle, and where they come from.

    `error` is the median factor error on calls left out of the fit, None for assumed constants.
    """

    family: str
    name: str
    factors: tuple[float, ...]  # in the order of TERMS
    low: float
    high: float
    error: float | None
    rows: int
    source: str

    def parts(self, terms: Mapping[str, float]) -> dict[str, float]:
        """Microseconds a term."""
        return {name: factor * terms.get(name, 0.0) for name, factor in zip(TERMS, self.factors, strict=True)}


@dataclass(frozen=True, slots=True)
class Source:
    """The family whose constants a chip family uses, what to say about it, and by how much its range grows."""

    family: str
    remark: str
    widen: float = 1.0


class Table:
    """Constants by chip family and class."""

    def __init__(self, rows: Mapping[tuple[str, str], Constants]) -> None:
        self.rows = dict(rows)

    def find(
        self, family: str, keys: Sequence[str], *, call: bool = False
    ) -> tuple[Constants, Source] | None:
        """Constants of the finest class in `keys` (coarse to fine) that has some, and from whom they are.

        Of several owners the first with such a class counts: the family itself, then the one it borrows from; constants
        of kernels before those of framework calls, or the other way round for a `call`. The coarsest key, which takes
        in everything of a kind, is tried last for all. None for a family without constants.
        """
        lender = sources().get(family)
        if lender is None:
            return None
        kernels = tuple(dict.fromkeys((family, lender.family)))
        calls = tuple(call_family(name) for name in kernels)
        owners = (*calls, *kernels) if call else (*kernels, *calls)
        for tried in (keys[:0:-1], keys[:1]):
            for owner in owners:
                for key in tried:
                    if (owner, key) in self.rows:
                        return self.rows[owner, key], _told(owner, family, lender, call)
        return None


def _told(owner: str, family: str, lender: Source, call: bool) -> Source:
    if owner in (family, call_family(family)):
        own = Source(owner, "", 1.0)
    else:
        own = Source(owner, lender.remark, lender.widen)
    if owner.endswith(" calls") and not call:
        more = "constants of whole framework calls, for want of kernel timings"
        return Source(owner, "; ".join(filter(None, (own.remark, more))), own.widen)
    return own


def call_family(family: str) -> str:
    """Under which name the constants of whole framework calls stand, beside those of single kernels."""
    return f"{family} calls"


@cache
def sources() -> Mapping[str, Source]:
    """Chip family to the family whose constants stand in for it."""
    return {
        row["chip_family"]: Source(row["constants"], row["remark"], float(row["widen"]))
        for _, row in rows_of("families.tsv")
    }


def factors_of(row: Mapping[str, float]) -> tuple[float, ...]:
    """Factors of the terms from the columns of the table."""
    memory = 1.0 / row["efficiency"]
    return (
        row["t0_us"], row["block_us"], memory, memory / row["l2_factor"], row["vector_cycles"], row["piece_cycles"],
        row["scalar_cycles"], 1.0 / row["cube_efficiency"], row["traffic"], row["conflict"],
    )  # fmt: skip


def columns_of(factors: Sequence[float]) -> dict[str, float]:
    """The inverse of `factors_of`."""
    t0, block, memory, cached, vector, piece, scalar, cube, traffic, conflict = factors
    return {
        "t0_us": t0, "block_us": block, "efficiency": 1.0 / memory, "l2_factor": memory / cached, "vector_cycles": vector,
        "piece_cycles": piece, "scalar_cycles": scalar, "cube_efficiency": 1.0 / cube, "traffic": traffic, "conflict": conflict,
    }  # fmt: skip


@cache
def shipped_table() -> Table:
    """The constants that come with kb."""
    found: dict[tuple[str, str], Constants] = {}
    for name in ("constants.tsv", "assumed.tsv"):
        for where, row in rows_of(name):
            one = _constants(row, where)
            found[one.family, one.name] = one
    return Table(found)


def _constants(row: Mapping[str, str], where: str) -> Constants:
    try:
        factors = factors_of({name: float(row[name]) for name in COLUMNS[2:12]})
        error = float(row["error"]) if row["error"] else None
        low, high = float(row["low"]), float(row["high"])
        return Constants(
            row["family"], row["class"], factors, low, high, error, int(row["rows"]), row["source"]
        )
    except (KeyError, ValueError, ZeroDivisionError) as fault:
        raise KnowledgeError(
            f"not a row of constants: {fault}", where=where, now="compare with the rows around it"
        ) from fault


def rows_of(name: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Rows of a table of `data/costmodel` as (place, column to text); comments are left out.

    Raises:
        KnowledgeError: the table is not there.
    """
    path = _folder() / name
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as fault:
        raise KnowledgeError(
            f"table unreadable: {fault}", where=str(path), now="install ascend-kb again"
        ) from fault
    head: list[str] = []
    for number, line in enumerate(lines, 1):
        if line.startswith("#") or not line:
            continue
        cells = line.split("\t")
        if not head:
            head = cells
            continue
        yield f"{path}:{number}", dict(zip(head, cells, strict=False))


def _folder() -> Path:
    return data.root() / "costmodel"
