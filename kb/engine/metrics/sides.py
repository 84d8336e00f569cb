"""The two sides of a kernel: its cube cores and its vector cores, never mixed.

A `Side` answers for one core kind: mean and spread of a column over its working cores (msopprof rows) or the
launch-level value (op_summary, kernel_details, typed counters). On chips whose AI Core holds both units the one set
of columns answers for the side that the kernel's work lies on: "aic" when the cube was used, else "aiv".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kb.addition import plain_sum
from kb.model import CoreCounters, Measure, Operator

# A core that was busy for less than this part of the slowest core's time did no share of the work (a launched block
# with nothing to do still shows about a microsecond); means over all rows would then describe nobody.
WORKING_SHARE = 0.1
# Below this cube share a fused kernel counts as vector work: its cube instructions are incidental.
CUBE_USED = 0.005


@dataclass(frozen=True, slots=True)
class Side:
    """One core kind of one kernel. `spellings` are the column prefixes to try, in order."""

    prefix: str
    spellings: tuple[str, ...]
    rows: tuple[CoreCounters, ...]  # working cores
    launched: tuple[CoreCounters, ...]  # all cores of the kind that were launched
    counters: Mapping[str, Measure]

    def column(self, name: str) -> Measure | None:
        """Mean over working cores with the spread, or the launch-level value; `name` without prefix."""
        for spelling in self.spellings:
            column = spelling + name
            values = [row.values[column] for row in self.rows if column in row.values]
            if values:
                return spread(values, "", column)
            if column in self.counters:
                return self.counters[column]
        return None

    def per_core(self, name: str) -> list[float]:
        """The column of every working core that has it."""
        for spelling in self.spellings:
            values = [row.values[spelling + name] for row in self.rows if spelling + name in row.values]
            if values:
                return values
        return []

    def ratio(self, pipe: str) -> Measure | None:
        """Share of core time a pipe is active; recomputed from times where cores give them.

        msopprof divides the pipes of a mix kernel by whole microseconds of the task duration, so its ratio column is
        inflated there (spec section 2.5); pipe time / core time is what the column means everywhere else.
        """
        shares = self.ratios(pipe)
        if shares:
            return spread(
                shares, "1", f"{self.prefix}_{pipe}_time(us) / {self.prefix}_time(us)", computed=True
            )
        found = self.column(f"{pipe}_ratio")
        if found is not None:
            return Measure(found.value, "1", found.origin, found.low, found.high, found.n, found.computed)
        pipe_time, core_time = self.column(f"{pipe}_time_us"), self.column("time_us")
        if pipe_time is None or core_time is None or core_time.value <= 0:
            return None
        return Measure(pipe_time.value / core_time.value, "1", f"{pipe} time / core time", computed=True)

    def ratios(self, pipe: str) -> list[float]:
        """Pipe time / core time of every working core that has both."""
        for spelling in self.spellings:
            pairs = [
                (row.values.get(f"{spelling}{pipe}_time_us"), row.values.get(f"{spelling}time_us"))
                for row in self.rows
            ]
            shares = [pipe_us / core_us for pipe_us, core_us in pairs if pipe_us is not None and core_us]
            if shares:
                return shares
        return []


def spread(values: list[float], unit: str, origin: str, *, computed: bool = False) -> Measure:
    """Mean of the values with their range."""
    n = len(values)
    if n == 1:
        return Measure(values[0], unit, origin, computed=computed)
    return Measure(
        plain_sum(values) / n, unit, f"{origin}, mean of {n} cores", min(values), max(values), n, computed
    )


def core_time(row: CoreCounters) -> float | None:
    """Busy time of one core row in microseconds, from whichever side the row is."""
    for column in ("aiv_time_us", "aic_time_us", "time_us"):
        if column in row.values:
            return row.values[column]
    return None


def working(rows: Iterable[CoreCounters]) -> tuple[CoreCounters, ...]:
    """The rows that did a share of the work; all rows when the tool gives no core time."""
    rows = tuple(rows)
    times = [core_time(row) for row in rows]
    known = [time for time in times if time is not None]
    if not known:
        return rows
    limit = max(known) * WORKING_SHARE
    return tuple(row for row, time in zip(rows, times, strict=True) if time is None or time >= limit)


class _Last:
    """The kernel asked about last: every metric asks for its sides, and a run has thousands of kernels."""

    found: tuple[Operator | None, Mapping[str, Side]] = (None, {})


def sides(op: Operator) -> Mapping[str, Side]:
    """The sides of a kernel by prefix: {"aic": ..., "aiv": ...}, only those it has."""
    of, found = _Last.found
    if of is not op:
        found = _sides(op)
        _Last.found = (op, found)
    return found


def _sides(op: Operator) -> dict[str, Side]:
    if op.core == "fused":
        return _fused(op)
    out = {}
    for prefix, block_kind in (("aic", "cube"), ("aiv", "vector")):
        launched = tuple(row for row in op.cores if row.sub_block.startswith(block_kind))
        if _has_side(op, prefix, launched):
            out[prefix] = Side(prefix, (f"{prefix}_",), working(launched), launched, op.counters)
    return out


def _has_side(op: Operator, prefix: str, launched: tuple[CoreCounters, ...]) -> bool:
    if launched:
        return True
    if op.cores or not any(name.startswith(f"{prefix}_") for name in op.counters):
        return False
    own = {"aic": "cube", "aiv": "vector"}[prefix]
    if op.core in ("cube", "vector"):
        return op.core == own
    # Exports write 0 on the side that did not run; a side counts when any of its counters moved.
    return any(measure.value for name, measure in op.counters.items() if name.startswith(f"{prefix}_"))


def _fused(op: Operator) -> dict[str, Side]:
    side = Side("aic", ("aic_", ""), working(op.cores), op.cores, op.counters)
    cube = side.ratio("mac")
    prefix = "aic" if cube is not None and cube.value > CUBE_USED else "aiv"
    return {prefix: Side(prefix, ("aic_", "aiv_", ""), side.rows, side.launched, op.counters)}
